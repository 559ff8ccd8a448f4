"""One estimator of every class of classifiers, for what all of them have in common."""

from __future__ import annotations

import inspect

import retree
from retree import C45RulesClassifier
from retree.forests import (
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    MultiBoostClassifier,
    RandomSubspaceClassifier,
    ThinnedForestClassifier,
    WekaRandomForestClassifier,
)
from retree_lab.study.importing import import_estimator
from retree_lab.study.registry import ESTIMATORS

NO_TREE = {C45RulesClassifier}
FORESTS = {
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    MultiBoostClassifier,
    RandomSubspaceClassifier,
    ThinnedForestClassifier,
    WekaRandomForestClassifier,
}
BINARY = {"RealAdaBoostClassifier"}  # it takes two classes only


def every_classifier():
    """Return estimators by name, small and with a fixed seed."""
    names = [n for n in retree.__all__ if n.endswith("Classifier")]
    found = {n: getattr(retree, n)() for n in names if n not in BINARY | {"FittedForestClassifier"}}
    for model in found.values():
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        if type(model) in FORESTS:
            model.set_params(n_estimators=4)
    return found


def criteria_of_the_paper():
    """Return the trees by name whose criteria stand in the folder of structure_purity."""
    targets = [r.target for r in ESTIMATORS.values() if "papers/structure_purity/" in r.target]
    found = {cls.__name__: cls() for cls in map(import_estimator, targets)}
    found["SCAFFClassifier"].theta = 0.1
    found["JaworskiClassifier"].tie_threshold = 10.0  # its default makes no split of few rows
    return found


EVERY = every_classifier()
TREES = {name: model for name, model in EVERY.items() if type(model) not in FORESTS | NO_TREE}
TREES |= criteria_of_the_paper()


def takes(model, argument):
    """Whether `fit` of a model has an argument of this name."""
    return argument in inspect.signature(model.fit).parameters


# Only small nodes end the growing of some families, so that no weight moves a leaf of a tree grown
# to its end. Scikit-learn's own trees pass its check of weights by a least share of the weight.
GROWN_OUT = {"check_class_weight_classifiers": "no weight moves a leaf of a tree grown to its end"}

WEIGHTED = {n: model for n, model in (EVERY | TREES).items() if takes(model, "sample_weight")}
