"""The pages of the folds behind the numbers of a paper's tables, one per data set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from retree.experiments.config import default_protocol, paper_items
from retree.experiments.registry import import_estimator
from retree.reports.files import item_title
from retree.reports.fold_sections import INTRODUCTION, NUMBERS, FoldSection, equations
from retree.reports.provenance import run_sentences
from retree.site import links
from retree.site.html import element, link, raw_markdown, table, text
from retree.site.rendered_papers import PaperFiles

_ROOT = "../../../"


def fold_pages(files: PaperFiles) -> Iterator[tuple[str, str]]:
    """Yield the data sets of a paper with their pages of folds, in Markdown."""
    items = {item.name: item for item in paper_items(files.paper, default_protocol())}
    for dataset, groups in files.fold_groups.items():
        sections = (
            FoldSection(files.name, items[group.places[0][0]], group, files.data, files.runs)
            for group in groups
        )
        yield dataset, "\n".join([_head(files, dataset), *map(_text, sections)])


def index_page(files: PaperFiles) -> str:
    """Return the list of the data sets whose folds have a page, in Markdown."""
    rows = []
    for dataset, groups in files.fold_groups.items():
        target = f"{_ROOT}{links.folds_page(files.name, dataset)}"
        n_rows = sum(len(group.folds) for group in groups)
        rows.append([link(target, dataset), str(len(groups)), str(n_rows)])
    cells = link(f"{_ROOT}files/{files.name}/cells.csv.gz", "cells.csv.gz")
    return "\n".join(
        [
            "---\norphan: true\nhide-toc: true\n---\n",
            f"# Folds of {files.name}\n",
            "The result of every fold behind the tables, with its parameters and its key. The same "
            f"rows, and those of all other grid points, are in {cells}.\n",
            raw_markdown(table(["data set", "methods", "folds"], rows, "Folds by data set")),
        ]
    )


def _head(files: PaperFiles, dataset: str) -> str:
    known = {files.paper.names.get(name, name): name for name in files.data}
    digest = files.data.get(known.get(dataset, dataset), "")
    parts = [
        "---\norphan: true\nnosearch: true\n---\n",
        f"# Folds of {dataset} in {files.name}\n",
        f"{INTRODUCTION.format(dataset)}\n",
    ]
    return "\n".join([*parts, f"Data: {dataset}, sha256 `{digest}`.\n" if digest else ""])


def _text(section: FoldSection) -> str:
    places = "".join(element("span", id=name) for name in section.group.anchors)
    rows = zip(*(map(text, values) for _, values in section.columns), strict=True)
    header = [label for label, _ in section.columns]
    return "\n".join(
        [
            f"## {section.title}\n",
            raw_markdown(places + _numbers(section)),
            raw_markdown(_facts(section)),
            f"```console\n{section.command}\n```\n",
            raw_markdown(table(header, list(rows), f"Folds of {section.title}")),
        ]
    )


def _numbers(section: FoldSection) -> str:
    rows = [
        [link(f"../{item}.html", item_title(item)), text(quantity), *others]
        for item, quantity, *others in section.numbers
    ]
    return table(NUMBERS, rows, f"Numbers of {section.title}", left=2)


def _facts(section: FoldSection) -> str:
    method, estimator = section.method, import_estimator(section.method.registered.target)
    pages = [
        link(_ROOT + page, label)
        for page, label in (
            (links.method_page(method.key), f"method {method.name}"),
            (links.api_page(estimator), estimator.__name__),
            (links.source_of(estimator), "source"),
        )
        if page is not None
    ]
    about = section.facts
    if section.defaults:
        about["Parameters"] += f"; defaults: {equations(section.defaults)}"
    facts = {
        "Estimator": f"{text(method.registered.target)} ({', '.join(pages)})",
        **{name: text(fact) for name, fact in about.items()},
        "Computed": "<br>".join(_run(section.runs[number]) for number in section.run_numbers),
    }
    lines = (element("dt", name) + element("dd", value) for name, value in facts.items())
    return element("dl", "".join(lines), class_="rt-facts")


def _run(run: Mapping[str, Any]) -> str:
    """Return what is known of a run, with a link to its commit if the repository is known."""
    sentence = text(run_sentences([dict(run)])[0])
    commit = str(run.get("commit") or "")
    name = element("code", commit[:12])
    page = links.commit_page(commit) if commit else None
    shown = name if page is None else element("a", name, href=page)
    return sentence.replace(f"`{commit[:12]}`", shown) if commit else sentence
