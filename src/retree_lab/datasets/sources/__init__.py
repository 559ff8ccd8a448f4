"""The places data comes from.

Each has a function ``fetch…(name, options)`` that returns a table of features and target as the
source has it. `name` is for messages, `options` are what the catalogue says about the source. A
`retree.errors.DataError` says what is missing, damaged or out of reach.
"""
