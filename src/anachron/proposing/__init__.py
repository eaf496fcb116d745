"""From any table to a plan to begin with: who is the person, what outsiders know, what stays home.

Everything here looks at counts, and repeats no cell of the table but what a plan must list.
"""
