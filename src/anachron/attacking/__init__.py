"""Try to break what was published: one module for each attack.

``run`` knows all attacks and carries out those that apply; ``known`` is what they start from and
``finding`` what each gives back. An attack measures what an adversary with a stated knowledge
learns about people, whether or not the guarantee promises anything against it.
"""
