"""The explorer: all published numbers and claims, to be filtered, sorted and followed."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from retree.reports.document import Text
from retree.reports.files import item_title
from retree.reports.formatting import SIGNS, VERDICTS
from retree.reports.headlines import published_numbers
from retree.reports.html_elements import element, text
from retree.reports.references import ToFolds, slug
from retree.site.blocks import raw_markdown
from retree.site.rendered_papers import PaperFiles
from retree.statistics import AGREEING, JUDGED
from retree.statistics.metrics import ACCURACIES, MetricKind, find_metric, headline
from retree.study.folders import named_on_pages

PAGE, DATA = "explorer", "explorer_data.js"
# What rows have as an index into a list of words, since it is the same in many of them.
_WORDS = ("paper", "item", "dataset", "method", "metric", "verdict", "params")
_NUMBERS = ("published", "reproduced", "low", "high", "steps", "n_folds", "n_replicates")
_CLAIMS = ("paper", "published", "here", "place", "text", "check", "held", "replicates")
_LEAD = (
    "Every published number beside ours, and every claim of the papers. Choose what to see, and "
    "click a mark or a row for its folds, its parameters and the command that shows it. The "
    "address of this page keeps your choice."
)
Row = Mapping[Hashable, Any]


def write_explorer(
    papers: Sequence[PaperFiles], comparisons: pd.DataFrame, source: Path
) -> list[str]:
    """Write the explorer's page and data, and return its name; nothing of nothing to explore."""
    data = explorer_data(papers, comparisons)
    if not data["numbers"]["rows"] and not data["claims"]["rows"]:
        return []
    content = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # A browser reads no JSON from a file, but a script.
    script = f"window.retreeExplorer={content};\n"
    (source / "extra" / "files" / DATA).write_text(script)
    (source / f"{PAGE}.md").write_text(_page())
    return [PAGE]


def _page() -> str:
    scripts = (element("script", src=path) for path in (f"files/{DATA}", "_static/explorer.js"))
    parts = [
        element("p", text(_LEAD)),
        element("div", element("noscript", "The explorer needs JavaScript."), id="rt-explorer"),
        *scripts,
    ]
    return f"---\nhide-toc: true\n---\n\n# Explorer\n\n{raw_markdown(''.join(parts))}"


def explorer_data(papers: Sequence[PaperFiles], comparisons: pd.DataFrame) -> dict[str, Any]:
    """Return what the explorer shows, as JSON has it; arguments as of `write_explorer`.

    Returns ``numbers`` and ``claims``, each with ``columns`` and ``rows``; of the columns in
    ``words`` a row has the index of a word. The rest says what the words mean.
    """
    by_name = {files.name: files for files in papers}
    cells = published_numbers(comparisons)
    cells = cells[cells["paper"].isin(list(by_name))].sort_values("paper", kind="stable")
    claims = [claim for files in papers for claim in _claims(files)]
    words = {name: list(dict.fromkeys(map(str, cells[name]))) for name in _WORDS}
    words["paper"] = list(by_name)
    index = {name: {word: i for i, word in enumerate(known)} for name, known in words.items()}
    rows = [
        [
            *(index[name][str(row[name])] for name in _WORDS),
            *(_rounded(row[name]) for name in _NUMBERS),
            _has_folds(by_name[row["paper"]], row),
        ]
        for row in cells.to_dict("records")
    ]
    return {
        "words": words,
        "numbers": {"columns": [*_WORDS, *_NUMBERS, "folds"], "rows": rows},
        "claims": {"columns": list(_CLAIMS), "rows": claims},
        "papers": {files.name: _about(files) for files in papers},
        "items": {name: item_title(name) for name in words["item"]},
        "metrics": {name: _metric(name) for name in words["metric"]},
        "slugs": {name: slug(name) for name in (*words["dataset"], *words["method"])},
        "verdicts": {
            verdict: {
                "text": said,
                "sign": SIGNS[verdict],
                "agrees": verdict in AGREEING,
                "judged": verdict in JUDGED,
            }
            for verdict, said in VERDICTS.items()
        },
    }


def _about(files: PaperFiles) -> dict[str, Any]:
    return {
        **{"called": files.called, "home": files.home, "shown": list(named_on_pages(files.name))},
        "not_judged": files.paper.not_judged,
    }


def _metric(name: str) -> dict[str, Any]:
    """Return how a metric is shown, and how many points one of it is; None if it is no share."""
    metric = find_metric(name)
    is_points = metric.kind == MetricKind.SHARE and headline(name) == ACCURACIES
    points = 100 / abs(metric.scale) if is_points else None
    of_cells = bool(metric.column) and name != "optimism"
    return {
        **{"label": metric.label, "decimals": metric.decimals},
        **{"points": points, "show": of_cells},
    }


def _rounded(value: Any) -> float | int | None:
    """Return a number with seven significant digits, None if there is none."""
    number = float(value)
    if math.isnan(number) or math.isinf(number):
        return None
    short = float(f"{number:.7g}")
    return int(short) if short.is_integer() else short


def _has_folds(files: PaperFiles, row: Row) -> int:
    """Return 1 if the site shows the folds of a number, else 0."""
    to = ToFolds(*(str(row[name]) for name in ("item", "dataset", "method", "params")))
    page = files.rendered.folds.get(to.dataset)
    blocks = () if page is None else page.blocks
    places = {p.place for block in blocks if isinstance(block, Text) for p in block.places}
    return int(to.place in places)


def _claims(files: PaperFiles) -> list[list[str]]:
    """Return the paper's own claims as rows."""
    if files.claims is None:
        return []
    own = files.claims[files.claims["ours"] == ""]
    own = own.assign(paper=files.name)
    return [[str(row[name]) for name in _CLAIMS] for row in own.to_dict("records")]
