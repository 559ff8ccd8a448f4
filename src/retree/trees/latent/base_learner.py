"""The base learners of latent trees: they grow parts of a tree, which is pruned as a whole."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from retree.arithmetic import sum_of
from retree.trees.base import BaseTreeClassifier
from retree.trees.c45.c45_trees import C45Classifier
from retree.trees.latent.transforms import fold, project, unfold
from retree.trees.mixed import Sample
from retree.trees.parameters import WithLimits
from retree.trees.pruning.by_errors import prune_error_based
from retree.trees.pruning.fitting import check_pruning, grow_pruned
from retree.trees.tree import Tree

_SHARES = ("min_impurity_decrease", "min_weight_fraction_leaf")
_MOST_SUMS = 8  # per feature


class BaseLearner(NamedTuple):
    """A tree classifier that grows subtrees as if they were parts of one tree."""

    estimator: BaseTreeClassifier  # Of whose parameters those of growing count
    n_classes: int  # Classes of the whole tree; a subtree has a column of counts for each
    weight: float  # Weight of the rows of the whole tree

    def grow(self, sample: Sample, depth: int = 0, only_root: bool = False) -> Tree:
        """Grow the unpruned subtree of `sample`.

        For the minimum weight of a branch, C4.5 counts the classes of the whole tree. Other
        learners do not see classes that `sample` lacks.
        """
        levels = self._levels_left(depth, only_root)
        counts = np.bincount(sample.y, sample.weight, self.n_classes).astype(np.float64)
        is_pure = np.count_nonzero(counts) < 2
        if levels == 0 or is_pure or (sample.X[0] == sample.X).all():
            return Tree.leaf(sample.X.shape[1], counts)
        # CART takes these as shares of the weight that it grows on.
        params = self.estimator.get_params(deep=False)
        share = sum_of(sample.weight) / self.weight
        shares = {n: params[n] / share for n in _SHARES if params.get(n)}
        if (
            shares.get("min_weight_fraction_leaf", 0) > 0.5
        ):  # no test leaves enough to both children
            return Tree.leaf(sample.X.shape[1], counts)
        tree = self._grown(copy(self.estimator).set_params(max_depth=levels, **shares), sample)
        if not tree.has_thresholds_only:
            raise ValueError(
                f"{type(self.estimator).__name__} tests several features at once; use an "
                "estimator that compares single features with thresholds, such as C45Classifier()."
            )
        return tree

    def _levels_left(self, depth: int, only_root: bool) -> int | None:
        """Return the maximum depth of the subtree, None for any depth."""
        max_depth = self.estimator.get_params(deep=False)["max_depth"]
        if max_depth is None:
            return 1 if only_root else None
        left = max(0, max_depth - depth)
        return min(1, left) if only_root else left

    def _grown(self, model: BaseTreeClassifier, sample: Sample) -> Tree:
        """Return the tree that `model` grows, with counts for the classes of the whole tree."""
        classes, codes = np.unique(sample.y, return_inverse=True)
        model.adopt(classes, [None] * sample.X.shape[1], self.n_classes)
        part = model.in_rows(model.exact(sample._replace(y=codes.astype(np.int32))))
        tree = model.grow(part, model.draw_seed(model.generator()))
        counts = np.zeros((tree.node_count, self.n_classes))
        counts[:, classes] = tree.counts
        return replace(tree, counts=counts)


def checked_learner(estimator: Any) -> BaseTreeClassifier:
    """Return a checked clone of `estimator`, or C4.5 for None."""
    if estimator is None:
        return C45Classifier()
    given: dict[str, Any] = {}
    if isinstance(estimator, BaseTreeClassifier):
        given = estimator.get_params(deep=False)
    # Of a family that grows its tree in one piece parts cannot be grown.
    if "max_depth" not in given or estimator.contract.keeps_draws:
        raise TypeError(
            "estimator must be a tree classifier of retree with a max_depth that grows part by "
            f"part, such as C45Classifier() or CartClassifier(), got {estimator!r}."
        )
    for name in ("class_weight", "smoothing"):
        if given.get(name) is not None:
            raise ValueError(f"Set {name} on the latent tree itself, not on its estimator.")
    nominal = given.get("categorical_features")
    if not (nominal is None or (isinstance(nominal, str) and nominal == "from_dtype")):
        raise ValueError(
            "Latent features are numbers: do not set categorical_features on the estimator."
        )
    return clone(estimator)


def grow_and_prune(
    learner: BaseTreeClassifier,
    grow: Callable[[BaseLearner, Sample], Tree],
    sample: Sample,
    n_classes: int,
) -> Tree:
    """Return the tree that `grow` makes of `sample`, pruned as the learner prunes its own trees."""
    if (sample.weight != 1).any() and not has_fit_parameter(learner, "sample_weight"):
        name = type(learner).__name__
        raise ValueError(f"{name} takes no sample weights; leave sample_weight out.")

    def grow_whole(part: Sample) -> Tree:
        base = BaseLearner(_without_limits(learner.counted(part)), n_classes, sum_of(part.weight))
        return learner.trimmed(grow(base, part))

    pruning, params = learner.pruning, learner.all_pruning_params()
    if pruning == "ebp":
        options = check_pruning(pruning, params) | {
            "collapses": bool(getattr(learner, "collapse", False))
        }
        return _prune_error_based(grow_whole(sample), sample, options)
    rng = getattr(learner, "random_state", None)
    return grow_pruned(grow_whole, sample, pruning, params, rng)


def _without_limits(learner: BaseTreeClassifier) -> BaseTreeClassifier:
    """Return a copy of the learner without the limits that look at the whole tree."""
    params: dict[str, Any] = {}
    if learner.max_leaf_nodes is not None:
        params["max_leaf_nodes"] = None
    if isinstance(learner, WithLimits):
        params["min_impurity_decrease"] = 0.0
    return clone(learner).set_params(**params)


def _prune_error_based(tree: Tree, sample: Sample, options: dict[str, Any]) -> Tree:
    """Return the tree after error-based pruning, which tests each row many times.

    So the weighted sums of oblique tests are computed beforehand, unless there are too many.
    """
    if not tree.has_thresholds_only:
        unfolded, directions = unfold(tree)
        if len(directions) <= _MOST_SUMS * tree.n_features:
            sums = project(sample.X, directions)
            pruned = prune_error_based(unfolded, sums, sample.y, sample.weight, **options)
            return fold(pruned, directions)
    return prune_error_based(tree, *sample[:3], **options)
