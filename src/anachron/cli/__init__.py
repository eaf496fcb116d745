"""The command line: one small file for each command, which parses, calls the flow and answers.

``main`` finds the command, ``answer`` is what each command gives back, ``trouble`` turns errors
into answers. Nothing heavy is imported before a command needs it.
"""
