"""Computing the cells that are missing."""
