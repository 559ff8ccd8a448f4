"""The estimators that a method's configuration may name."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from retree.errors import unknown_name


@dataclass(frozen=True)
class Registered:
    """An estimator that methods may name.

    Attributes
    ----------
    target : str
        Where it lives, as ``module:Class``.
    version : int
        Raise it when the estimator gives other results than before: its cells are computed anew.
        Whether it does, `retree verify` finds out; say in ``results/CHANGELOG.md`` what moved.
    """

    target: str
    version: int = 1


ESTIMATORS: dict[str, Registered] = {
    "c45": Registered("retree.trees.c45.classifier:C45Classifier"),
    "cart": Registered("retree.trees.cart.cart_classifier:CartClassifier"),
    "cart_coded": Registered("retree.trees.cart.coded_cart:CodedCartClassifier"),
    "cart_lc": Registered("retree.trees.oblique.cart_lc:CartLCClassifier"),
    "cmdt": Registered("retree.trees.cmdt:CMDTClassifier"),
    "global_svd": Registered("retree.trees.latent.latent_trees:GlobalSVDTreeClassifier"),
    "id3": Registered("retree.trees.c45.id3:ID3Classifier"),
    "local_svd": Registered("retree.trees.latent.latent_trees:LocalSVDTreeClassifier"),
    "oc1": Registered("retree.trees.oblique.oc1:OC1Classifier"),
    "segment_c45": Registered("retree.trees.structure.class_order:SegmentC45Classifier"),
    "spce": Registered("retree.trees.structure.class_order:SPCEClassifier"),
    "spes": Registered("retree.trees.structure.class_order:SPESClassifier"),
    "structure_purity": Registered(
        "retree.trees.structure.structure_purity:StructurePurityClassifier", version=2
    ),
    "thinned_forest": Registered("retree.forests.pipeline:ThinnedForestClassifier"),
}


def find_estimator(name: str) -> Registered:
    """Return target and version of the estimator called `name`.

    Raises
    ------
    UnknownNameError
        If no estimator has this name.
    """
    if name not in ESTIMATORS:
        raise unknown_name("estimator", name, ESTIMATORS)
    return ESTIMATORS[name]


def import_estimator(target: str) -> type[Any]:
    """Return the class that stands at `target`, ``module:Class``."""
    module, _, cls = target.partition(":")
    return getattr(importlib.import_module(module), cls)
