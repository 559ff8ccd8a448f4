"""The pages of the folds behind the numbers of a paper's tables, one per data set."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import pandas as pd

from retree.experiments.config import default_protocol, paper_items
from retree.experiments.definitions import Item, Method, Protocol
from retree.experiments.exports import KEY_DIGITS
from retree.experiments.keys import (
    Parts,
    cell_key,
    cell_seed,
    configured_text,
    estimator_text,
    parameters_text,
    protocol_text,
    seed_names,
)
from retree.experiments.provenance import machine
from retree.experiments.registry import import_estimator
from retree.reports.coverage import protocol_sentence
from retree.reports.files import item_title
from retree.reports.fold_groups import FoldGroup
from retree.reports.formatting import BLANK, number
from retree.reports.provenance import run_sentences
from retree.reports.selection import OUTER
from retree.site import links
from retree.site.html import element, link, raw_markdown, table, text
from retree.site.rendered_papers import PaperFiles
from retree.site.tables import difference_text, verdict_words
from retree.statistics.metrics import find_metric

_ROOT = "../../../"


def fold_pages(files: PaperFiles) -> Iterator[tuple[str, str]]:
    """Yield the data sets of a paper with their pages of folds, in Markdown."""
    items = {item.name: item for item in paper_items(files.paper, default_protocol())}
    for dataset, groups in files.fold_groups.items():
        sections = [_Section(files, items[group.items[0]], group).text for group in groups]
        yield dataset, "\n".join([_head(files, dataset), *sections])


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
        f"What each method gave on each fold of {dataset}. `retree show KEY` shows one fold, with "
        "`--rows` its test rows, and with `--recompute` computes it again.\n",
    ]
    return "\n".join([*parts, f"Data: {dataset}, sha256 `{digest}`.\n" if digest else ""])


@dataclass(frozen=True)
class _Section:
    """The section of a page on the folds of one method."""

    files: PaperFiles
    item: Item
    group: FoldGroup

    @property
    def _title(self) -> str:
        nested = ", parameters chosen inside the training folds"
        return f"{self.group.method}{nested if self.group.is_nested else ''}"

    @property
    def text(self) -> str:
        group = self.group
        places = "".join(element("span", id=name) for name in group.anchors)
        return "\n".join(
            [
                f"## {self._title}\n",
                raw_markdown(places + self._numbers()),
                raw_markdown(self._facts()),
                f"```console\n{self._command()}\n```\n",
                raw_markdown(self._folds()),
            ]
        )

    @cached_property
    def _method(self) -> Method:
        return next(m for m in self.item.methods if m.name == self.group.method)

    @cached_property
    def _dataset(self) -> str:
        """The name of the data set in configuration files."""
        names = {self.item.label(name): name for name in self.item.datasets}
        return names[self.group.dataset]

    @cached_property
    def _runs(self) -> list[dict[str, Any]]:
        numbers = {int(fold["run"]) for fold in self.group.folds if not pd.isna(fold["run"])}
        return [self.files.runs[number] for number in sorted(numbers)]

    def _numbers(self) -> str:
        rows = []
        for row in self.group.numbers.to_dict("records"):
            metric, item = row["metric"], str(row["item"])
            rows.append(
                [
                    link(f"../{item}.html", item_title(item)),
                    text(find_metric(metric).label),
                    number(metric, row["reproduced"]),
                    number(metric, row["published"]),
                    difference_text(row),
                    verdict_words(row["verdict"]) if not math.isnan(row["published"]) else "",
                ]
            )
        header = ["table", "quantity", "reproduced", "published", "difference", "verdict"]
        return table(header, rows, f"Numbers of {self._title}", left=2)

    def _facts(self) -> str:
        method, estimator = self._method, import_estimator(self._method.registered.target)
        pages = [
            link(_ROOT + page, label)
            for page, label in (
                (links.method_page(method.key), f"method {method.name}"),
                (links.api_page(estimator), estimator.__name__),
                (links.source_of(estimator), "source"),
            )
            if page is not None
        ]
        sizes = [int(fold["n_test"]) for fold in self.group.folds]
        facts = {
            "Estimator": f"{text(method.registered.target)} ({', '.join(pages)})",
            "Parameters": text(self._parameters()),
            "Protocol": text(protocol_sentence(self.item.protocol)),
            "Test rows": f"{min(sizes)} to {max(sizes)} in a fold",
            "Computed": "<br>".join(map(_run, self._runs)),
        }
        runs = int(self.group.numbers["n_replicates"].max())
        if runs > 1:
            facts["Runs"] = (
                f"The protocol was run {runs} times with other folds, and the number is the mean "
                "of these runs. Parameters that vary were chosen in each run anew."
            )
        lines = (element("dt", name) + element("dd", value) for name, value in facts.items())
        return element("dl", "".join(lines), class_="rt-facts")

    def _parameters(self) -> str:
        method, group = self._method, self.group
        point = {} if group.is_nested else json.loads(group.params)
        texts = [f"{name}={value!r}" for name, value in {**method.params, **point}.items()]
        every = json.loads(parameters_text(method, point))
        others = [f"{n}={v!r}" for n, v in every.items() if n not in {**method.params, **point}]
        chosen = ", ".join(texts) or "none is set"
        return f"{chosen}; defaults: {', '.join(others)}" if others else chosen

    def _command(self) -> str:
        words = [self.files.name, self.item.name, self._dataset, self._method.key]
        nested = ["--metric", "accuracy_nested"] if self.group.is_nested else []
        return shlex.join(["retree", "show", *words, *nested])

    def _folds(self) -> str:
        columns = _columns(self.group)
        if any(seeds := list(self._seeds())):
            columns.append(("seed", seeds))
        columns.append(("key", [str(fold["key"]) for fold in self.group.folds]))
        rows = zip(*(values for _, values in columns), strict=True)
        header = [label for label, _ in columns]
        return table(header, list(rows), f"Folds of {self._title}")

    def _seeds(self) -> Iterator[str]:
        """Yield the ``random_state`` of each fold, "" if the method draws nothing.

        A seed is shown only if it gives the key of the stored cell.
        """
        data, texts = self.files.data.get(self._dataset, ""), cache(self._method_texts)
        split = cache(lambda run: protocol_text(self._protocol(run), OUTER))
        for fold in self.group.folds:
            if (known := texts(fold["params"])) is None:
                yield ""
                continue
            estimator, configured, parameters = known
            place, text = (int(fold["repeat"]), int(fold["fold"]), OUTER), split(fold["run"])
            seed = cell_seed(data, text, configured, *place)
            key = cell_key(Parts(data, text, estimator, parameters, seed), *place)
            yield str(seed) if key[:KEY_DIGITS] == fold["key"] else ""

    def _method_texts(self, params: str) -> tuple[str, str, str] | None:
        """Return what the method adds to a cell's key, None if it draws nothing."""
        method, point = self._method, json.loads(params)
        if not seed_names(method, point):
            return None
        texts = configured_text(method, point), parameters_text(method, point)
        return (estimator_text(method), *texts)

    def _protocol(self, run: float) -> Protocol:
        """Return the protocol, whose times are those of the machine of the run of that number."""
        if not self.item.protocol.alone:
            return self.item.protocol
        known = self.files.runs[int(run)]
        return replace(self.item.protocol, machine=machine(known.get("cpu"), known.get("cores")))


