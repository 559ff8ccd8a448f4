"""Whether stored cells come out again, and whether the store is sound."""
