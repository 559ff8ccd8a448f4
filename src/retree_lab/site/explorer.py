"""The explorer: all published numbers and claims, to be filtered, sorted and followed."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from retree import __version__
from retree_lab.provenance import provenance
from retree_lab.reports.claims import COLUMNS as ANSWERS
from retree_lab.reports.comparison import Word, claim_word, words_of
from retree_lab.reports.document import slug
from retree_lab.reports.files import csv_text, item_title
from retree_lab.reports.formatting import MARKS, SECOND_HAND, VERDICTS
from retree_lab.reports.html import element, link, text
from retree_lab.reports.register import (
    COLUMNS,
    FOLDER,
    RULES,
    data_package,
    json_text,
    paper_record,
)
from retree_lab.site.blocks import raw_markdown
from retree_lab.site.links import load_methods, method_page
from retree_lab.site.rendered_papers import PaperFiles
from retree_lab.statistics import JUDGED
from retree_lab.statistics.metrics import ACCURACIES, MetricKind, find_metric, headline
from retree_lab.study.folders import named_on_pages

PAGE, DATA = "explorer", "explorer_data.js"
# The columns of the register that the browser makes of others.
_MADE = ("command", "page", "version")
_CLAIMS = ("paper", *ANSWERS, "place", "text", "check", "directed", "held", "replicates")
_LEAD = (
    "Every published number beside ours, largest differences first, and every claim. The page "
    "opens with one paper. Click a mark or a row for its folds, its parameters and the command "
    "that prints it. The address of this page keeps your filters, so you can share it."
)
# The grid is Tabulator 6.5.3 (MIT), files of the package tabulator-tables at registry.npmjs.org as
# they are, whose hashes a test knows: the site works without a network and is built without Node.
_STYLES = ("tabulator/tabulator_simple.min.css", "explorer.css")
_SCRIPTS = (
    *("tabulator/tabulator.min.js", "explorer_rows.js", "explorer_picture.js"),
    "explorer.js",
)


def write_explorer(
    papers: Sequence[PaperFiles], comparisons: pd.DataFrame, register: pd.DataFrame, source: Path
) -> list[str]:
    """Write the register, the papers' records, the explorer and its data; return its page's name.

    Nothing is written where there is nothing to explore.
    """
    data = explorer_data(papers, register)
    if not data["numbers"]["rows"] and not data["claims"]["rows"]:
        return []
    files = source / "extra" / "files"
    write_register(register, files / FOLDER)
    for paper in papers:
        record = paper_record(paper.paper, paper.folder, comparisons)
        (files / FOLDER / f"{paper.name}.json").write_text(json_text(record))
    content = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # A browser reads no JSON from a file, but a script.
    script = f"window.retreeExplorer={content};\n"
    (files / DATA).write_text(script)
    (source / f"{PAGE}.md").write_text(_page())
    return [PAGE]


def write_register(register: pd.DataFrame, folder: Path) -> None:
    """Write the register as a whole, by paper, and what its columns are, into a new folder."""
    folder.mkdir()
    (folder / "register.csv").write_text(csv_text(register, quoted=False))
    for name, rows in register.groupby("paper", sort=False):
        (folder / f"{name}.csv").write_text(csv_text(rows))
    (folder / "datapackage.json").write_text(data_package(register, provenance()["commit"]))


def _page() -> str:
    files = f"files/{FOLDER}"
    whole = link(f"{files}/register.csv", "register.csv")
    package = link(f"{files}/datapackage.json", "datapackage.json")
    parts = [
        *(f'<link rel="stylesheet" href="_static/{path}">' for path in _STYLES),
        element("p", text(_LEAD)),
        element("p", text(" ".join(f"{word.capitalize()}: {word.meaning}." for word in Word))),
        element(
            "p",
            f"{whole} has all numbers, and each paper has a file of its own; {package} lists the "
            "files and explains each column.",
        ),
        element("div", element("noscript", "The explorer needs JavaScript."), id="rt-explorer"),
        element("script", src=f"files/{DATA}"),
        *(element("script", src=f"_static/{path}") for path in _SCRIPTS),
    ]
    return f"---\nhide-toc: true\n---\n\n# Explorer\n\n{raw_markdown(''.join(parts))}"


def explorer_data(papers: Sequence[PaperFiles], register: pd.DataFrame) -> dict[str, Any]:
    """Return the data of the explorer for JSON.

    Returns ``numbers`` and ``claims``, each with ``columns`` and ``rows``; of the columns in
    ``words`` a row has the index of a word. The rest says what the words mean.

    `register`: as from `retree_lab.reports.register.read_register`.
    """
    columns = [name for name in COLUMNS if name not in _MADE]
    words = {
        name: list(dict.fromkeys(map(str, register[name])))
        for name in columns
        if COLUMNS[name][0] == "string"
    }
    words["paper"] = [files.name for files in papers]
    index = {name: {word: i for i, word in enumerate(known)} for name, known in words.items()}
    entries = [
        [index[name][str(value)] for value in register[name]]
        if name in index
        else [_number(value) for value in register[name]]
        for name in columns
    ]
    words["word"] = [str(word) for word in Word]
    said = [words["word"].index(word) for word in words_of(register)]
    # 1 if a command shows its folds, 2 if a page does: with the parameters that were chosen.
    shown = register["command"].str.startswith("retree show ")
    folds = shown.astype(int) + (shown & register["params"].ne(""))
    return {
        "version": __version__,
        "csv": list(COLUMNS),
        "words": words,
        "numbers": {
            "columns": [*columns, "folds", "word"],
            "rows": [list(row) for row in zip(*entries, folds, said, strict=True)],
        },
        "claims": {
            "columns": list(_CLAIMS),
            "rows": [claim for files in papers for claim in _claims(files)],
        },
        "papers": {files.name: _about(files) for files in papers},
        "items": {name: item_title(name) for name in words["item"]},
        "learners": {key: _learner(key) for key in words["method_key"] if key},
        "metrics": {name: _metric(name) for name in words["metric"]},
        "slugs": {name: slug(name) for name in (*words["dataset"], *words["method"])},
        "rules": RULES,
        "styles": {word: word.style for word in Word},
        "copied": MARKS[SECOND_HAND],
        "verdicts": {
            verdict: {"text": words, "judged": verdict in JUDGED}
            for verdict, words in VERDICTS.items()
        },
    }


def _about(files: PaperFiles) -> dict[str, Any]:
    return {
        **{"called": files.called, "home": files.home, "shown": list(named_on_pages(files.name))},
        "not_judged": files.paper.not_judged,
        "datasets": dict(files.datasets),
    }


def _learner(key: str) -> str:
    """Return the name of the page of a method; interpretations share one."""
    page = method_page(key)
    methods = load_methods()
    return key if page is None else methods[Path(page).stem].name


def _metric(name: str) -> dict[str, Any]:
    """Return how a metric is shown, and how many points one of it is; None if it is not a share."""
    metric = find_metric(name)
    is_points = metric.kind == MetricKind.SHARE and headline(name) == ACCURACIES
    points = 100 / abs(metric.scale) if is_points else None
    of_cells = bool(metric.column) and name != "optimism"
    return {
        **{"label": metric.label, "decimals": metric.decimals},
        **{"points": points, "show": of_cells},
    }


def _number(value: float) -> float | int | None:
    """Return a number of the register for JSON, None if there is none."""
    if math.isnan(value) or math.isinf(value):
        return None
    return int(value) if float(value).is_integer() else float(value)


def _claims(files: PaperFiles) -> list[list[str]]:
    """Return the paper's own claims as rows."""
    if files.claims is None:
        return []
    own = files.claims[files.claims["ours"] == ""]
    answers = {name: own[name].map(claim_word) for name in ANSWERS}
    own = own.assign(paper=files.name, **answers)
    return [[str(row[name]) for name in _CLAIMS] for row in own.to_dict("records")]
