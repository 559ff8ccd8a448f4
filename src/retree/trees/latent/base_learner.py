"""The tree classifiers that latent trees are made of: grown here and there, pruned as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_scalar
from sklearn.utils.validation import has_fit_parameter

from retree.arithmetic import sum_of
from retree.trees.base import BaseTreeClassifier
from retree.trees.c45.classifier import C45Classifier
from retree.trees.decreases import ENTROPY
from retree.trees.latent.folding import fold, project, unfold
from retree.trees.mixed import Sample
from retree.trees.numeric import NumericTreeClassifier
from retree.trees.pruning.error_based import collapse, prune_error_based
from retree.trees.pruning.fitting import check_pruning, grow_pruned
from retree.trees.pruning.limits import limited
from retree.trees.tree import LEAF, Tree
from retree.trees.validation import least_number

_UNPRUNED = {"pruning": None, "pruning_params": None}
_MOST_SUMS = 8  # per feature


class BaseLearner(NamedTuple):
    """A tree classifier that grows subtrees as if they were parts of one tree."""

    estimator: BaseTreeClassifier  # Of whose parameters those of growing count
    n_classes: int  # Classes of the whole tree; a subtree has a column of counts for each
    weight: float  # Weight of the rows of the whole tree

    def grow(self, sample: Sample, depth: int = 0, only_root: bool = False) -> Tree:
        """Return the unpruned subtree of `sample`.

        C4.5 counts the classes of the whole tree for the least weight of a branch. Other learners
        do not see classes that `sample` lacks.
        """
        max_depth = self._levels_left(depth, only_root)
        counts = np.bincount(sample.y, sample.weight, self.n_classes).astype(np.float64)
        is_pure = np.count_nonzero(counts) < 2
        if max_depth == 0 or is_pure or (sample.X[0] == sample.X).all():
            return leaf(counts, sample.X.shape[1])
        if isinstance(self.estimator, C45Classifier):
            tree = self.estimator.grow_part(sample, self.n_classes, max_depth)
        else:
            tree = self._fit(sample, max_depth)
        if not tree.has_thresholds_only:
            raise ValueError(
                f"{type(self.estimator).__name__} has tests of more than one feature; take an "
                "estimator that compares single ones with thresholds, such as C45Classifier()."
            )
        return tree

    def _levels_left(self, depth: int, only_root: bool) -> int | None:
        """Return how deep the subtree may be, None for any depth."""
        max_depth = self.estimator.get_params(deep=False)["max_depth"]
        if max_depth is None:
            return 1 if only_root else None
        left = max(0, check_scalar(max_depth, "max_depth", Integral, min_val=1) - depth)
        return min(1, left) if only_root else left

    def _fit(self, sample: Sample, max_depth: int | None) -> Tree:
        """Return the tree of a clone of the estimator, with the classes of the whole tree."""
        given = self.estimator.get_params(deep=False)
        params = {name: value for name, value in _UNPRUNED.items() if name in given}
        # The estimator takes these as shares of the weight that it is fitted on.
        share = sum_of(sample.weight) / self.weight
        if given.get("min_impurity_decrease"):
            params["min_impurity_decrease"] = given["min_impurity_decrease"] / share
        if given.get("min_weight_fraction_leaf"):
            fraction = given["min_weight_fraction_leaf"] / share
            if fraction > 0.5:  # no test leaves enough to both children
                weights = np.bincount(sample.y, sample.weight, self.n_classes)
                return leaf(weights.astype(np.float64), sample.X.shape[1])
            params["min_weight_fraction_leaf"] = fraction
        model = clone(self.estimator).set_params(max_depth=max_depth, **params)
        model._scales_weights = False
        model.fit(sample.X, sample.y, **self._weights(sample))
        counts = np.zeros((model.tree_.node_count, self.n_classes))
        counts[:, model.classes_] = model.tree_.counts
        return replace(model.tree_, counts=counts)

    def _weights(self, sample: Sample) -> dict[str, NDArray[np.float64]]:
        """Return the weights as an argument of `fit`; nothing if all are 1."""
        if (sample.weight == 1).all():
            return {}
        if not has_fit_parameter(self.estimator, "sample_weight"):
            name = type(self.estimator).__name__
            raise ValueError(f"{name} takes no sample weights; leave sample_weight out.")
        return {"sample_weight": sample.weight}


def checked_learner(estimator: Any) -> BaseTreeClassifier:
    """Return a clone of `estimator`, C4.5 for None."""
    if estimator is None:
        return C45Classifier()
    given: dict[str, Any] = {}
    if isinstance(estimator, BaseTreeClassifier):
        given = estimator.get_params(deep=False)
    if "max_depth" not in given:
        raise TypeError(
            "estimator must be a tree classifier of retree with a max_depth, such as "
            f"C45Classifier(), got {estimator!r}."
        )
    _refuse_own(given)
    nominal = given.get("categorical_features")
    if not (nominal is None or (isinstance(nominal, str) and nominal == "from_dtype")):
        raise ValueError(
            "Latent features are numbers; leave categorical_features of the estimator out."
        )
    return clone(estimator)


def _refuse_own(given: Mapping[str, Any]) -> None:
    """Raise if parameters of a base learner ask for what the whole tree has of its own."""
    for name in ("class_weight", "smoothing"):
        if given.get(name) is not None:
            raise ValueError(f"Set {name} on the latent tree itself, not on its estimator.")


def grow_and_prune(
    estimator: BaseTreeClassifier,
    grow: Callable[[BaseLearner, Sample], Tree],
    sample: Sample,
    n_classes: int,
) -> Tree:
    """Return the tree that `grow` makes of `sample`, pruned as the estimator prunes its own."""
    given = estimator.get_params(deep=False)
    pruning, params = given.get("pruning"), given.get("pruning_params")
    collapses, least_decrease = False, 0.0
    if isinstance(estimator, C45Classifier):
        least_decrease = estimator.min_impurity_decrease
        params, collapses = estimator.all_pruning_params(), estimator.collapses

    def grow_whole(part: Sample) -> Tree:
        weight = sum_of(part.weight)
        learner = _without_limits(estimator, len(part.y), weight)
        return grow(BaseLearner(learner, n_classes, weight), part)

    most = given.get("max_leaf_nodes")
    grow_to_limits = limited(grow_whole, given.get("criterion", ENTROPY), most, least_decrease)

    def grow_part(part: Sample) -> Tree:
        tree = grow_to_limits(part)
        return collapse(tree) if collapses else tree

    if pruning == "ebp":
        options = check_pruning(pruning, params)
        return _prune_error_based(grow_part(sample), sample, options)
    return grow_pruned(grow_part, sample, pruning, params, given.get("random_state"))


def _without_limits(
    estimator: BaseTreeClassifier, n_rows: int, weight: float
) -> BaseTreeClassifier:
    """Return the estimator without the limits that look at the whole tree.

    What is a fraction of its rows becomes a number: the estimator sees a part of them.
    """
    given = estimator.get_params(deep=False)
    params: dict[str, Any] = (
        {"max_leaf_nodes": None} if given.get("max_leaf_nodes") is not None else {}
    )
    if isinstance(estimator, C45Classifier) and estimator.min_impurity_decrease:
        params["min_impurity_decrease"] = 0.0
    # Trees of numbers count weights as rows.
    rows = weight if isinstance(estimator, NumericTreeClassifier) else n_rows
    for name, total, least in (
        ("min_cases", weight, 1),
        ("min_samples_leaf", rows, 1),
        ("min_samples_split", rows, 2),
    ):
        if isinstance(given.get(name), float):
            params[name] = least_number(name, given[name], total, least)
    return clone(estimator).set_params(**params) if params else estimator


def _prune_error_based(tree: Tree, sample: Sample, options: dict[str, Any]) -> Tree:
    """Return the tree after error-based pruning, which tests each row many times.

    So the sums of oblique tests are added up beforehand, unless there are too many of them.
    """
    if not tree.has_thresholds_only:
        unfolded, directions = unfold(tree)
        if len(directions) <= _MOST_SUMS * tree.n_features:
            sums = project(sample.X, directions)
            pruned = prune_error_based(unfolded, sums, sample.y, sample.weight, **options)
            return fold(pruned, directions)
    return prune_error_based(tree, *sample[:3], **options)


def leaf(counts: NDArray[np.float64], n_features: int) -> Tree:
    """Return the tree that is one leaf with class weights `counts`."""
    return Tree.from_parents(
        np.array([-1]),
        n_features=n_features,
        feature=np.array([LEAF], np.int32),
        threshold=np.array([np.nan]),
        counts=counts[None, :],
    )
