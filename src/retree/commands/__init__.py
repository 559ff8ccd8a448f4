"""The commands of the command line, one module each.

Each has a function ``run``. It gets what `retree.arguments` made of the command line, Hydra
overrides apart where the command takes them, and the console to print on. It returns the exit code,
and raises a `retree.errors.RetreeError` that says what to correct.
"""
