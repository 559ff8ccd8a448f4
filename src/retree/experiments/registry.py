"""The estimators that a method's configuration may name."""

from __future__ import annotations

import importlib
from typing import Any

from retree.errors import unknown_name

ESTIMATORS: dict[str, str] = {
    "c45": "retree.trees.c45.classifier:C45Classifier",
    "cart": "retree.trees.cart.cart_classifier:CartClassifier",
    "cart_coded": "retree.trees.cart.coded_cart:CodedCartClassifier",
    "cart_lc": "retree.trees.cart_lc:CartLCClassifier",
    "cmdt": "retree.trees.cmdt:CMDTClassifier",
    "global_svd": "retree.trees.latent:GlobalSVDTreeClassifier",
    "id3": "retree.trees.c45.id3:ID3Classifier",
    "local_svd": "retree.trees.latent:LocalSVDTreeClassifier",
    "oc1": "retree.trees.oc1:OC1Classifier",
    "segment_c45": "retree.trees.class_order:SegmentC45Classifier",
    "spce": "retree.trees.class_order:SPCEClassifier",
    "spes": "retree.trees.class_order:SPESClassifier",
    "structure_purity": "retree.trees.structure_purity:StructurePurityClassifier",
    "thinned_forest": "retree.forests.pipeline:ThinnedForestClassifier",
}


def find_estimator(name: str) -> str:
    """Return where the estimator called `name` lives, as ``module:Class``.

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
