"""Holding results at hand against the committed ones, so that no number moves unnoticed."""
