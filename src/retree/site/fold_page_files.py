"""The pages of the folds and values behind a paper's numbers."""

from __future__ import annotations

from pathlib import Path

from retree.experiments.storing.exports import CELLS
from retree.reports.document import Bullets, Document, Phrase
from retree.reports.references import ToAddress, ToFile, slug
from retree.site.paper_pages import page_of
from retree.site.rendered_papers import FOLDS, PaperFiles

# Pages that are reached by links only, and whose words would drown those of others in a search.
_APART = "---\norphan: true\nnosearch: true\n---\n"
_INDEX = "---\norphan: true\nhide-toc: true\n---\n"


def write_folds(files: PaperFiles, folder: Path) -> None:
    """Write the pages of folds and values of a paper into a part of its `folder`."""
    own = folder / FOLDS
    own.mkdir()
    pages = {slug(dataset): page for dataset, page in files.rendered.folds.items()}
    pages |= {f"{item}_values": page for item, page in files.rendered.values.items()}
    for name, page in pages.items():
        (own / f"{name}.md").write_text(f"{_APART}\n{page_of(files, page, inside=FOLDS)}")
    index = page_of(files, _index(files), inside=FOLDS)
    (own / "index.md").write_text(f"{_INDEX}\n{index}")


def _index(files: PaperFiles) -> Document:
    """Return the list of the data sets whose folds have a page."""
    names = [Phrase(d, ToAddress(f"{slug(d)}.html")) for d in files.rendered.folds]
    lead = (
        "The result of every fold behind the tables, with its parameters and its key, by data set. "
        "The same rows, and those of all other grid points, are in ",
        Phrase(CELLS, ToFile(CELLS)),
        ".",
    )
    return Document([], [Bullets(names)], f"Folds of {files.called}", [lead])