def _columns(group: FoldGroup) -> list[tuple[str, list[str]]]:
    """Return place, parameters where they vary, and quantities of the folds, with their heads."""
    folds = group.folds
    columns = [("repeat, fold", [f"{fold['repeat']}, {fold['fold']}" for fold in folds])]
    if len({fold["params"] for fold in folds}) > 1:
        columns.append(("parameters", [text(_point(fold["params"])) for fold in folds]))
    for metric in _distinct([*group.numbers["metric"], "accuracy"]):
        values = group.values(metric)
        if not all(map(math.isnan, values)):
            columns.append((find_metric(metric).label, [_exact(value) for value in values]))
    return columns


def _distinct(metrics: Iterable[str]) -> list[str]:
    """Return the metrics of cells, each quantity once."""
    found: dict[str, str] = {}
    for name in metrics:
        if column := find_metric(name).column:
            found.setdefault(column, name)
    return list(found.values())


def _point(params: str) -> str:
    return ", ".join(f"{name}={value}" for name, value in json.loads(params).items())


def _exact(value: float) -> str:
    return BLANK if math.isnan(value) else f"{value:.6g}"


def _run(run: Mapping[str, Any]) -> str:
    """Return what is known of a run, with a link to its commit if the repository is known."""
    sentence = text(run_sentences([dict(run)])[0])
    commit = str(run.get("commit") or "")
    name = element("code", commit[:12])
    page = links.commit_page(commit) if commit else None
    shown = name if page is None else element("a", name, href=page)
    return sentence.replace(f"`{commit[:12]}`", shown) if commit else sentence
