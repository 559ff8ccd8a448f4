"""From a number in a table to the folds, rows and parameters behind it."""
