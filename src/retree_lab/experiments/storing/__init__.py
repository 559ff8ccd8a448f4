"""Results of cells: the store, the committed exports, and results as tables."""
