"""Comparisons as HTML tables: one per metric, data sets by methods, coloured by verdict."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from retree.reports.comparison import Comparison
from retree.reports.formatting import cell_text
from retree.statistics import Verdict

STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}"
    "img{max-width:100%}table{border-collapse:collapse;font-size:13px;display:block;overflow:auto}"
    "th,td{padding:.15rem .5rem;text-align:right;white-space:nowrap;border-bottom:1px solid #ddd}"
    "th:first-child{text-align:left}.agrees{background:#e3f3e6}.differs{background:#fbe6e3}"
)
_CLASSES = {Verdict.AGREES: "agrees", Verdict.WEAK: "agrees", Verdict.DIFFERS: "differs"}


def comparison_tables(comparisons: Sequence[Comparison]) -> str:
    """Return one table for each metric that the paper publishes; "" if it publishes none."""
    published = [c for c in comparisons if not math.isnan(c.published)]
    return "".join(
        _table(metric, [c for c in published if c.metric == metric])
        for metric in dict.fromkeys(c.metric for c in published)
    )


def _table(metric: str, comparisons: Sequence[Comparison]) -> str:
    datasets = dict.fromkeys(c.dataset for c in comparisons)
    methods = dict.fromkeys(c.method for c in comparisons)
    cells = {(c.dataset, c.method): c for c in comparisons}
    head = "".join(f"<th>{html.escape(method)}</th>" for method in methods)
    rows = "".join(
        f"<tr><th>{html.escape(dataset)}</th>"
        + "".join(_cell(cells.get((dataset, method))) for method in methods)
        + "</tr>\n"
        for dataset in datasets
    )
    caption = f"{metric}: reproduced (published)"
    return (
        f"<table><caption>{html.escape(caption)}</caption>\n<tr><th></th>{head}</tr>\n"
        f"{rows}</table>\n"
    )


def _cell(comparison: Comparison | None) -> str:
    if comparison is None:
        return "<td></td>"
    verdict = Verdict(comparison.verdict) if comparison.verdict else None
    colour = f' class="{_CLASSES[verdict]}"' if verdict in _CLASSES else ""
    return f"<td{colour}>{html.escape(cell_text(comparison))}</td>"
