"""Trees: one data structure for all of them, and a package for each family."""
