"""How much of a number is chance: what further replicates of a protocol say of it."""
