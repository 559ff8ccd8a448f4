"""Kinds of items of the paper forest_thinning."""
