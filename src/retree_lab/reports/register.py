"""The register of every published number that has a verdict, and the record of a paper."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from retree import __version__
from retree.arithmetic import running_sum
from retree_lab.experiments.definition.definitions import Paper
from retree_lab.reports.agreement import (
    COUNTS,
    RIGHT_ROWS,
    count_headlines,
    headline_words,
    published_numbers,
    read_table,
)
from retree_lab.reports.claims.judging import Here, InPaper
from retree_lab.reports.comparison import NEAR_POINTS
from retree_lab.reports.published import SECOND_HAND, Published
from retree_lab.statistics import Verdict
from retree_lab.statistics.metrics import OPTIMISM, find_metric
from retree_lab.study.folders import named_on_pages

FOLDER = "register"
# The meaning of each column of the register, with its type as a data package names it.
COLUMNS = {
    "paper": ("string", "the paper's key, as typed in commands"),
    "item": ("string", "the table or figure, as typed in commands"),
    "dataset": ("string", "data set as published; MEAN: a mean over data sets"),
    "method": ("string", "method as published"),
    "metric": ("string", "what the number measures"),
    "published": ("number", "the published number"),
    "source": ("string", "second hand: the number was not copied from the paper itself"),
    "reproduced": ("number", "retree's number"),
    "low": ("number", "lower end of the 95 % interval of one replicate"),
    "high": ("number", "upper end of that interval"),
    "verdict": ("string", "the verdict; docs/guide/judging.md says what each means"),
    "rule": ("string", "the rule that gives the verdict"),
    "steps": (
        "number",
        "by the rule digit: distance to the published number, in test rows or nodes",
    ),
    "correct": ("number", "correctly classified test rows, where the paper's study counts them"),
    "rows": ("number", "all test rows, where the paper's study counts them"),
    "n_folds": ("number", "folds that the number is a mean of"),
    "n_replicates": ("number", "number of replicates behind the interval"),
    "params": ("string", "chosen parameters as JSON"),
    "dataset_key": ("string", "the data set as typed in commands, empty for several"),
    "method_key": ("string", "the method as typed in commands, empty if the row is no method"),
    "command": ("string", "the command that shows the number, or computes its table"),
    "page": ("string", "the page of the table or figure, from the root of the site"),
    "version": ("string", "version of retree that wrote the register"),
}
RULES = {
    "interval": "the 95 % prediction interval of one replicate",
    "digit": "equality with the last published digit",
    "tolerance": "the tolerance that the study declares",
    "folds": "the spread over the folds, or equality for a count",
    "misprint": "a known misprint",
    "none": "cannot be judged",
}
Row = Mapping[Hashable, Any]


def read_register(comparisons: pd.DataFrame, papers: Iterable[Paper]) -> pd.DataFrame:
    """Return the judged numbers of `papers`, in their order, with the columns `COLUMNS`.

    Numbers have ten significant digits; those that are not there are NaN, and texts are "".

    `comparisons`: as from `retree_lab.reports.agreement.read_comparisons`.
    """
    by_paper = [_of_paper(published_numbers(comparisons), paper) for paper in papers]
    filled = [rows for rows in by_paper if len(rows)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=list(COLUMNS))


def data_package(register: pd.DataFrame, commit: str | None) -> str:
    """Describe the csv files of the register, as a Frictionless data package."""
    fields = [
        {"name": name, "type": kind, "description": said} for name, (kind, said) in COLUMNS.items()
    ]
    counts = register.groupby("paper", sort=False).size()
    names = {"register": len(register), **{str(name): int(n) for name, n in counts.items()}}
    content = {
        "name": "retree-register",
        "title": "Published numbers of decision-tree papers, recomputed and judged",
        "version": __version__,
        "commit": commit,
        "licenses": [{"name": "BSD-3-Clause"}],
        "rules": RULES,
        "resources": [
            {
                "name": name,
                "path": f"{name}.csv",
                "rows": n,
                "schema": {"fields": fields, "missingValues": [""]},
            }
            for name, n in names.items()
        ],
    }
    return json_text(content)


def _of_paper(numbers: pd.DataFrame, paper: Paper) -> pd.DataFrame:
    of_paper, published = numbers[numbers["paper"] == paper.name], Published(paper)
    added = [_added(row, paper, published) for row in of_paper.to_dict("records")]
    rows = of_paper.assign(
        page=[f"papers/{paper.name}/{item}.html" for item in of_paper["item"]],
        version=__version__,
        **{name: [row[name] for row in added] for name in (added[0] if added else ())},
    )
    rows = rows.reindex(columns=list(COLUMNS))
    for name, (kind, _) in COLUMNS.items():
        if kind == "number":
            rows[name] = [_short(value) for value in rows[name]]
    return rows


def _added(row: Row, paper: Paper, published: Published) -> dict[str, Any]:
    """Return the columns that the register adds: source, rule, counts, keys and command."""
    name = str(row["item"])
    item = paper.items.get(name, {})
    datasets = {paper.names.get(d, d): d for d in item.get("datasets") or ()}
    used = {*(item.get("methods") or ())}
    methods = {label: key for key, label in paper.methods.get(name, {}).items() if key in used}
    keys = datasets.get(row["dataset"], ""), methods.get(row["method"], "")
    place = (str(row[column]) for column in ("dataset", "method", "metric"))
    theirs = published.find(str(item.get("published_in", name)), *place)
    return {
        "source": SECOND_HAND if theirs.second_hand else "",
        "rule": _rule(row, {**paper.how_published, **item}.get("tolerance") or {}),
        **{column: _total(row[column]) for column in RIGHT_ROWS},
        "dataset_key": keys[0],
        "method_key": keys[1],
        "command": shlex.join(_command(row, paper, keys)),
    }


def _rule(row: Row, declared: Mapping[str, Any]) -> str:
    """Return which of `RULES` gives a verdict, after `retree_lab.reports.verdicts.judge`."""
    if row["verdict"] in (Verdict.EXPLAINED, Verdict.MISSING):
        return "misprint" if row["verdict"] == Verdict.EXPLAINED else "none"
    if row["metric"] in declared:
        return "tolerance"
    if not math.isnan(row["steps"]) or row["verdict"] == Verdict.EQUAL:
        return "digit"
    return "folds" if math.isnan(row["low"]) else "interval"


def _command(row: Row, paper: Paper, keys: tuple[str, str]) -> list[str]:
    """Return the command that shows the folds of a number, or else renders its item."""
    named, item = named_on_pages(paper.name), str(row["item"])
    metric = find_metric(str(row["metric"]))
    if all(keys) and not math.isnan(row["reproduced"]):
        of_cells = metric.column and metric.name != OPTIMISM
        asked = ["--metric", metric.name] if of_cells else []
        return ["retree", "show", *named, item, row["dataset"], row["method"], *asked]
    whole = named if len(named) > 1 else (f"paper={named[0]}",)
    return ["retree", "run", "--report", "--show", *whole, f"item={item}"]


def _total(counts: Any) -> float:
    """Return the sum of counts in a text, NaN where there is none."""
    words = str(counts).split()
    return running_sum([float(count) for count in words]) if words else math.nan


def _short(value: Any) -> float:
    return float(f"{float(value):.10g}")


# The share of the judged numbers from which on a reproduction is successful, since a 95 % interval
# leaves one in twenty out by chance; and the share below which it is not even a partial one.
MOST, HALF = 0.95, 0.5
OUTCOME_RULES = {
    "computation": (
        f"successful: at least {100 * MOST:g} % of the judged numbers agree; partial: at least "
        f"{100 * HALF:g} % agree, or at least {100 * HALF:g} % of the accuracies are within "
        f"{NEAR_POINTS:g} point of retree's; not: fewer; not checked: no number can be judged"
    ),
    "robustness": (
        "of the claims that the paper's own tables show and that are checked on replicates with "
        "other folds; robust: all hold; challenges: some do not; not checked: there are none"
    ),
}
# The words of FORRT's library of reproductions, FLoRA, for the two outcomes.
_FORRT = {
    "computation": {
        "successful": "computationally successful",
        "partial": "computational issues",
        "not": "computational issues",
        "not checked": "computation not checked",
    },
    "robustness": {
        "robust": "robust",
        "challenges": "robustness challenges",
        "not checked": "robustness not checked",
    },
}


def paper_record(paper: Paper, folder: Path, comparisons: pd.DataFrame) -> dict[str, Any]:
    """Return a paper's record, as JSON has it.

    `folder`: the paper's rendered results. `comparisons`: as from
    `retree_lab.reports.agreement.read_comparisons`.
    """
    of_paper = comparisons[comparisons["paper"] == paper.name]
    counts = count_headlines(of_paper, []).to_dict("records")[0]
    numbers = {name: int(counts[name]) for name in COUNTS if name != "share"}
    claims = _claims(folder / "claims.csv")
    outcomes = {"computation": _computation(paper, numbers), "robustness": _robustness(claims)}
    words = [_FORRT[axis][outcome] for axis, outcome in outcomes.items()]
    said = headline_words(counts, paper.not_judged)
    return {
        "type": "reproduction",
        "original": {
            name: getattr(paper, name) for name in ("title", "authors", "reference", "doi")
        },
        "key": paper.name,
        "software": {"name": "retree", "version": __version__},
        "numbers": {**numbers, "in_words": said},
        "claims": claims,
        "outcomes": {
            axis: {"outcome": outcome, "rule": OUTCOME_RULES[axis]}
            for axis, outcome in outcomes.items()
        },
        "forrt": ", ".join(words),
        "register": f"files/{FOLDER}/{paper.name}.csv",
        "page": f"papers/{paper.name}/index.html",
        "license": "BSD-3-Clause",
    }


def json_text(content: Mapping[str, Any]) -> str:
    """Return a record, or another object, as a file of JSON."""
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _computation(paper: Paper, numbers: dict[str, int]) -> str:
    if not numbers["judged"]:
        return "not checked"
    if numbers["agree"] >= MOST * numbers["judged"]:
        return "successful"
    is_near = numbers["accuracies"] and numbers["near"] >= HALF * numbers["accuracies"]
    return "partial" if is_near or numbers["agree"] >= HALF * numbers["judged"] else "not"


def _robustness(claims: dict[str, int]) -> str:
    if not claims["on_replicates"]:
        return "not checked"
    return "robust" if claims["hold"] == claims["on_replicates"] else "challenges"


def _claims(path: Path) -> dict[str, int]:
    """Count the paper's own claims, how many are checked on replicates, and how many hold."""
    if not path.is_file():
        return dict.fromkeys(("stated", "on_replicates", "hold"), 0)
    table = read_table(path, ("published", "here", "ours"))
    of_paper = table[table["ours"] == ""]
    checked = of_paper[
        (of_paper["published"] == InPaper.YES)
        & (of_paper["replicates"] > 1)
        & ~of_paper["here"].isin([Here.OPEN, Here.SILENT])
    ]
    holding = int((checked["here"] == Here.YES).sum())
    return {"stated": len(of_paper), "on_replicates": len(checked), "hold": holding}
