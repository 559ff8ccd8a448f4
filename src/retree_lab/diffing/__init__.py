"""Comparing current results with the committed ones, so that no number moves unnoticed."""
