"""Forests: bagging, boosting, Weka's forests, selecting members of a forest and thinning it."""

from retree.forests.classifiers import AdaBoostM1Classifier, BaggingTreesClassifier
from retree.forests.epic import EPICSelector
from retree.forests.pipeline import ThinnedForestClassifier
from retree.forests.real_adaboost import RealAdaBoostClassifier
from retree.forests.thinning import AccuracyThinner, ForestThinner
from retree.forests.weka_forests import (
    MultiBoostClassifier,
    RandomSubspaceClassifier,
    WekaRandomForestClassifier,
)

__all__ = [
    "AccuracyThinner",
    "AdaBoostM1Classifier",
    "BaggingTreesClassifier",
    "EPICSelector",
    "ForestThinner",
    "MultiBoostClassifier",
    "RandomSubspaceClassifier",
    "RealAdaBoostClassifier",
    "ThinnedForestClassifier",
    "WekaRandomForestClassifier",
]
