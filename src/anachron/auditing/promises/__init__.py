"""What each promise asks for: a list of checks, and the ways to what they need.

``at_hand`` follows the ways and asks the checks. A feed whose snapshots are m-invariant is
``COMPOSED``: a register, and in time.
"""
