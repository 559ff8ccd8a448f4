"""From items to cells: folds, grids and keys, without computing or reading results."""
