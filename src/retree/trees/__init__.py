"""Trees: one structure for all, a room for each family."""
