"""Fitted trees as text, rules, DOT, pictures and interactive pages."""
