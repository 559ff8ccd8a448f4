"""CMDT (Liu & Song 2020): trees whose nodes send each row to its nearest centre."""

from retree.trees.cmdt.cmdt import CMDTClassifier

__all__ = ["CMDTClassifier"]
