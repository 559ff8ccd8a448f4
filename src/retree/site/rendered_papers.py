"""What the site is made of: the rendered results of each paper, and its configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from retree.errors import RetreeError
from retree.experiments.definition.config import load_method, load_paper
from retree.experiments.definition.definitions import Method, Paper
from retree.experiments.storing.exports import CELLS, PROVENANCE, REPLICATES
from retree.reports.files import item_title
from retree.reports.fold_files import FOLDS_OF
from retree.reports.fold_groups import FOLDS
from retree.reports.replicates.chance_page import STEM as CHANCE
from retree.reports.replicates.picture import DISTANCES
from retree.reports.run_sentences import read_provenance
from retree.study.composing import available, method_home

PAGE = "README.md"
# What pages show that no item is configured for.
_ABOUT = {
    "audit": "Published numbers that contradict each other",
    "claims": "What the paper says of its tables, checked on published and reproduced numbers",
    CHANCE: "Published minus reproduced values, in standard deviations of one replicate",
}
_TEST = re.compile(r"tests/[\w/]+\.py::\w+")


@dataclass(frozen=True)
class ItemFiles:
    """An item's rendered files; what the paper's configuration does not name is an item too.

    Attributes
    ----------
    name, caption : str
        Of a page that retree does not know, `caption` is "".
    files : tuple of Path
        All its files, sorted.
    """

    name: str
    caption: str
    files: tuple[Path, ...]

    @property
    def title(self) -> str:
        """Return the name as a reader writes it."""
        return item_title(self.name)

    @cached_property
    def markdown(self) -> str:
        """Return the Markdown file, "" without one."""
        return next((p.read_text() for p in self.files if p.name == f"{self.name}.md"), "")

    @property
    def pictures(self) -> list[Path]:
        """Return the figures for a browser."""
        return [path for path in self.files if path.suffix == ".png"]


@dataclass(frozen=True)
class PaperFiles:
    """A paper and its folder of results.

    Attributes
    ----------
    paper : Paper
    folder : Path
    items : tuple of ItemFiles
        In the paper's order, then those that are not configured, by name.
    """

    paper: Paper
    folder: Path
    items: tuple[ItemFiles, ...]

    @property
    def name(self) -> str:
        """Return the paper's short name."""
        return self.paper.name

    @cached_property
    def sections(self) -> Mapping[str, str]:
        """Return the text under each heading of the second level of the paper's page."""
        parts = re.split(r"^## (.+)\n", (self.folder / PAGE).read_text(), flags=re.MULTILINE)
        return dict(zip(parts[1::2], parts[2::2], strict=True))

    @cached_property
    def claims(self) -> pd.DataFrame | None:
        """Return the judged claims, None without any."""
        path = self.folder / "claims.csv"
        return pd.read_csv(path, dtype=str, keep_default_na=False) if path.exists() else None

    @cached_property
    def tests(self) -> list[str]:
        """The tests that stand for claims and worked examples, as pytest names them."""
        path = self.folder / "claims.csv"
        texts = [path.read_text() if path.exists() else "", *(i.markdown for i in self.items)]
        return sorted({test for text in texts for test in _TEST.findall(text)})

    @cached_property
    def fold_pages(self) -> dict[str, Path]:
        """The files of folds by their data sets; empty if folds are not rendered."""
        heads = {path: path.read_text().partition("\n")[0] for path in self.folds}
        end = f" in {self.name}"
        return {
            head.removeprefix(FOLDS_OF).removesuffix(end): path
            for path, head in heads.items()
            if head.startswith(FOLDS_OF)
        }

    @property
    def folds(self) -> list[Path]:
        """The files of folds, and of values that they are behind."""
        return sorted((self.folder / FOLDS).glob("*.md"))

    @property
    def runs(self) -> list[dict[str, Any]]:
        """The runs that computed the cells, as the column ``run`` counts them."""
        return self._provenance["runs"]

    @property
    def data(self) -> dict[str, str]:
        """The sha256 of each data set, by its name in configuration files."""
        return self._provenance["data"]

    @cached_property
    def _provenance(self) -> dict[str, Any]:
        return read_provenance(self.folder)

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


def read_papers(results: Path) -> list[PaperFiles]:
    """Return the papers that have a page in `results`, by name.

    Raises
    ------
    RetreeError
        If there is none.
    """
    folders = {name: results / name for name in available("paper")}
    papers = [
        PaperFiles(paper, folder, _items(paper, folder))
        for name, folder in folders.items()
        if (folder / PAGE).exists()
        for paper in [load_paper(name)]
    ]
    if not papers:
        raise RetreeError(
            f"There is no page of a paper in {results}; make them with retree report."
        )
    return papers


def _items(paper: Paper, folder: Path) -> tuple[ItemFiles, ...]:
    stems: dict[str, list[Path]] = {name: [] for name in paper.items}
    for path in sorted(p for p in folder.iterdir() if p.is_file()):
        if path.name not in (PAGE, CELLS, REPLICATES, PROVENANCE):
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
