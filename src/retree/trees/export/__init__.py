"""Fitted trees as text, rules, DOT and pictures."""
