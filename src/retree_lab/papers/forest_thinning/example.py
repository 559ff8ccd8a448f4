"""Example 1: what each row contributes at a node and at its leaf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.errors import RetreeError
from retree.forests.thinning import node_contributions
from retree_lab.reports.context import Context
from retree_lab.reports.formatting import decimal

Shares = tuple[float, ...]


def contributions(
    context: Context,
    *,
    trees: int,
    node: Shares,
    leaves: tuple[Shares, ...],
    labels: tuple[int, ...],
    ends: tuple[int, ...],
    forest: Shares,
    pruned: Shares,
    used: Shares,
) -> pd.DataFrame:
    """Return for each row its contribution at the node and at its leaf, and F after pruning.

    `node` and `leaves` are class shares, and `used` those at the node that the published results
    `pruned` follow from. `labels` are the classes of the rows and `ends` the leaves that they end
    in, both from 1; `forest` is the share of class 1 that the forest gives each row.

    Returns columns ``row``, ``label``, ``forest``, ``case`` (as in eq. 5: whether node and forest
    are right), ``at_node``, ``leaf_case``, ``at_leaf``, and the shares of class 1 after pruning:
    ``pruned`` by the node's shares, ``pruned_used`` by those that the paper used, and
    ``pruned_printed``.
    """
    _check(context, leaves, labels, ends)
    m, top, below = float(trees), np.array(node), np.array(leaves)
    rows: list[dict[str, Any]] = []
    for i, (label, end, share, published) in enumerate(
        zip(labels, ends, forest, pruned, strict=True)
    ):
        p, leaf = np.array([share, 1 - share]), below[end - 1]
        at = node_contributions([top, leaf], [p, p], [label - 1, label - 1], m)
        rows.append({
            **{"row": f"x{i}", "label": label, "forest": share},
            **{"case": _case(top, p, label - 1), "at_node": at[0]},
            **{"leaf_case": _case(leaf, p, label - 1), "at_leaf": at[1]},
            "pruned": share + (top[0] - leaf[0]) / m,
            "pruned_used": share + (used[0] - leaf[0]) / m,
            "pruned_printed": published,
        })  # fmt: skip
    table = pd.DataFrame(rows)
    table.attrs["notes"] = _notes(table, node, used)
    return table


def _check(
    context: Context, leaves: Sequence[Shares], labels: Sequence[int], ends: Sequence[int]
) -> None:
    """Refuse rows that end in no leaf, or not as many ends as labels."""
    if len(labels) != len(ends) or not {*ends} <= {*range(1, len(leaves) + 1)}:
        raise RetreeError(
            f"{context.item.name} needs an end for each label, from 1 to {len(leaves)}."
        )


def _notes(table: pd.DataFrame, node: Shares, used: Shares) -> list[str]:
    at_node, at_leaf = (float(table[name].sum()) for name in ("at_node", "at_leaf"))
    sums = [decimal(value, 4, sign=True) for value in (at_node, at_leaf, at_leaf - at_node)]
    verb = "keeps" if at_leaf >= at_node else "prunes"
    other = table.loc[~np.isclose(table["pruned_used"], table["pruned_printed"]), "row"]
    first, second = (", ".join(map(str, shares)) for shares in (node, used))
    return [
        "The case says whether the node, and then the forest, is right (t) or not (f), eq. "
        "(5); the contributions are those of eqs. (6) to (9).",
        f"They sum up to {sums[0]} at v and {sums[1]} at its leaves, so ConGain(v, F) = {sums[2]} "
        f"(eq. 4): FTCG with delta 0 {verb} what is below v.",
        f"F' is the forest's share of class 1 after pruning at v: by the shares ({first}) that the "
        f"paper states for v, by the shares ({second}) that its results follow from, and as "
        f"printed. The one printed for {' and '.join(other)} does not follow from either.",
    ]


def _case(node: NDArray[np.float64], forest: NDArray[np.float64], label: int) -> str:
    return "".join("t" if shares.argmax() == label else "f" for shares in (node, forest))
