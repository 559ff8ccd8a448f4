"""Holds a whole fitted tree against the reference of the structure_purity criteria."""

from collections.abc import Callable
from typing import Any

import numpy as np
from oracle_structure_purity import (
    Floats,
    Labels,
    Rule,
    acceptable,
    default_code_matrix,
    score_candidates,
    winner,
)


def check_tree(
    split_of: Callable[[int], tuple[int, float, int, int] | None],
    X: Floats,
    y: Labels,
    *,
    root: int = 0,
    max_depth: int | None = None,
    strict: bool = False,
    **params: Any,
) -> None:
    """Assert that every node of a fitted tree is what Algorithm 1 makes of its rows.

    Parameters
    ----------
    split_of : callable
        Maps a node to (feature, threshold, left, right), a leaf to None.
    X, y : arrays of shape (n, d) and (n,)
        The training rows; `y` holds any labels.
    root : int
        The node to start from.
    max_depth : int, optional
        Depth from which nodes are leaves; the root has depth 0.
    strict : bool
        Demand the oracle's own choice among ties, not just any of the tied splits.
    **params
        Fields of `Rule`; the code matrix defaults to that of the classes of the whole `y`.

    Raises
    ------
    AssertionError
        If a node is split or stopped wrongly.
    """
    classes, codes = np.unique(y, return_inverse=True)
    if params.get("code_matrix") is None:
        params["code_matrix"] = default_code_matrix(len(classes))
    rule = Rule(**params)
    pending = [(root, np.arange(len(y)), 0)]
    while pending:
        node, rows, depth = pending.pop()
        X_node, y_node = X[rows], codes[rows]
        found = split_of(node)
        stop = _reason_to_stop(y_node, depth, max_depth, rule)
        where = f"node {node} (depth {depth}, {len(rows)} rows)"
        if stop:
            assert found is None, f"{where} is split although {stop}."
            continue
        _check_choice(where, found, X_node, y_node, rule, strict)
        if found is not None:
            feature, threshold, left, right = found
            goes_left = X_node[:, feature] <= threshold
            pending += [(left, rows[goes_left], depth + 1), (right, rows[~goes_left], depth + 1)]


def _reason_to_stop(y: Labels, depth: int, max_depth: int | None, rule: Rule) -> str | None:
    if len(np.unique(y)) == 1:
        return "it is pure"
    if len(y) <= rule.min_samples_leaf:
        return f"it has no more than {rule.min_samples_leaf} rows"
    if max_depth is not None and depth >= max_depth:
        return f"the maximal depth is {max_depth}"
    return None


def _check_choice(
    where: str,
    found: tuple[int, float, int, int] | None,
    X: Floats,
    y: Labels,
    rule: Rule,
    strict: bool,
) -> None:
    scored = score_candidates(X, y, rule)
    best = winner(scored, rule)
    allowed = ([best] if best else []) if strict else acceptable(scored, rule)
    if found is None:
        right = not allowed or any(s.smallest_child < rule.min_samples_leaf for s in allowed)
        assert right, f"{where} is a leaf, but the oracle splits it: {best}."
        return
    chosen = next((s for s in scored if s.split == tuple(found[:2])), None)
    assert chosen, f"{where} is split at {found[:2]}, which is no candidate; oracle: {best}."
    assert chosen in allowed, f"{where} is split by {chosen}, the oracle's choice is {best}."
    big_enough = chosen.smallest_child >= rule.min_samples_leaf
    assert big_enough, f"{where} has too small a child after {chosen}: it should be a leaf."
