"""What `import retree` offers, for type checkers; at run time names are imported on first use."""

from retree.forests.classifiers import AdaBoostM1Classifier as AdaBoostM1Classifier
from retree.forests.classifiers import BaggingTreesClassifier as BaggingTreesClassifier
from retree.forests.epic import EPICSelector as EPICSelector
from retree.forests.fitted import FittedForestClassifier as FittedForestClassifier
from retree.forests.pipeline import ThinnedForestClassifier as ThinnedForestClassifier
from retree.forests.real_adaboost import RealAdaBoostClassifier as RealAdaBoostClassifier
from retree.forests.thinning import AccuracyThinner as AccuracyThinner
from retree.forests.thinning import ForestThinner as ForestThinner
from retree.forests.weka_forests import MultiBoostClassifier as MultiBoostClassifier
from retree.forests.weka_forests import RandomSubspaceClassifier as RandomSubspaceClassifier
from retree.forests.weka_forests import WekaRandomForestClassifier as WekaRandomForestClassifier
from retree.relief import ReliefF as ReliefF
from retree.trees.c45.c45_trees import C45Classifier as C45Classifier
from retree.trees.c45.c45_trees import ID3Classifier as ID3Classifier
from retree.trees.c45.rules.classifier import C45RulesClassifier as C45RulesClassifier
from retree.trees.cart.estimators import CartClassifier as CartClassifier
from retree.trees.cart.estimators import CartRegressor as CartRegressor
from retree.trees.cart.estimators import CodedCartClassifier as CodedCartClassifier
from retree.trees.cmdt.cmdt import CMDTClassifier as CMDTClassifier
from retree.trees.interchange.document import from_dict as from_dict
from retree.trees.interchange.document import from_json as from_json
from retree.trees.interchange.onnx_models import to_onnx as to_onnx
from retree.trees.interchange.shap_values import shap_values as shap_values
from retree.trees.latent.latent_trees import GlobalSVDTreeClassifier as GlobalSVDTreeClassifier
from retree.trees.latent.latent_trees import LatentSpaceTreeClassifier as LatentSpaceTreeClassifier
from retree.trees.latent.latent_trees import LocalSVDTreeClassifier as LocalSVDTreeClassifier
from retree.trees.latent.transforms import IndependentComponents as IndependentComponents
from retree.trees.latent.transforms import SVDRotation as SVDRotation
from retree.trees.oblique.oblique_trees import CartLCClassifier as CartLCClassifier
from retree.trees.oblique.oblique_trees import OC1Classifier as OC1Classifier
from retree.trees.structure.structure_trees import SegmentC45Classifier as SegmentC45Classifier
from retree.trees.structure.structure_trees import SPCEClassifier as SPCEClassifier
from retree.trees.structure.structure_trees import SPESClassifier as SPESClassifier
from retree.trees.structure.structure_trees import (
    StructurePurityClassifier as StructurePurityClassifier,
)
from retree.trees.weka.decision_stump import DecisionStumpClassifier as DecisionStumpClassifier
from retree.trees.weka.one_r import OneRClassifier as OneRClassifier
from retree.trees.weka.seeded_trees import REPTreeClassifier as REPTreeClassifier
from retree.trees.weka.seeded_trees import WekaRandomTreeClassifier as WekaRandomTreeClassifier

__version__: str
__all__: list[str]
_HOMES: dict[str, str]
