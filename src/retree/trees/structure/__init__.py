"""Trees that split by structure and purity, or by the order of the classes."""
