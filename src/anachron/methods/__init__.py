"""The methods: each summarises a table, plans on the counts, and says how to apply the plan."""
