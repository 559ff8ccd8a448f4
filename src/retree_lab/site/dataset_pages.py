"""The pages of the data sets: what each is, and its judged numbers over all papers."""

from __future__ import annotations

import csv
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from retree_lab import paths
from retree_lab.reports.audit.published_cells import rows_of
from retree_lab.reports.comparison import word_of
from retree_lab.reports.document import Entry, Table, TableCell, ToAddress, ToFolds, slug
from retree_lab.reports.formatting import BLANK, number
from retree_lab.reports.markup import inert
from retree_lab.site.agreement_table import agreement_table, item_cell, paper_link
from retree_lab.site.blocks import markdown_table
from retree_lab.site.rendered_papers import PaperFiles
from retree_lab.statistics.metrics import find_metric
from retree_lab.study import catalogue

FOLDER = "datasets"
# A data set has a page if so many papers have numbers of it: what one has, its own pages show.
LEAST_PAPERS = 2
_JUDGED = ("verdict", "metric", "reproduced", "published")
_COLUMNS = ("item", "dataset", "method", "params", "command")
_ORPHAN = "---\norphan: true\n---\n"


@dataclass(frozen=True)
class KnownSet:
    """A data set as the papers know it: by one name, whatever rows and order each has of it."""

    name: str
    numbers: pd.DataFrame  # Rows of the register

    @property
    def entry(self) -> catalogue.CatalogueEntry | None:
        """Its entry in the catalogue, None without one of this name."""
        return catalogue.find(self.name) if self.name in catalogue.names() else None


def known_sets(register: pd.DataFrame) -> list[KnownSet]:
    """Return the data sets that several papers have numbers of, by name."""
    single = register[register["dataset_key"] != ""]
    names = [_name(d, key) for d, key in zip(single["dataset"], single["dataset_key"], strict=True)]
    found = [KnownSet(str(name), rows) for name, rows in single.groupby(names)]
    return [known for known in found if known.numbers["paper"].nunique() >= LEAST_PAPERS]


def pages_of(known: Iterable[KnownSet], paper: str) -> dict[str, str]:
    """Return the pages of a paper's data sets, from the root of the site, by their names in it."""
    return {
        str(dataset): f"{FOLDER}/{slug(each.name)}.html"
        for each in known
        for dataset in each.numbers.loc[each.numbers["paper"] == paper, "dataset"].unique()
    }


def write_dataset_pages(
    known: Sequence[KnownSet],
    comparisons: pd.DataFrame,
    papers: Sequence[PaperFiles],
    source: Path,
) -> list[str]:
    """Write the pages and their index; return the index's name, if there is a page."""
    if not known:
        return []
    (source / FOLDER).mkdir()
    by_paper = {str(name): rows for name, rows in comparisons.groupby("paper")}
    for each in known:
        page = dataset_page(each, by_paper, papers)
        (source / FOLDER / f"{slug(each.name)}.md").write_text(page)
    (source / FOLDER / "index.md").write_text(_index(known))
    return [f"{FOLDER}/index"]


def dataset_page(
    known: KnownSet, comparisons: Mapping[str, pd.DataFrame], papers: Sequence[PaperFiles]
) -> str:
    """Return the page of a data set as Markdown, given the numbers of each paper."""
    by_name = {files.name: files for files in papers}
    grouped = known.numbers.groupby("paper", sort=False)
    own = [(by_name[str(paper)], rows) for paper, rows in grouped]
    compared = [(files, comparisons[files.name], rows["dataset"].unique()) for files, rows in own]
    agreement = agreement_table(
        (files, numbers[numbers["dataset"].isin(names)]) for files, numbers, names in compared
    )
    parts = [
        f"{_ORPHAN}\n# {inert(known.name)}\n",
        _about(known),
        "## As each paper has it\n",
        markdown_table(_versions(own), f"Papers with {known.name}"),
        "## Agreement with the published values\n",
        markdown_table(agreement, f"Agreement on {known.name}") if agreement else "",
        "## All numbers\n",
        markdown_table(_numbers(own), f"Numbers of {known.name}"),
    ]
    return "\n".join(part for part in parts if part)


@cache
def _catalogue_names() -> Mapping[str, str]:
    """Return the roots of the catalogue by the slugs of all names that lead to them."""
    entries = [catalogue.find(name) for name in catalogue.names()]
    return {
        slug(name): catalogue.root(entry).name
        for entry in entries
        for name in (entry.name, *entry.aliases)
    }


def _name(dataset: str, key: str) -> str:
    """Return the name of a paper's data set: the catalogue's, if it has the set."""
    label = re.sub(r"^\d+ ", "", dataset)  # OpenML's tasks have a number before their name
    known = _catalogue_names()
    return known.get(slug(key)) or known.get(slug(label)) or label


