"""An estimator with one value after the other of a parameter of its pruning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from retree.trees.base import BaseTree
from retree.trees.pruning.cost_complexity import cost_complexity_path, prune_cost_complexity
from retree.trees.pruning.fitting import DEFAULTS
from retree.trees.validation import check_choice

# The parameter that is chosen unless another is named, and what is tried of each.
_PARAMETERS = {
    "cost_complexity": "alpha",
    "ebp": "confidence",
    "pessimistic": "z",
    "reduced_error": "fraction",
    "stopping": "min_gain",
}
_VALUES: dict[str, Sequence[float]] = {
    "confidence": (0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.02, 0.01, 0.001),
    "z": (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0),
    "fraction": (0.1, 0.2, 0.25, 1 / 3, 0.4, 0.5),
    "min_gain": (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2),
    "max_class_share": (1.0, 0.99, 0.98, 0.95, 0.9, 0.85, 0.8, 0.7),
    "min_rows": (0.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0),
}
_WAYS_TO_ALPHA = ("folds", "validation_fraction", "standard_errors")


@dataclass(frozen=True, eq=False)
class VariedPruning:
    """An estimator, and the parameter of its pruning that varies."""

    estimator: Any
    pruning: str
    parameter: str
    seed: int  # The `random_state` of the estimator, if that has None

    @classmethod
    def of(
        cls, estimator: Any, pruning: str | None, parameter: str | None, rng: RandomState
    ) -> VariedPruning:
        """Return the pruning and the parameter that are named, or the usual ones for None."""
        params = estimator.get_params(deep=False)
        if not {"pruning", "pruning_params"} <= set(params):
            raise ValueError(
                f"{type(estimator).__name__} has no parameters pruning and pruning_params; "
                "give a tree that has them, such as C45Classifier."
            )
        pruning = params["pruning"] if pruning is None else pruning
        if pruning is None:
            raise ValueError("The estimator is not pruned; name a pruning, such as 'ebp'.")
        check_choice("pruning", pruning, _PARAMETERS)
        parameter = _PARAMETERS[pruning] if parameter is None else parameter
        numbers = {"alpha", *_VALUES} & set(DEFAULTS[pruning])
        check_choice(f"parameter of pruning {pruning!r}", parameter, sorted(numbers))
        return cls(estimator, pruning, parameter, int(rng.randint(2**31 - 1)))

    def with_value(self, value: float) -> Any:
        """Return the estimator with a value of the parameter, not fitted."""
        model = clone(self.estimator)
        own = model.get_params(deep=False)
        params = dict(own["pruning_params"] or {}) if own["pruning"] == self.pruning else {}
        if self.parameter == "alpha":
            params = {k: v for k, v in params.items() if k not in _WAYS_TO_ALPHA}
        changes: dict[str, Any] = {"pruning": self.pruning}
        if self.parameter in own:
            changes[self.parameter] = value
        else:
            params[self.parameter] = value
        if "random_state" in own and own["random_state"] is None:
            changes["random_state"] = self.seed
        return model.set_params(**changes, pruning_params=params or None)

    def tries(
        self, values: ArrayLike | None, X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], list[Any]]:
        """Return the values from the largest to the smallest tree, and the trees of all rows.

        Shapes: `values` (n_values,), result (n_values,).
        `values`: none is the usual ones; for "alpha" each tree of the path.
        Returns what is reported of each tree, and what it is judged at.
        """
        if values is not None:
            own = tries = np.atleast_1d(np.asarray(values, float))
        elif self.parameter != "alpha":
            own = tries = np.array(_VALUES[self.parameter])
        else:
            whole = self.with_value(0.0).fit(X, y, sample_weight)
            path = cost_complexity_path(whole.tree_, self._risk)
            own = path.alphas
            # Beyond twice the risk of the root no fold has anything but a root.
            last = 2 * path.risks[-1] + path.alphas[-1]
            tries = np.append(np.sqrt(own[:-1] * own[1:]), last)
        if not len(own):
            raise ValueError("values is empty; give at least one.")
        models = list(self.fits(own, X, y, sample_weight))
        n_leaves = np.array([model.get_n_leaves() for model in models], np.int64)
        order = np.argsort(-n_leaves, kind="stable")
        return own[order], tries[order], n_leaves[order], [models[k] for k in order]

    def fits(
        self, values: NDArray[np.float64], X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> Iterable[BaseTree]:
        """Yield the estimators with these values fitted to some rows."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if self.parameter != "alpha":
            for value in values:
                yield self.with_value(float(value)).fit(X, y, **weights)
            return
        # All subtrees are cut from one tree.
        whole = self.with_value(0.0).fit(X, y, **weights)
        tree = whole.tree_
        for value in values:
            model = copy(whole).set_params(**self.with_value(float(value)).get_params(deep=False))
            model.tree_ = prune_cost_complexity(tree, float(value), self._risk)
            yield model

    @property
    def _risk(self) -> Any:
        """The risk of cost-complexity pruning."""
        return (self.with_value(0.0).pruning_params or {}).get("risk")
