"""Contributions of a node worked out row by row (kind ``contribution_example``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.forests.contribution import node_contributions
from retree.reports.files import csv_text, folder, item_title, write
from retree.reports.markup import bullets, markdown_table, tex_table

_DIGITS = 4


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.md`` and ``.tex``.

    The item has the number of ``trees``, the class shares ``node`` of a node and ``leaves`` of the
    leaves below it, and for each row its class (``labels``, from 1), the number of the leaf that it
    ends in (``ends``, from 1), the share of class 1 that the ``forest`` gives it, and the one that
    is printed after pruning (``pruned``), which is by the class shares ``used`` at the node.
    """
    table = contributions(item)
    base, caption = folder(experiment) / item.name, item.caption
    header, rows = _grid(table)
    notes = _notes(item, table)
    return [
        write(base.with_suffix(".csv"), csv_text(table)),
        write(base.with_suffix(".md"), _markdown(experiment, item, header, rows, notes)),
        write(
            base.with_suffix(".tex"), tex_table(header, rows, caption, f"tab:{item.name}", notes)
        ),
    ]


def contributions(item: Item) -> pd.DataFrame:
    """Return for each row its contribution at the node and at its leaf, and F after pruning.

    Returns
    -------
    DataFrame
        Columns ``row``, ``label``, ``forest``, ``case`` (as in eq. 5: whether node and forest are
        right), ``at_node``, ``leaf_case``, ``at_leaf``, and the shares of class 1 after pruning:
        ``pruned`` by the node's shares, ``pruned_used`` by those that the print used, and
        ``pruned_printed``.
    """
    o, m = item.options, float(item.options["trees"])
    node = np.array(o["node"], dtype=np.float64)
    leaves = np.array(o["leaves"], dtype=np.float64)
    rows: list[dict[str, Any]] = []
    for i, (label, end, share) in enumerate(zip(o["labels"], o["ends"], o["forest"], strict=True)):
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
                "pruned_used": share + (o["used"][0] - leaf[0]) / m,
                "pruned_printed": o["pruned"][i],
            }
        )
    return pd.DataFrame(rows)


def _case(node: NDArray[np.float64], forest: NDArray[np.float64], label: int) -> str:
    return "".join("t" if shares.argmax() == label else "f" for shares in (node, forest))


def _grid(table: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    header = ["row", "class", "p of class 1", "case at v", "Con at v", "case at the leaf"]
    header += ["Con at the leaf", "F' by v's shares", "F' by the shares used", "F' printed"]
    rows = []
    for row in table.to_dict("records"):
        right = np.isclose(row["pruned_used"], row["pruned_printed"])
        rows.append(
            [
                str(row["row"]),
                str(row["label"]),
                f"{row['forest']:.2f}",
                str(row["case"]),
                _number(row["at_node"]),
                str(row["leaf_case"]),
                _number(row["at_leaf"]),
                f"{row['pruned']:.2f}",
                f"{row['pruned_used']:.2f}",
                f"{row['pruned_printed']:.2f} {'✓' if right else '✗'}",
            ]
        )
    sums = [_number(float(table[name].sum())) for name in ("at_node", "at_leaf")]
    return header, [*rows, ["**sum**", "", "", "", sums[0], "", sums[1], "", "", ""]]


def _number(value: float) -> str:
    return f"{value:+.{_DIGITS}f}".replace("-", "−")


def _notes(item: Item, table: pd.DataFrame) -> list[str]:
    gain = float(table["at_leaf"].sum() - table["at_node"].sum())
    verb = "keeps" if gain >= 0 else "prunes"
    used, node = (", ".join(map(str, item.options[name])) for name in ("used", "node"))
    return [
        "The case says whether the node, and then the forest, is right (t) or not (f), eq. (5); "
        "the contributions are those of eqs. (6) to (9).",
        f"ConGain(v, F) = {_number(gain)} (eq. 4): FTCG with delta 0 {verb} what is below v.",
        f"F' is the forest's share of class 1 after pruning at v: by the shares ({node}) that the "
        f"paper states for v, by the shares ({used}) that its results follow from, and as printed.",
        *item.options.get("notes", ()),
    ]


def _markdown(
    experiment: Experiment, item: Item, header: list[str], rows: list[list[str]], notes: list[str]
) -> str:
    paper = experiment.paper
    return (
        f"# {item_title(item.name)}: {item.caption}\n\n"
        f"{paper.authors}: {paper.title}. {paper.reference}.\n\n"
        f"{markdown_table(header, rows)}\n{bullets(notes)}"
    )
