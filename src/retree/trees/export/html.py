"""Trees as HTML pages whose nodes open and close; no server is needed."""

from __future__ import annotations

import json
from functools import partial
from html import escape
from importlib.resources import files
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from retree.trees.export.describe import (
    Names,
    Words,
    format_number,
    format_rows,
    standard_deviation,
)
from retree.trees.tree import CENTRES, OBLIQUE, Levels, Tree

_DECIMALS = 4
_COLOURS = 10
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
_FRAME = "width: 100%; height: 32rem; border: 0"


class HtmlTree:
    """A tree as an HTML page, which a notebook shows in a frame.

    `page`: the complete page, which loads nothing from elsewhere.
    """

    def __init__(self, page: str) -> None:
        self.page = page

    def __str__(self) -> str:
        return self.page

    def _repr_html_(self) -> str:
        """Return the page in a frame, so that its styles and the notebook's do not mix."""
        return (
            f'<iframe title="Decision tree" style="{_FRAME}" sandbox="allow-scripts allow-forms" '
            f'srcdoc="{escape(self.page)}"></iframe>'
        )

    def write(self, path: str | PathLike[str]) -> None:
        """Write the page to a file."""
        Path(path).write_text(self.page, encoding="utf-8")


def export_html(
    tree: Tree,
    feature_names: Names,
    class_names: Names | None = None,
    *,
    levels: Levels | None = None,
    divide_missing: bool = False,
    open_depth: int = 2,
    title: str = "Decision tree",
) -> HtmlTree:
    """Return a tree as one HTML page.

    Nodes open and close by mouse and keyboard. The page shows the path and the training rows of the
    selected node. It also finds the path of a row whose values are typed in, unless the tree tests
    for the nearest centre.

    `levels`: names of the levels of each categorical feature; by default their numbers.
    `divide_missing`: whether a row whose tested value is missing takes all branches, divided into
    parts, or only the heaviest branch.
    """
    check_scalar(open_depth, "open_depth", Integral, min_val=0)
    number = partial(format_number, decimals=_DECIMALS)
    words = Words(tree, feature_names, class_names, levels, number)
    nodes = [_node(words, node) for node in range(tree.node_count)]
    data = json.dumps({"nodes": nodes, "divides": divide_missing}).replace("<", "\\u003c")
    style, script = (_part(name) for name in ("tree.css", "tree.js"))
    held_out = f" ({words.held_out()} for pruning)" if tree.held_out else ""
    name = escape(title)
    return HtmlTree(
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<h1>{name}</h1>\n"
        f"<p>{tree.n_leaves} leaves, depth {tree.max_depth}, "
        f"{escape(words.rows(float(tree.weight[0])))}{escape(held_out)}.</p>\n"
        '<p><button type="button" id="open">Open all</button>'
        '<button type="button" id="close">Close all</button></p>\n'
        f'<main>\n<ul id="tree">{_items(words, open_depth)}</ul>\n'
        '<aside>\n<h2>Node</h2>\n<div id="info" aria-live="polite"></div>\n'
        f"{_form(words)}</aside>\n</main>\n"
        f'<script type="application/json" id="data">{data}</script>\n'
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _part(name: str) -> str:
    """Return the text of a file that the page is built from."""
    return (files("retree.trees.export") / "page" / name).read_text(encoding="utf-8")


def _node(words: Words, node: int) -> dict[str, Any]:
    """Return the data that the page needs about a node."""
    tree, tests = words.tree, words.tree.tests
    j, threshold, subset = int(tree.feature[node]), float(tree.threshold[node]), tests.subset[node]
    normal = None
    if j == OBLIQUE:
        normal = [[int(k), float(tests.normals[node][k])] for k in tests.normals[node].nonzero()[0]]
    weight = float(tree.weight[node])
    return {
        "parent": int(tree.parents[node]),
        "prediction": words.prediction(node),
        "rows": words.rows(weight),
        "table": _table(words, node),
        "weight": weight,
        "sent": float(tree.sent[node]),
        "known": float(tree.known[node]),
        "children": tree.children_of(node).tolist(),
        "feature": j,
        "threshold": None if np.isnan(threshold) else threshold,
        "sides": tests.left_levels.levels(int(subset)) if subset >= 0 else None,
        "normal": normal,
        "missing": tree.is_for_missing(node, len(tree.children_of(node)) - 1),
    }


def _table(words: Words, node: int) -> list[list[str]]:
    """Return the training rows of each class in a node, or the mean and spread of its targets."""
    tree = words.tree
    if tree.moments is not None:
        deviation = standard_deviation(tree, node)
        return [] if deviation is None else [["standard deviation", words.number(deviation)]]
    weight, rows = float(tree.weight[node]) or 1.0, []
    for code, count in enumerate(tree.counts[node].tolist()):
        share = format_number(100 * count / weight, 1)
        rows.append([words.class_name(code), f"{format_rows(count)} ({share} %)"])
    return rows


def _items(words: Words, open_depth: int) -> str:
    """Return all nodes as nested lists."""
    tree, items = words.tree, []
    pending: list[int | str] = [0]  # nodes, and what closes them
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            items.append(node)
            continue
        if tree.is_leaf[node]:
            head = f'<div class="leaf" tabindex="0" id="n{node}">{_label(words, node)}</div>'
            items.append(f"<li>{head}</li>")
            continue
        is_open = " open" if tree.depths[node] < open_depth else ""
        head = f'<summary id="n{node}">{_label(words, node)}</summary>'
        items.append(f"<li><details{is_open}>{head}<ul>")
        pending.append("</ul></details></li>")
        pending += tree.children_of(node)[::-1].tolist()
    return "".join(items)


def _label(words: Words, node: int) -> str:
    """Return the line of a node in the list."""
    tree = words.tree
    step = words.step(node)
    step = f'<span class="step">{escape(step)}</span>: ' if step else ""
    name = escape(words.prediction(node))
    rows = f'<span class="rows">{escape(words.rows(float(tree.weight[node])))}</span>'
    kind = ' class="class"' if tree.is_leaf[node] else ""
    return f"{step}<span{kind}>{name}</span>{rows}{_bar(words, node)}"


def _bar(words: Words, node: int) -> str:
    """Return the class shares of a node as a coloured bar."""
    if words.tree.moments is not None:
        return ""
    segments = "".join(
        f'<i style="width:{100 * share:.2f}%;background:var(--c{code % _COLOURS})"></i>'
        for code, share in enumerate(words.tree.value[node].tolist())
        if share > 0
    )
    return f'<span class="bar" aria-hidden="true">{segments}</span>'


def _form(words: Words) -> str:
    """Return the input fields for a row, one per feature that the tree tests."""
    tree = words.tree
    if (tree.feature == CENTRES).any() or tree.node_count == 1:
        return ""
    tested = set(tree.feature[tree.feature >= 0].tolist())
    tested |= set(np.flatnonzero((tree.tests.normals != 0).any(axis=0)).tolist())
    fields = "".join(_field(words, j) for j in sorted(tested))
    return (
        f'<h2>Path of a row</h2>\n<form id="row">{fields}'
        '<p><button>Find</button><button type="reset">Clear</button></p>'
        '<p class="said" id="said" role="status"></p></form>\n'
    )


def _field(words: Words, j: int) -> str:
    """Return the input field of one feature; an empty field means a missing value."""
    name, tree = escape(words.feature(j)), words.tree
    at = tree.feature == j
    if not (at & np.isnan(tree.threshold)).any():
        return (
            f'<label>{name} <input data-feature="{j}" type="number" step="any" '
            'placeholder="missing"></label>'
        )
    levels = None if words.levels is None else words.levels[j]
    n_levels = len(levels) if levels is not None else _n_levels(tree, j)
    options = "".join(
        f'<option value="{k}">{escape(words.level(j, k))}</option>' for k in range(n_levels)
    )
    return (
        f'<label>{name} <select data-feature="{j}"><option value="">missing</option>{options}'
        "</select></label>"
    )


def _n_levels(tree: Tree, j: int) -> int:
    """Return the number of levels of a feature that the tree tests."""
    nodes = np.flatnonzero((tree.feature == j) & np.isnan(tree.threshold))
    multiway = [
        len(children := tree.children_of(n)) - tree.is_for_missing(n, len(children) - 1)
        for n in nodes.tolist()
        if tree.tests.subset[n] < 0
    ]
    return max([*multiway, tree.tests.left_levels.n_levels])
