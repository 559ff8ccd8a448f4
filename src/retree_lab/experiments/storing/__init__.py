"""What cells yield: the store, the committed exports, and results as tables."""
