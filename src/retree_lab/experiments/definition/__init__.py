"""Experiments: papers, items, methods, protocols and their options."""
