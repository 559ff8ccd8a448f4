"""retree: decision-tree papers regenerated, and their algorithms as scikit-learn estimators.

The names below are imported from their modules on first use, so that `import retree` costs nothing.
"""

from importlib import import_module
from typing import Any

__version__ = "1.0.0rc1"

_HOMES = {
    "AccuracyThinner": "retree.forests",
    "AdaBoostM1Classifier": "retree.forests",
    "BaggingTreesClassifier": "retree.forests",
    "C45Classifier": "retree.trees.c45.classifier",
    "C45RulesClassifier": "retree.trees.c45.rules.classifier",
    "CMDTClassifier": "retree.trees.cmdt",
    "CartClassifier": "retree.trees.cart",
    "CartLCClassifier": "retree.trees.oblique.cart_lc",
    "CartRegressor": "retree.trees.cart",
    "CodedCartClassifier": "retree.trees.cart",
    "EPICSelector": "retree.forests",
    "FittedForestClassifier": "retree.forests.fitted",
    "ForestThinner": "retree.forests",
    "GlobalSVDTreeClassifier": "retree.trees.latent.latent_trees",
    "ID3Classifier": "retree.trees.c45.id3",
    "ISATClassifier": "retree.trees.hybrid_criteria.isat",
    "IndependentComponents": "retree.trees.latent.independent",
    "LatentSpaceTreeClassifier": "retree.trees.latent.latent_trees",
    "LocalSVDTreeClassifier": "retree.trees.latent.latent_trees",
    "MinimumCostClassifier": "retree.trees.minimum_cost",
    "OC1Classifier": "retree.trees.oblique.oc1",
    "PrunedTreeCV": "retree.trees.pruning.cross_validated",
    "ReliefF": "retree.relief",
    "SCAFFClassifier": "retree.trees.hybrid_criteria.scaff",
    "SPCEClassifier": "retree.trees.structure.class_order",
    "SPESClassifier": "retree.trees.structure.class_order",
    "SVDRotation": "retree.trees.latent.transforms",
    "SegmentC45Classifier": "retree.trees.structure.class_order",
    "StructurePurityClassifier": "retree.trees.structure.structure_purity",
    "ThinnedForestClassifier": "retree.forests",
    "from_dict": "retree.trees.interchange.document",
    "from_json": "retree.trees.interchange.document",
    "k_distributions": "retree.clustering",
    "k_means": "retree.clustering",
    "k_modes": "retree.clustering",
    "k_prototypes": "retree.clustering",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import an estimator, or a function, from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module 'retree' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    """Return the names of this module, including those not imported yet."""
    return sorted({*globals(), *_HOMES})
