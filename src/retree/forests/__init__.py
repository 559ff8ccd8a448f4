"""Forests: bagging, AdaBoost.M1, the selection of members, and the thinning of their trees."""

from retree.forests.classifiers import AdaBoostM1Classifier, BaggingTreesClassifier
from retree.forests.pipeline import ThinnedForestClassifier
from retree.forests.selection import EPICSelector
from retree.forests.thinning import AccuracyThinner, ForestThinner

__all__ = [
    "AccuracyThinner",
    "AdaBoostM1Classifier",
    "BaggingTreesClassifier",
    "EPICSelector",
    "ForestThinner",
    "ThinnedForestClassifier",
]
