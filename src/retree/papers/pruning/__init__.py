"""Kinds of items of the paper pruning."""
