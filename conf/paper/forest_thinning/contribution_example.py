"""Contributions of a node worked out row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.forests.contribution import node_contributions
from retree.reports.columns import Column, page_table
from retree.reports.context import Context
from retree.reports.document import Bullets, Document, TableCell
from retree.reports.formatting import decimal
from retree.reports.kind import FrameKind

_COMPUTED = (
    "There are no folds: all is computed from the example's own numbers when this page is made, as "
    "`tests/reports/test_contribution_example.py::test_all_twenty_contributions` checks."
)


@dataclass(frozen=True, kw_only=True)
class ContributionExample(FrameKind):
    """What each row contributes at a node and at the leaf that it ends in."""

    trees: int
    node: tuple[float, ...]  # Class shares of the node
    leaves: tuple[tuple[float, ...], ...]  # Class shares of the leaves below it
    labels: tuple[int, ...]  # The class of each row, and the leaf that it ends in, both from 1
    ends: tuple[int, ...]
    # The share of class 1 that the forest gives each row, and the one published after pruning.
    forest: tuple[float, ...]
    pruned: tuple[float, ...]
    used: tuple[float, ...]  # The class shares at the node that `pruned` follows from
    notes: tuple[str, ...] = ()  # Sentences below the table

    def compare(self, context: Context) -> pd.DataFrame:
        """Return for each row its contribution at the node and at its leaf, and F after pruning.

        Returns columns ``row``, ``label``, ``forest``, ``case`` (as in eq. 5: whether node and
        forest are right), ``at_node``, ``leaf_case``, ``at_leaf``, and the shares of class 1 after
        pruning: ``pruned`` by the node's shares, ``pruned_used`` by those that the paper used, and
        ``pruned_printed``.
        """
        m, node, leaves = float(self.trees), np.array(self.node), np.array(self.leaves)
        rows: list[dict[str, Any]] = []
        for i, (label, end, share) in enumerate(
            zip(self.labels, self.ends, self.forest, strict=True)
        ):
            p, leaf = np.array([share, 1 - share]), leaves[end - 1]
            at = node_contributions([node, leaf], [p, p], [label - 1, label - 1], m)
            rows.append(
                {
                    "row": f"x{i}",
                    "label": label,
                    "forest": share,
                    "case": _case(node, p, label - 1),
                    "at_node": at[0],
                    "leaf_case": _case(leaf, p, label - 1),
                    "at_leaf": at[1],
                    "pruned": share + (node[0] - leaf[0]) / m,
                    "pruned_used": share + (self.used[0] - leaf[0]) / m,
                    "pruned_printed": self.pruned[i],
                }
            )
        return pd.DataFrame(rows)

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return the table, and what it says."""
        node, leaf = (_number(float(rows[name].sum())) for name in ("at_node", "at_leaf"))
        head, rest = TableCell("sum", strong=True), ("", "", "", node, "", leaf, "", "", "")
        table = page_table(_COLUMNS, rows.itertuples(), [[head, *rest]])
        return Document([_COMPUTED], [table, Bullets(self._notes(rows))])

    def _notes(self, table: pd.DataFrame) -> list[str]:
        gain = float(table["at_leaf"].sum() - table["at_node"].sum())
        verb = "keeps" if gain >= 0 else "prunes"
        used, node = (", ".join(map(str, shares)) for shares in (self.used, self.node))
        return [
            "The case says whether the node, and then the forest, is right (t) or not (f), eq. "
            "(5); the contributions are those of eqs. (6) to (9).",
            f"ConGain(v, F) = {_number(gain)} (eq. 4): FTCG with delta 0 {verb} what is below v.",
            f"F' is the forest's share of class 1 after pruning at v: by the shares ({node}) that "
            f"the paper states for v, by the shares ({used}) that its results follow from, and as "
            "printed.",
            *self.notes,
        ]


def _case(node: NDArray[np.float64], forest: NDArray[np.float64], label: int) -> str:
    return "".join("t" if shares.argmax() == label else "f" for shares in (node, forest))


def _number(value: float) -> str:
    return decimal(value, 4, sign=True)


def _published(row: Any) -> str:
    right = np.isclose(row.pruned_used, row.pruned_printed)
    return f"{row.pruned_printed:.2f} {'✓' if right else '✗'}"


_SHARE = "{:.2f}".format
_COLUMNS = [
    Column("row", "row"),
    Column("class", "label"),
    Column("p of class 1", "forest", _SHARE),
    Column("case at v", "case"),
    Column("Con at v", "at_node", _number),
    Column("case at the leaf", "leaf_case"),
    Column("Con at the leaf", "at_leaf", _number),
    Column("F' by v's shares", "pruned", _SHARE),
    Column("F' by the shares used", "pruned_used", _SHARE),
    Column("F' published", _published),
]
