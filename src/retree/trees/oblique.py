"""What the trees with oblique tests share: parameters of growing, their checks, and the tree."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state, check_scalar

from retree.trees.base import BaseTreeClassifier
from retree.trees.kernels.columns import ROW_BITS, presort
from retree.trees.kernels.oblique_cloud import AS_IS, Data
from retree.trees.kernels.oblique_goodness import (
    ENTROPY,
    GINI,
    MAX_MINORITY,
    SUM_MINORITY,
    TWOING,
    make_table,
)
from retree.trees.kernels.oblique_grow import grow
from retree.trees.kernels.oblique_node import Rule
from retree.trees.mixed import Sample
from retree.trees.pruning.fitting import grow_pruned
from retree.trees.tree import Tree
from retree.trees.validation import check_choice, check_weight

CRITERIA = {
    "twoing": TWOING,
    "gini": GINI,
    "entropy": ENTROPY,
    "sum_minority": SUM_MINORITY,
    "max_minority": MAX_MINORITY,
}
_NO_LIMIT = 2**62


class BaseObliqueClassifier(BaseTreeClassifier):
    """Parameters that the families share, and fitting by the rule that each of them has."""

    criterion: str
    normalise: bool
    min_rows_per_feature: float
    min_samples_split: int
    max_depth: int | None
    pruning: str | None
    pruning_params: Mapping[str, Any] | None
    random_state: int | RandomState | None

    def _grown(self, X: ArrayLike, y: ArrayLike, rule: Rule) -> Tree:
        """Check the data; return the tree grown by `rule` and pruned."""
        X, codes = self._checked_training_data(X, y)
        sample = sorted_sample(X, codes)
        rng = check_random_state(self.random_state)
        seed, n_classes = np.uint64(rng.randint(2**31)), len(self.classes_)

        def grow_sample(sample: Sample) -> Tree:
            return grow_oblique(sample, n_classes, rule, seed)

        return grow_pruned(grow_sample, sample, self.pruning, self._pruning_params(), rng)

    def _pruning_params(self) -> Mapping[str, Any] | None:
        """Return the params of the pruning, those of OC1 if none are given."""
        if self.pruning == "cost_complexity" and self.pruning_params is None:
            return {"validation_fraction": 0.1}
        return self.pruning_params

    def _shared_rule(self, scaling: int, **search: Any) -> Rule:
        """Validate the shared parameters and return the rule of growing.

        Parameters
        ----------
        scaling : int
            How attributes are shifted and scaled if `normalise` is set.
        **search
            The other fields of the rule.
        """
        check_scalar(self.normalise, "normalise", (bool, np.bool_))
        check_choice("criterion", self.criterion, CRITERIA)
        check_weight("min_rows_per_feature", self.min_rows_per_feature)
        check_scalar(self.min_samples_split, "min_samples_split", Integral, min_val=2)
        if self.max_depth is not None:
            check_scalar(self.max_depth, "max_depth", Integral, min_val=1)
        return Rule(
            criterion=CRITERIA[self.criterion],
            max_depth=_NO_LIMIT if self.max_depth is None else int(self.max_depth),
            min_samples_split=int(self.min_samples_split),
            rows_per_feature=float(self.min_rows_per_feature),
            scaling=scaling if self.normalise else AS_IS,
            **search,
        )


def sorted_sample(X: NDArray[np.float64], codes: NDArray[np.int32]) -> Sample:
    """Return the rows sorted by their values and classes, so that their order does not matter.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    codes : ndarray of shape (n_samples,)
        Class codes.

    Returns
    -------
    Sample
        All weights are 1.
    """
    order = np.lexsort((codes, *X.T))
    return Sample(X[order], codes[order], np.ones(len(codes)))


def grow_oblique(sample: Sample, n_classes: int, rule: Rule, seed: np.uint64) -> Tree:
    """Return the unpruned tree of `sample`.

    Parameters
    ----------
    sample : Sample
        Finite numbers; the weights do not count.
    n_classes : int
    rule : Rule
    seed : uint64

    Returns
    -------
    Tree

    Raises
    ------
    ValueError
        If there are more rows than a column can hold.
    """
    X, y = sample.X, sample.y
    n_samples, n_features = X.shape
    class_bits = max(1, (n_classes - 1).bit_length())
    if n_samples << class_bits > 2**ROW_BITS:
        raise ValueError(f"{n_samples} rows of {n_classes} classes are more than a tree can hold.")
    entries = presort(X, y, np.arange(n_features, dtype=np.int32), class_bits)
    data = Data(X, y, entries, np.arange(n_samples, dtype=np.int32), n_classes, class_bits)
    table = make_table(n_samples, rule.criterion)
    return _tree(*grow(data, rule, table, seed))


def _tree(
    numbers: NDArray[np.int64], reals: NDArray[np.float64], normals: NDArray[np.float64]
) -> Tree:
    """Return the tree of the growing kernel's records, which stand in depth-first order."""
    parent, n_features = numbers[:, 0], normals.shape[1]
    n_children = np.bincount(parent[1:], minlength=len(parent))
    is_oblique = numbers[:, 2] >= 0
    all_normals = np.zeros((len(parent), n_features))
    all_normals[is_oblique] = normals
    return Tree(
        n_features=n_features,
        children_ptr=np.concatenate(([0], np.cumsum(n_children))).astype(np.int32),
        children=(1 + np.argsort(parent[1:], kind="stable")).astype(np.int32),
        feature=numbers[:, 1].astype(np.int32),
        threshold=reals[:, 0].copy(),
        counts=reals[:, 1:].copy(),
        normals=all_normals if is_oblique.any() else None,
    )
