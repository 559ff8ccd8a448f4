"""Tables that describe methods in words (kind ``method_table``)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from retree.experiments.definitions import Experiment, Item, Method
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.files import csv_text, folder, item_title, write
from retree.reports.markup import Footnotes, bullets, markdown_table, tex_table

FACTS = ("combination", "information1", "information2", "dimensions", "source", "equation")
CSV_COLUMNS = ("method", "printed_name", *FACTS[:1], "printed_combination", *FACTS[1:], "runs")


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.md`` and ``.tex``, and return their paths."""
    base = folder(experiment) / item.name
    table = pd.DataFrame([_record(m) for m in item.methods], columns=list(CSV_COLUMNS))
    return [
        write(base.with_suffix(".csv"), csv_text(table)),
        write(base.with_suffix(".md"), _markdown(experiment, item)),
        write(base.with_suffix(".tex"), _tex(item)),
    ]


def _record(method: Method) -> dict[str, str]:
    record = {name: str(method.about.get(name, "")) for name in FACTS}
    record["method"] = method.name
    record["printed_name"] = str(method.about.get("printed_name", method.name))
    printed = method.about.get("printed_combination", record["combination"])
    record["printed_combination"] = str(printed)
    record["runs"] = "yes" if method.missing is None else "no"
    return record


def _markdown(experiment: Experiment, item: Item) -> str:
    paper, notes = experiment.paper, Footnotes()
    header, rows = _grid(item, notes)
    records = [_record(method) for method in item.methods]
    sentences = ["Where the paper prints something else, that stands in brackets."]
    if any(r["combination"] != r["printed_combination"] for r in records):
        names = [r["method"] for r in records if r["combination"] != r["printed_combination"]]
        sentences.append(f"The printed combination is wrong for {' and '.join(names)}.")
    return (
        f"# {item_title(item.name)}: {item.caption}\n\n"
        f"{paper.authors}: {paper.title}. {paper.reference}.\n\n"
        f"{markdown_table(header, rows, left=len(header))}\n{bullets(sentences)}\n{notes.text()}"
    ).rstrip() + "\n"


def _tex(item: Item) -> str:
    notes = Footnotes()
    header, rows = _grid(item, notes)
    label = f"tab:{item.name}"
    return tex_table(header, rows, item.caption, label, notes.lines(), left=len(header))


def _grid(item: Item, notes: Footnotes) -> tuple[list[str], list[list[str]]]:
    header = ["method", "combination", "information 1", "information 2"]
    header += ["dimensions of information 2", "source of information 2", "equation", "runs here"]
    rows = []
    for method in item.methods:
        record = _record(method)
        name = _with_printed(record["method"], record["printed_name"])
        combination = _with_printed(record["combination"], record["printed_combination"])
        runs = record["runs"] + notes.mark(method.missing or "")
        rows.append([name, combination, *(record[fact] for fact in FACTS[1:]), runs])
    return header, rows


def _with_printed(right: str, printed: str) -> str:
    return right if right == printed else f"{right} (printed: {printed})"
