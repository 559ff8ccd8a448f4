"""CMDT (Liu & Song 2020): a node's rows go to the nearest of weighted centres."""

from retree.trees.cmdt.cmdt import CMDTClassifier

__all__ = ["CMDTClassifier"]