def _about(known: KnownSet) -> str:
    """Describe a data set of the catalogue; "" for one that a paper alone has."""
    if (entry := known.entry) is None:
        return ""
    file = entry.sources.get("bundled", {}).get("file", "")
    row = _bundled().get(file, {})
    missing = f", {int(row['n_missing']):,} missing values" if row else ""
    lines = [
        f"{inert(entry.title)}: {entry.expect['n_instances']:,} rows, "
        f"{entry.expect['n_features']} features, {len(entry.expect['classes'])} classes{missing}.",
        f"Origin: {_licences()[file]}." if file in _licences() else "",
        f"Sources: {_sources(entry)}.",
        inert(entry.note),
    ]
    return "\n\n".join(filter(None, lines)) + "\n"


def _sources(entry: catalogue.CatalogueEntry) -> str:
    """Return where a data set is read, as Markdown."""
    shown = {
        "bundled": "comes with retree",
        "scikit-learn": "comes with scikit-learn",
        "generator": "made from its definition",
        "openml": "[OpenML {id}](https://www.openml.org/d/{id})",
        "uci": "[UCI {id}](https://archive.ics.uci.edu/dataset/{id})",
    }
    known = [shown.get(name, name).format(**options) for name, options in entry.sources.items()]
    return ", ".join(text for text in known if text != "mirror")


@cache
def _bundled() -> Mapping[str, Mapping[str, str]]:
    """Return the rows of the index of bundled sets by their files."""
    path = paths.project_dir() / "data" / "sets" / "index.csv"
    with path.open(newline="", encoding="utf-8") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


@cache
def _licences() -> Mapping[str, str]:
    """Return origin, licence and citation of the bundled sets by their files, as Markdown."""
    text = (paths.project_dir() / "data" / "sets" / "LICENSES.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    return {name: f"{origin}; licence: {said}; cite {cite}" for name, origin, said, cite in rows}


def _versions(own: Sequence[tuple[PaperFiles, pd.DataFrame]]) -> Table:
    """Return under which name, and with how many rows, each paper has a data set."""
    rows: list[list[Entry]] = []
    for files, numbers in own:
        for dataset, key in numbers[["dataset", "dataset_key"]].drop_duplicates().to_numpy():
            count = rows_of(key)
            shown = BLANK if count != count else f"{count:,.0f}"
            rows.append([TableCell(paper_link(files)), dataset, key, shown, str(len(numbers))])
    return Table(["paper", "name in the paper", "key", "rows", "numbers"], rows, left=3)


def _numbers(own: Sequence[tuple[PaperFiles, pd.DataFrame]]) -> Table:
    rows: list[list[Entry]] = []
    for files, numbers in own:
        for row in numbers[[*_COLUMNS, *_JUDGED]].to_dict("records"):
            word = word_of(*(row[name] for name in _JUDGED))
            ours = TableCell(
                _shown(row["metric"], row["reproduced"]),
                published=f"({_shown(row['metric'], row['published'])})",
                word=word,
                to=_folds(files, row),
            )
            cells = [TableCell(paper_link(files)), item_cell(files, row["item"]), row["method"]]
            rows.append([*cells, find_metric(row["metric"]).label, ours, word or BLANK])
    head = ["paper", "item", "method", "metric", "reproduced (published)", "match"]
    return Table(head, rows, left=4)


def _shown(metric: str, value: float) -> str:
    return BLANK if value != value else number(metric, value)


def _folds(files: PaperFiles, row: Mapping[Hashable, Any]) -> ToAddress | None:
    """Return where the folds of a number are, None if no page has them."""
    if not (str(row["command"]).startswith("retree show ") and row["params"]):
        return None
    folds = ToFolds(*(str(row[name]) for name in ("item", "dataset", "method", "params")))
    place = files.find(folds)
    return None if place is None else ToAddress(f"../{files.home}/{place}")


def _index(known: Sequence[KnownSet]) -> str:
    """Return the list of data sets as Markdown."""
    rows: list[list[Entry]] = []
    for each in known:
        name = TableCell(each.name, to=ToAddress(f"{slug(each.name)}.html"))
        entry, numbers = each.entry, each.numbers
        counts = [numbers["paper"].nunique(), len(numbers[["paper", "item"]].drop_duplicates())]
        sizes = sorted({n for key in numbers["dataset_key"] if (n := rows_of(key)) == n})
        title = f"{' or '.join(f'{n:,.0f}' for n in sizes)} rows" if entry is None else entry.title
        rows.append([name, title, *map(str, counts), str(len(numbers))])
    head = ["data set", "what it is", "papers", "tables and figures", "numbers"]
    said = "All data sets for which several papers have numbers."
    table = markdown_table(Table(head, rows, left=2), "Data sets")
    return f"---\nhide-toc: true\n---\n\n# Data sets\n\n{said}\n\n{table}"
