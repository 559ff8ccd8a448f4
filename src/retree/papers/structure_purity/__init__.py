"""Kinds of items of structure_purity only."""
