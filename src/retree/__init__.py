"""retree: decision-tree papers regenerated, and their algorithms as scikit-learn estimators."""

from retree.trees.c45.classifier import C45Classifier
from retree.trees.c45.id3 import ID3Classifier
from retree.trees.cart import CartClassifier, CartRegressor
from retree.trees.cmdt import CMDTClassifier
from retree.trees.latent.latent_trees import (
    GlobalSVDTreeClassifier,
    LatentSpaceTreeClassifier,
    LocalSVDTreeClassifier,
)
from retree.trees.oblique.cart_lc import CartLCClassifier
from retree.trees.oblique.oc1 import OC1Classifier
from retree.trees.structure.class_order import SegmentC45Classifier, SPCEClassifier, SPESClassifier
from retree.trees.structure.structure_purity import StructurePurityClassifier

__version__ = "0.1.0"

__all__ = [
    "C45Classifier",
    "CMDTClassifier",
    "CartClassifier",
    "CartLCClassifier",
    "CartRegressor",
    "GlobalSVDTreeClassifier",
    "ID3Classifier",
    "LatentSpaceTreeClassifier",
    "LocalSVDTreeClassifier",
    "OC1Classifier",
    "SPCEClassifier",
    "SPESClassifier",
    "SegmentC45Classifier",
    "StructurePurityClassifier",
]
