"""The rendered results of each paper, with its configuration, from which the site is made."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from pathlib import Path

import pandas as pd
from rich.console import Console

from retree.errors import RetreeError
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.definition.definitions import Paper
from retree_lab.experiments.definition.method import Method, load_method
from retree_lab.experiments.definition.paper_config import load_paper, papers_by_year
from retree_lab.experiments.running.workers import in_workers
from retree_lab.experiments.storing.exports import CELLS, PROVENANCE, REPLICATES
from retree_lab.experiments.storing.planned import plan_all, with_committed_cells
from retree_lab.experiments.storing.store import Store
from retree_lab.reports.agreement import read_table
from retree_lab.reports.agreement.chance import STEM as CHANCE
from retree_lab.reports.agreement.columns import STEM as COLUMNS
from retree_lab.reports.agreement.headlines import Evidence, find_evidence
from retree_lab.reports.agreement.pictures import DISTANCES
from retree_lab.reports.agreement.skill import FILE as POWER
from retree_lab.reports.document import Reference, ToFile, ToFolds, ToPage, ToRun, ToValues, slug
from retree_lab.reports.files import item_title
from retree_lab.reports.kinds import FrameKind, ItemReport
from retree_lab.reports.paper_pages import PaperPages, paper_pages
from retree_lab.scratch import scratch
from retree_lab.study.available import method_home
from retree_lab.study.catalogue import SERVERS
from retree_lab.study.composing import compose
from retree_lab.study.overrides import quoted
from retree_lab.workspace import open_workspace

PAGE_FILE = "README.md"
_CLAIMS = (
    *("claim", "text", "place", "check", "published", "here", "nested"),
    *("directed", "held", "replicates", "ours"),
)
# What pages show that no item is configured for.
_ABOUT = {
    "audit": "Published numbers that contradict each other",
    "claims": "The paper's statements about its tables, checked on our numbers and its own",
    "causes": "Why published numbers do not agree, counted by cause",
    "own_columns": "Whether the columns of the authors' own methods share their folds",
    "best_of": "Columns of the authors' own methods against the best of several replicates of ours",
    COLUMNS: "Mean gap of each whole column, published against ours",
    CHANCE: "Published minus reproduced values, in standard deviations of one replicate",
}
FOLDS = "folds"


@dataclass(frozen=True)
class ItemFiles:
    """An item's rendered files; what the paper's configuration does not name is an item too."""

    name: str  # Of a page that retree does not know, `caption` is ""
    caption: str
    files: tuple[Path, ...]

    @property
    def title(self) -> str:
        """Return the name as a reader writes it."""
        return item_title(self.name)

    @property
    def pictures(self) -> list[Path]:
        """Return the figures for a browser."""
        return [path for path in self.files if path.suffix == ".svg"]


@dataclass(frozen=True)
class PaperFiles:
    """A paper, or a study outside of the package, and its folder of results."""

    paper: Paper
    folder: Path
    # In the paper's order, then those that are not configured, by name.
    items: tuple[ItemFiles, ...]
    rendered: PaperPages  # What stands on its pages
    group: str = "papers"  # The folder of the site that its pages are in
    # The pages over all papers of its data sets, from the root of the site, by their names in it
    datasets: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the paper's key."""
        return self.paper.name

    @property
    def called(self) -> str:
        """The name that readers use for the paper: its authors and year."""
        return self.paper.called

    @property
    def home(self) -> str:
        """The folder of its pages in the site."""
        return f"{self.group}/{self.name}"

    @property
    def copies(self) -> str:
        """The folder of the site that has its files as they are."""
        return f"files/{self.name}" if self.group == "papers" else f"files/{self.home}"

    @cached_property
    def claims(self) -> pd.DataFrame | None:
        """Return the judged claims, None without any."""
        path = self.folder / "claims.csv"
        if not path.exists():
            return None
        found = read_table(path, _CLAIMS)
        if lacking := [name for name in _CLAIMS if name not in found]:
            raise RetreeError(
                f"{path} lacks the column {lacking[0]}; render it again with retree report."
            )
        return found

    def evidence(self, comparisons: pd.DataFrame) -> Evidence:
        """Return the evidence of its numbers, given all papers' or its own `comparisons`."""
        return find_evidence(self.name, self.folder.parent, comparisons)

    def find(self, reference: Reference) -> str | None:
        """Return where in the folder of the paper's pages something is, None if it is not there."""
        match reference:
            case ToPage(name) if self.item(name) is not None:
                return f"{name}.html"
            case ToFolds(_, dataset) if dataset in self.rendered.folds:
                return f"{FOLDS}/{slug(dataset)}.html#{reference.place}"
            case ToValues(item):
                return f"{FOLDS}/{item}_values.html#{reference.place}"
            case ToRun():
                return f"#{reference.place}"
        return None

    def find_file(self, reference: Reference) -> str | None:
        """Return where in the site a copy of a file is, None if there is none."""
        if isinstance(reference, ToFile) and (self.folder / reference.name).is_file():
            return f"{self.copies}/{reference.name}"
        return None

    def method_name(self, key: str) -> str:
        """Return the published name of a method."""
        return self.paper.names.get(key) or method_of(key).name

    def item(self, name: str) -> ItemFiles | None:
        """Return the item called `name`, None if nothing of it is rendered."""
        return next((item for item in self.items if item.name == name), None)


@cache
def method_of(key: str) -> Method:
    """Return the method called `key`, of retree, of a paper or of an opened study, read once."""
    return load_method(key, method_home(key))


