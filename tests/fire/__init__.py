"""What is thrown at Anachron: broken tables and plans, by the thousand."""
