"""What OC1 and CART-LC share: parameters of growing, their checks, fitting, and the tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state, check_scalar

from retree.trees.class_weights import ClassWeight
from retree.trees.decreases import ENTROPY, GINI, TWOING
from retree.trees.mixed import Sample
from retree.trees.numeric import NumericTreeClassifier
from retree.trees.oblique.original import (
    ORIGINAL,
    SEARCHES,
    OriginalRule,
    grow_original,
    seeded_state,
)
from retree.trees.pruning.fitting import grow_pruned
from retree.trees.pruning.limits import check_limits, limited
from retree.trees.repeated_rows import repeated_rows
from retree.trees.tree import OBLIQUE, Tree
from retree.trees.validation import check_choice, check_weight, depth_limit

# Criteria and scalings by the numbers that the engine has for them (src/engine/oblique).
CRITERIA = {"twoing": 0, "gini": 1, "entropy": 2, "sum_minority": 3, "max_minority": 4}
AS_IS, BY_RANGE, BY_QUARTILES = range(3)

Nodes = tuple[NDArray[Any], ...]


class BaseObliqueClassifier(NumericTreeClassifier, ABC):
    """Parameters that the families share, and fitting by the search that each of them has."""

    criterion: str
    normalise: bool
    min_rows_per_feature: float
    min_samples_split: int
    max_depth: int | None
    pruning: str | None
    pruning_params: Mapping[str, Any] | None
    search: str
    random_state: int | RandomState | None
    max_leaf_nodes: int | None
    class_weight: ClassWeight

    _scaling: int  # how features are shifted and scaled if `normalise` is set

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> BaseObliqueClassifier:
        """Grow the tree, and prune it if `pruning` is set.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; NaN where missing, if `fill_missing` is set.
        y : array-like of shape (n_samples,)
            Class labels, of at least two classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How many rows each row counts for, 0 or more. Whole weights repeat the rows, of which
            pruning may then keep some aside. Others are added up; those of a mean below 1 are
            scaled to a mean of 1. Rows of weight 0 are left out. ``search="original"`` takes whole
            weights only.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        rule = self._checked_rule() | self._checked_search()
        original = self._original_rule() if self.search == ORIGINAL else None
        sample = self._in_rows(self._checked_sample(X, y, sample_weight), original is not None)
        rng = check_random_state(self.random_state)
        seed, n_classes = int(rng.randint(2**31)), len(self.classes_)

        def grow(sample: Sample) -> Tree:
            if original is not None:
                return _tree(*grow_original(sample, n_classes, original, seeded_state(seed)))
            return _tree(*self._grow_nodes(sample, n_classes, rule, seed))

        impurity = self.criterion if self.criterion in (ENTROPY, TWOING) else GINI
        limit = limited(grow, impurity, self.max_leaf_nodes)
        tree = grow_pruned(limit, sample, self.pruning, self._pruning_params(), rng)
        self.tree_ = self._smoothed(tree)
        return self

    def _in_rows(self, sample: Sample, is_original: bool) -> Sample:
        """Return the sample sorted, its rows repeated if their weights are whole.

        The program has no weights: it counts rows, and draws among the cuts of rows that tie.
        """
        is_whole = bool((sample.weight == np.floor(sample.weight)).all())
        if is_original and not is_whole:
            raise ValueError(
                'search="original" is that of a program which counts rows, so sample weights must '
                'be whole numbers: take search="as_written", or round the weights to multiples of '
                "a unit and divide by that."
            )
        return sorted_sample(repeated_rows(sample, self) if is_whole else sample)

    @abstractmethod
    def _checked_search(self) -> dict[str, int | float]:
        """Validate the parameters of the search and return them as the engine names them."""

    @abstractmethod
    def _grow_nodes(
        self, sample: Sample, n_classes: int, rule: Mapping[str, int | float], seed: int
    ) -> Nodes:
        """Return what the engine grows: the arguments of `_tree`."""

    @abstractmethod
    def _original_rule(self) -> OriginalRule:
        """Return what the OC1 program is asked for; check that it can do it."""

    def _rule_of_original(self, is_cart: bool = False, **search: int) -> OriginalRule:
        """Return what the OC1 program is asked for: the shared parameters and those of a search."""
        if self.criterion != "twoing" or self.max_depth is None:
            raise ValueError(
                'search="original" knows the twoing rule only and may not end without max_depth: '
                'set criterion="twoing" and a max_depth.'
            )
        return OriginalRule(
            shifts=bool(self.normalise),
            min_rows_per_feature=float(self.min_rows_per_feature),
            min_samples_split=int(self.min_samples_split),
            max_depth=int(self.max_depth),
            is_cart=is_cart,
            **{name: int(value) for name, value in search.items()},
        )

    def _pruning_params(self) -> Mapping[str, Any] | None:
        """Return the params of the pruning, those of OC1 if none are given."""
        if self.pruning == "cost_complexity" and self.pruning_params is None:
            return {"validation_fraction": 0.1}
        return self.pruning_params

    def _checked_rule(self) -> dict[str, int | float]:
        """Validate the shared parameters and return them as the engine names them."""
        check_scalar(self.normalise, "normalise", (bool, np.bool_))
        check_choice("criterion", self.criterion, CRITERIA)
        check_choice("search", self.search, SEARCHES)
        check_limits(self.max_leaf_nodes)
        check_weight("min_rows_per_feature", self.min_rows_per_feature)
        check_scalar(self.min_samples_split, "min_samples_split", Integral, min_val=2)
        return {
            "criterion": CRITERIA[self.criterion],
            "scaling": self._scaling if self.normalise else AS_IS,
            "min_rows_per_feature": float(self.min_rows_per_feature),
            "min_samples_split": int(self.min_samples_split),
            "max_depth": depth_limit(self.max_depth),
        }


def sorted_sample(sample: Sample) -> Sample:
    """Return the rows sorted by values, class and weight, so that their order does not matter."""
    return sample.take(np.lexsort((sample.weight, sample.y, *sample.X.T)))


def _tree(
    parent: NDArray[np.int32],
    feature: NDArray[np.int32],
    threshold: NDArray[np.float64],
    counts: NDArray[np.float64],
    normals: NDArray[np.float64],
) -> Tree:
    """Return the tree of the nodes that the engine grew, depth first.

    Shapes: `parent` (node_count,), `normals` (n_oblique, n_features).
    `normals`: coefficients of the oblique tests, in the order of their nodes.
    """
    is_oblique = feature == OBLIQUE
    all_normals = np.zeros((len(parent), normals.shape[1]))
    all_normals[is_oblique] = normals
    return Tree.from_parents(
        parent,
        n_features=normals.shape[1],
        feature=feature,
        threshold=threshold,
        counts=counts,
        normals=all_normals if is_oblique.any() else None,
    )
