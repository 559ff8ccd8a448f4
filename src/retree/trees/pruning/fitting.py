"""Growing and pruning, for every estimator with a `pruning` parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state, check_scalar

from retree.arithmetic import sum_of
from retree.trees.mixed import Sample
from retree.trees.pruning.by_errors import (
    ORDERS,
    is_regression,
    prune_error_based,
    prune_pessimistic,
    prune_reduced_error,
)
from retree.trees.pruning.cost_complexity import (
    Grow,
    checked_risk,
    choose_alpha,
    choose_alpha_held_out,
    hold_out,
    prune_cost_complexity,
)
from retree.trees.pruning.limits import CRITERIA, check_share, stop_early
from retree.trees.tree import Tree
from retree.trees.validation import (
    Check,
    check_choice,
    check_confidence,
    check_flag,
    check_weight,
    one_of,
    too_large,
    whole,
)


def _check_share(name: str, value: Any) -> None:
    """Raise unless `value` is a number in (0, 1)."""
    check_weight(name, value)
    check_scalar(value, name, Real, min_val=0, max_val=1, include_boundaries="neither")


# The parameters of each pruning with their defaults and checks; that of a risk knows the target.
_PARAMETERS: dict[str, dict[str, tuple[Any, Check]]] = {
    "cost_complexity": {
        "alpha": (None, check_weight),
        "risk": (None, lambda name, value: None),
        "standard_errors": (0.0, check_weight),
        "folds": (None, whole(2)),
        "validation_fraction": (None, _check_share),
    },
    "ebp": {"confidence": (0.25, check_confidence), "subtree_raising": (True, check_flag)},
    "pessimistic": {"z": (1.0, check_weight), "order": ("top_down", one_of(*ORDERS))},
    "reduced_error": {"fraction": (1 / 3, _check_share)},
    "stopping": {
        "min_gain": (0.0, check_weight),
        "max_class_share": (1.0, check_share),
        "min_rows": (0.0, check_weight),
        "criterion": ("entropy", one_of(*CRITERIA)),
    },
}
DEFAULTS = {
    pruning: {name: default for name, (default, _) in params.items()}
    for pruning, params in _PARAMETERS.items()
}
PRUNINGS = tuple(DEFAULTS)

_FOLDS = 10
_OF_CLASSES = ("ebp", "pessimistic", "stopping")


def grow_pruned(
    grow: Grow,
    sample: Sample,
    pruning: str | None,
    params: Mapping[str, Any] | None = None,
    random_state: int | RandomState | None = None,
    *,
    divide_missing: bool = False,
    sorted_by: NDArray[np.int32] | None = None,
    collapses: bool = False,
) -> Tree:
    """Grow a tree and prune it.

    `grow`: grows the unpruned tree of a sample; even if the sample lacks a class, the tree must
    have a column of counts for it.
    `pruning`: None returns the tree as grown. "ebp", "pessimistic" and "stopping" are for
    classification only.
    `params`: the parameters of the pruning, with defaults in brackets. "cost_complexity"
    (`cost_complexity_path`) takes `risk` (None) and one of three ways to set alpha: `alpha` (None)
    itself; `folds` (10) of a cross-validation, see `choose_alpha`; or `validation_fraction` (None),
    the share in (0, 1) of rows that are held out, stratified, see `choose_alpha_held_out`. With
    held-out rows, the tree is grown on the other rows and alpha is taken from its own path, not as
    the mean of two neighbours. A chosen alpha may have an error up to `standard_errors` (0) above
    the lowest. "ebp" (`prune_error_based`) takes `confidence` (0.25) and `subtree_raising` (True).
    "pessimistic" (`prune_pessimistic`) takes `z` (1) and `order` ("top_down"). "reduced_error"
    (`prune_reduced_error`) takes `fraction` (1/3, as J48 with -R and 3 folds), the share in (0, 1)
    of rows that are held out for pruning, stratified; the tree is grown on the other rows and keeps
    their counts. "stopping" (`stop_early`) takes `min_gain` (0), `max_class_share` (1), `min_rows`
    (0) and `criterion` ("entropy").
    `divide_missing`: whether the family predicts rows without the tested value from all branches
    (C4.5), instead of the heaviest one; see `held_out_losses`.
    `sorted_by`, `collapses`: see `prune_error_based`.
    """
    options = check_pruning(pruning, params, regression=is_regression(sample))
    if pruning is None:
        return grow(sample)
    if pruning == "pessimistic":
        return prune_pessimistic(grow(sample), **options)
    if pruning == "stopping":
        return stop_early(grow(sample), **options)
    if pruning == "ebp":
        how = {**options, "sorted_by": sorted_by, "collapses": collapses}
        return prune_error_based(grow(sample), *sample[:3], **how)
    rng = check_random_state(random_state)
    if pruning == "cost_complexity":
        return _cost_complexity(grow, sample, options, rng, divide_missing)
    held_out = hold_out(sample, options["fraction"], rng)
    tree = _grow_without(held_out, grow, sample)
    return prune_reduced_error(tree, *sample.take(held_out)[:3], divide_missing=divide_missing)


def draws_rows(pruning: str | None, params: Mapping[str, Any] | None) -> bool:
    """Return whether a pruning draws rows to hold out."""
    if pruning == "cost_complexity":
        return (params or {}).get("alpha") is None
    return pruning == "reduced_error"


def check_pruning(
    pruning: str | None, params: Mapping[str, Any] | None = None, *, regression: bool = False
) -> dict[str, Any]:
    """Return all parameters of a pruning, including the defaults of those not given."""
    given = dict(params or {})
    if pruning is None:
        if given:
            raise ValueError(f"Without pruning there are no pruning params; remove {given}.")
        return {}
    if pruning not in PRUNINGS:
        valid = ", ".join(repr(name) for name in (*PRUNINGS, None))
        raise ValueError(f"Invalid pruning {pruning!r}. Valid ones are {valid}.")
    if regression and pruning in _OF_CLASSES:
        raise ValueError(
            f"Pruning {pruning!r} counts classes, so it is for classification only; "
            "a regression has 'cost_complexity' and 'reduced_error'."
        )
    for name, value in given.items():
        check_choice(f"param of pruning {pruning!r}", name, DEFAULTS[pruning])
        if name == "risk":
            checked_risk(value, regression)
        elif value is not None or DEFAULTS[pruning][name] is not None:
            with too_large(name):
                _PARAMETERS[pruning][name][1](name, value)
    _check_one_choice_of_alpha(given)
    return DEFAULTS[pruning] | given


def _check_one_choice_of_alpha(given: Mapping[str, Any]) -> None:
    """Raise if alpha is both given and chosen, or chosen in two ways."""
    ways = [n for n in ("alpha", "validation_fraction", "folds") if given.get(n) is not None]
    if len(ways) > 1:
        raise ValueError(f"Give only one of alpha, validation_fraction and folds, not {ways}.")
    if ways == ["alpha"] and given.get("standard_errors"):
        raise ValueError("standard_errors are only used to choose alpha; leave out one of the two.")


def _cost_complexity(
    grow: Grow, sample: Sample, options: dict[str, Any], rng: RandomState, divide_missing: bool
) -> Tree:
    """Return the tree pruned at the given or chosen alpha."""
    risk, choice = options["risk"], {k: options[k] for k in ("risk", "standard_errors")}
    choice["divide_missing"] = divide_missing
    if options["validation_fraction"] is not None:
        held_out = hold_out(sample, options["validation_fraction"], rng)
        tree = _grow_without(held_out, grow, sample)
        alpha = choose_alpha_held_out(tree, sample.take(held_out), **choice).alpha
    else:
        tree, alpha = grow(sample), options["alpha"]
        if alpha is None:
            folds = _FOLDS if options["folds"] is None else options["folds"]
            choice |= {"tree": tree, "folds": folds, "random_state": rng}
            alpha = choose_alpha(grow, sample, **choice).alpha
    return prune_cost_complexity(tree, alpha, risk)


def _grow_without(held_out: NDArray[np.bool_], grow: Grow, sample: Sample) -> Tree:
    """Grow a tree on the rows that are not held out, and record the weight of the others in it."""
    return replace(grow(sample.take(~held_out)), held_out=sum_of(sample.weight[held_out]))
