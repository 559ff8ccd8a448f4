"""Trees of other packages behind one face: what each cannot take is encoded on the training rows.

Categorical columns become one 0/1 column per level, missing categories a level of their own, and
missing numbers the median, unless a class says otherwise.
"""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from retree import OC1Classifier


def imported(package):
    """Return `package`, or say how to get it."""
    try:
        return import_module(package)
    except ImportError as error:
        raise ImportError(f"{package} is missing: pip install 'retree[peers]'") from error


def leaf_count(node, children):
    """Return the number of leaves below `node`; ``children(node)`` is empty at a leaf."""
    return sum(leaf_count(child, children) for child in children(node)) or 1


def columns_as(categories, numbers):
    """Return a transformer of the categorical and of the numeric columns."""
    categorical = make_column_selector(dtype_include="category")
    numeric = make_column_selector(dtype_include="number")
    return ColumnTransformer([("levels", categories, categorical), ("numbers", numbers, numeric)])


class Peer(ClassifierMixin, BaseEstimator):
    """An estimator behind an encoder that is fitted on the training rows."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def make(self):
        """Return the estimator."""
        raise NotImplementedError

    def encoder(self):
        """Return the encoder."""
        levels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        return columns_as(levels, SimpleImputer(strategy="median"))

    def fit(self, X, y):
        self.encoder_ = self.encoder()
        encoded = self.encoder_.fit_transform(pd.DataFrame(X))
        # obliquetree takes the numbers of classes, in arrays that it may write to.
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model_ = self.make().fit(encoded, codes)
        return self

    def predict(self, X):
        return self.classes_[self.model_.predict(self.encoder_.transform(pd.DataFrame(X)))]

    def predict_proba(self, X):
        return self.model_.predict_proba(self.encoder_.transform(pd.DataFrame(X)))

    def get_n_leaves(self):
        return self.model_.get_n_leaves()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags


class OC1(Peer):
    """retree's OC1, which takes numbers only."""

    def make(self):
        return OC1Classifier(random_state=self.random_state)


class SklearnTree(Peer):
    """scikit-learn's tree, which takes missing numbers."""

    def make(self):
        return DecisionTreeClassifier(random_state=self.random_state)

    def encoder(self):
        levels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        return columns_as(levels, "passthrough")


class SklearnForest(SklearnTree):
    """scikit-learn's random forest."""

    def make(self):
        return RandomForestClassifier(random_state=self.random_state)

    def get_n_leaves(self):
        return sum(tree.get_n_leaves() for tree in self.model_.estimators_)


class C50(Peer):
    """c50py, which takes categories and missing values."""

    def make(self):
        return imported("c50py").C5Classifier(random_state=self.random_state)

    def encoder(self):
        return FunctionTransformer()

    def get_n_leaves(self):
        return leaf_count(self.model_.tree_, lambda node: node.children.values())


class ObliqueTree(Peer):
    """obliquetree, which takes the codes of levels, but none that the training rows lack."""

    def make(self):
        names = self.encoder_.get_feature_names_out()
        categories = [j for j, name in enumerate(names) if name.startswith("levels__")]
        return imported("obliquetree").Classifier(
            categories=categories, random_state=self.random_state
        )

    def encoder(self):
        coded = OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=np.nan
        )
        filled = make_pipeline(coded, SimpleImputer(strategy="most_frequent"))
        return columns_as(filled, SimpleImputer(strategy="median"))

    def get_n_leaves(self):
        def children(node):
            return [] if node["is_leaf"] else [node["left"], node["right"]]

        tree = imported("obliquetree.utils").export_tree(self.model_)["tree"]
        return leaf_count(tree, children)


class LightGBM(Peer):
    """One round of LightGBM without shrinkage; it takes categories and missing values."""

    def make(self):
        return imported("lightgbm").LGBMClassifier(
            n_estimators=1, learning_rate=1.0, n_jobs=1, verbose=-1, random_state=self.random_state
        )

    def get_n_leaves(self):
        trees = self.model_.booster_.dump_model()["tree_info"]
        return sum(tree["num_leaves"] for tree in trees)


class HSTree(Peer):
    """imodels' tree with hierarchical shrinkage, of at most 20 leaves."""

    def make(self):
        # Its default tree, which would take no seed.
        tree = DecisionTreeClassifier(max_leaf_nodes=20, random_state=self.random_state)
        return imported("imodels").HSTreeClassifier(estimator_=tree)

    def get_n_leaves(self):
        return self.model_.estimator_.get_n_leaves()


class FIGS(Peer):
    """imodels' sum of trees, of at most 12 tests."""

    def make(self):
        return imported("imodels").FIGSClassifier(random_state=self.random_state)

    def get_n_leaves(self):
        def children(node):
            return [child for child in (node.left, node.right) if child is not None]

        return sum(leaf_count(tree, children) for tree in self.model_.trees_)
