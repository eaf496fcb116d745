"""What each promise asks for: a list of checks, and the ways to what they need.

``at_hand`` follows the ways and asks the checks; ``past`` gathers what the releases of a register
were. ``composed`` is a feed whose snapshots are m-invariant.
"""
