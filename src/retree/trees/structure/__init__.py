"""Trees by structure and purity, and by the order of the classes."""
