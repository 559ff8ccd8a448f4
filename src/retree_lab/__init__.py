"""The laboratory: studies of trees, from data to judged tables, and the command ``retree``."""
