"""Example 1: what each row contributes at a node and at its leaf, and the tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.errors import RetreeError
from retree.experiments.definition.item import Item
from retree.forests.contribution import node_contributions
from retree.reports.columns import Column, page_table
from retree.reports.context import Context
from retree.reports.document import Bullets, Document, TableCell
from retree.reports.figures import new_figure
from retree.reports.formatting import decimal
from retree.reports.kind import FrameKind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COMPUTED = (
    "There are no folds: all is computed from the example's own numbers when this page is made, as "
    "`tests/reports/test_contribution_example.py::test_all_twenty_contributions` checks."
)
_BOX: dict[str, Any] = {"boxstyle": "round,pad=0.5", "facecolor": "white", "linewidth": 0.8}
_WORDS: dict[str, Any] = {"ha": "center", "va": "center", "linespacing": 1.4}


@dataclass(frozen=True, kw_only=True)
class ContributionExample(FrameKind):
    """What each row contributes at a node and at the leaf that it ends in, and their tree."""

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

    def check(self, item: Item) -> None:
        """Refuse rows that end in no leaf, or not as many ends as labels."""
        n_leaves = len(self.leaves)
        known = {*self.ends} <= {*range(1, n_leaves + 1)}
        if len(self.labels) != len(self.ends) or not known:
            raise RetreeError(f"{item.name} needs an end for each label, from 1 to {n_leaves}.")

    def compare(self, context: Context) -> pd.DataFrame:
        """Return for each row its contribution at the node and at its leaf, and F after pruning.

        Returns columns ``row``, ``label``, ``forest``, ``case`` (as in eq. 5: whether node and
        forest are right), ``at_node``, ``leaf_case``, ``at_leaf``, and the shares of class 1 after
        pruning: ``pruned`` by the node's shares, ``pruned_used`` by those that the paper used, and
        ``pruned_printed``.
        """
        m, node, leaves = float(self.trees), np.array(self.node), np.array(self.leaves)
        rows: list[dict[str, Any]] = []
        columns = zip(self.labels, self.ends, self.forest, self.pruned, strict=True)
        for i, (label, end, share, published) in enumerate(columns):
            p, leaf = np.array([share, 1 - share]), leaves[end - 1]
            at = node_contributions([node, leaf], [p, p], [label - 1, label - 1], m)
            rows.append({
                **{"row": f"x{i}", "label": label, "forest": share},
                **{"case": _case(node, p, label - 1), "at_node": at[0]},
                **{"leaf_case": _case(leaf, p, label - 1), "at_leaf": at[1]},
                "pruned": share + (node[0] - leaf[0]) / m,
                "pruned_used": share + (self.used[0] - leaf[0]) / m,
                "pruned_printed": published,
            })  # fmt: skip
        return pd.DataFrame(rows)

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return the table, and what it says."""
        node, leaf = (_number(float(rows[name].sum())) for name in ("at_node", "at_leaf"))
        head, rest = TableCell("sum", strong=True), ("", "", "", node, "", leaf, "", "", "")
        table = page_table(_COLUMNS, rows.itertuples(), [[head, *rest]])
        return Document([_COMPUTED], [table, Bullets(self._notes(rows))])

    def draw(self, context: Context, rows: pd.DataFrame) -> Iterator[tuple[str, Figure]]:
        """Yield the figure."""
        figure = new_figure(1.9)
        axes = figure.subplots()
        axes.set(xlim=(0, 1), ylim=(0, 1))
        axes.set_axis_off()
        top, *leaves = self.texts()
        for number, text in enumerate(leaves):
            x = (number + 0.5) / len(leaves)
            axes.plot([0.5, x], [0.78, 0.22], color="black", linewidth=0.8, zorder=1)
            axes.text(x, 0.22, text, bbox=_BOX, zorder=2, **_WORDS)
        axes.text(0.5, 0.78, top, bbox=_BOX, zorder=2, **_WORDS)
        yield "", figure

    def texts(self) -> list[str]:
        """Return what stands in the node, and in each leaf."""
        everything = range(len(self.labels))
        texts = [self._text("v", self.node, everything)]
        for number, shares in enumerate(self.leaves, 1):
            rows = [i for i in everything if self.ends[i] == number]
            texts.append(self._text(f"v{number}", shares, rows))
        return texts

    def _text(self, name: str, shares: Sequence[float], rows: Sequence[int]) -> str:
        """Return name, class shares and rows of a node, those of each class in a line."""
        lines = [f"{name}: {', '.join(f'{share:.2f}' for share in shares)}"]
        for label in sorted(set(self.labels)):
            own = [f"x{i}" for i in rows if self.labels[i] == label]
            if own:
                lines.append(f"class {label}: {' '.join(own)}")
        return "\n".join(lines)

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