def rendered_names(results: Path) -> list[str]:
    """Return the papers that have a page in `results`, by year."""
    return [name for name in papers_by_year() if (results / name / PAGE_FILE).exists()]


def read_papers(results: Path) -> list[PaperFiles]:
    """Return the papers that have a page in `results`, by year."""
    names = rendered_names(results)
    rendered = render_papers(names, results)
    papers = [_read(name, results, pages) for name, pages in zip(names, rendered, strict=True)]
    if not papers:
        raise RetreeError(
            f"There is no page of a paper in {results}; make them with retree report, or show "
            "a study with --study DIR."
        )
    return papers


def read_study(name: str, results: Path) -> PaperFiles:
    """Return an opened study whose rendered files are in a folder of `results`."""
    with scratch() as folder:
        pages = render(name, results, folder / "cells.sqlite")
    return replace(_read(name, results, pages), group="studies")


def _read(name: str, results: Path, pages: PaperPages) -> PaperFiles:
    paper = load_paper(name)
    return PaperFiles(paper, results / name, _items(paper, results / name), pages)


def _items(paper: Paper, folder: Path) -> tuple[ItemFiles, ...]:
    stems: dict[str, list[Path]] = {name: [] for name in paper.items}
    for path in sorted(p for p in folder.iterdir() if p.is_file()):
        if path.name not in (PAGE_FILE, CELLS, REPLICATES, PROVENANCE, POWER):
            stems.setdefault(_item_of(path, paper), []).append(path)
    return tuple(
        ItemFiles(
            name, str(paper.items.get(name, {}).get("caption", _ABOUT.get(name, ""))), tuple(files)
        )
        for name, files in stems.items()
        if files
    )


def _item_of(path: Path, paper: Paper) -> str:
    """Return the item that a file is of; an item may have a file for each data set."""
    if path.name == DISTANCES:
        return CHANCE
    stem = path.name.partition(".")[0]
    own = [name for name in paper.items if stem == name or stem.startswith(f"{name}_")]
    return max(own, key=len, default=stem)


def render_papers(names: Sequence[str], results: Path) -> list[PaperPages]:
    """Return the pages of papers, several of them at a time."""
    with scratch() as folder:
        one = partial(_render_apart, results=results, stores=folder)
        return [*in_workers(one, names, jobs=-1, size=lambda name: _size(results / name))]


def _render_apart(name: str, results: Path, stores: Path) -> PaperPages:
    # Where no other paper is: a search for cells of another machine would take all of them in.
    alone, store = stores / name, stores / f"{name}.sqlite"
    alone.mkdir()
    (alone / name).symlink_to((results / name).resolve())
    with Store(store, committed=[alone / name]) as opened:
        opened.take_in()
    # As in `retree_lab.site.build`, in a process of its own.
    with pd.option_context("mode.string_storage", "python"):
        return render(name, results, store, alone)


def _size(folder: Path) -> int:
    """Return how many bytes the cells in a folder of results have."""
    return sum(path.stat().st_size for path in folder.glob("*.csv.gz"))


def render(name: str, results: Path, store: Path, committed: Path | None = None) -> PaperPages:
    """Return the pages of a paper, or of an opened study, as far as it is rendered.

    No server is asked: of data sets that are not available here the committed results are shown.

    `results`: the folder with its folder of rendered files, from whose cells the pages are made.
    `store`: where these are taken in, a file for the time of rendering.
    `committed`: folder of the folders of committed cells, by default `results`.
    """
    folder = results / name
    items = [item for item in load_paper(name).items if any(folder.glob(f"{item}[._]*"))]
    if not items:
        return PaperPages()
    places = {"results": results, "committed": committed or results, "store": store}
    own = [f"{key}={quoted(path.resolve())}" for key, path in places.items()]
    asked = [f"paper={name}", f"item=[{','.join(items)}]", *_overrides(folder), *own]
    experiment = load_experiment(compose(asked))
    here = tuple(source for source in experiment.sources if source not in SERVERS)
    experiment = replace(experiment, sources=here)
    planned = plan_all(experiment)
    lost = planned.datasets.lost
    # What is committed is shown, whatever became of the data.
    planned = replace(planned, datasets=replace(planned.datasets, away=frozenset(lost)))
    with open_workspace(with_committed_cells(planned), Console(quiet=True)) as workspace:
        contexts = workspace.item_reports()
    shown = [_with_committed_rows(context, folder) for context in contexts]
    return paper_pages(replace(experiment, results=results), shown)


def _with_committed_rows(context: ItemReport, folder: Path) -> ItemReport:
    """Show the rows of an item's csv where these are all: a site computes no table again."""
    path = folder / f"{context.item.name}.csv"
    if not isinstance(context.kind, FrameKind) or not path.is_file():
        return context
    rows = read_table(path, ())
    texts = rows.select_dtypes(exclude="number").columns
    there = set(rows.get("dataset", ()))
    missing = {
        name: why
        for name, why in context.plan.unavailable.items()
        if context.item.label(name) not in there
    }
    shown = replace(context, plan=replace(context.plan, unavailable=missing))
    vars(shown)["rows"] = rows.fillna(dict.fromkeys(texts, ""))
    return shown


def _overrides(folder: Path) -> list[str]:
    """Return the overrides that the files in a folder were rendered with."""
    path = folder / PROVENANCE
    known = json.loads(path.read_text()) if path.exists() else {}
    return [str(text) for text in known.get("overrides", ())]
