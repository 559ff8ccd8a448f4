"""Kinds of items of the paper cmdt."""
