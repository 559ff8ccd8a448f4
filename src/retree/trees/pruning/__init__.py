"""Pruning: functions that take a tree and return a smaller tree."""
