"""The pages of a paper and of its tables and figures."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from retree import paths
from retree.experiments.definition.definitions import Paper
from retree.experiments.storing.exports import CELLS
from retree.reports.document import Document, Entry, Figure, Phrase, Prose, Table, TableCell
from retree.reports.files import item_title
from retree.reports.formatting import BLANK, SIGNS, VERDICTS
from retree.reports.headlines import count_headlines
from retree.reports.html import HtmlWriter, Names, Section
from retree.reports.html_elements import element, link
from retree.reports.markdown import inert, unlinked
from retree.reports.page import PAGE
from retree.reports.paper_sections import ITEMS
from retree.reports.references import Reference, ToAddress, ToFile, ToFolds, ToValues, slug
from retree.site import links
from retree.site.blocks import raw_markdown
from retree.site.pictures import figure_of, picture
from retree.site.rendered_papers import FOLDS, ItemFiles, PaperFiles

COUNTS = ("equal", "agrees", "weak", "edge", "differs", "explained", "missing")
COUNT_HEADS = (
    *("share that agrees", "equal", "agree", "agree weakly", "at the edge", "differ"),
    *("known misprints", "cannot be judged"),
)
_HINT = (
    "Click a number for its folds, or a mean for the values behind it; hover for spread, test "
    "and parameters."
)


def paper_page(files: PaperFiles, comparisons: pd.DataFrame) -> str:
    """Return the page of a paper as Markdown."""
    writer, rows = writer_of(files), _items_table(files, comparisons)
    page = files.rendered.pages.get(PAGE, Document([], []))
    parts = [
        _heading(1, files.paper.title),
        raw_markdown(element("p", writer.prose(_citation(files.paper)) + _words_link(files))),
        f"## {ITEMS}\n",
        raw_markdown(writer.table(rows, f"Items of {files.called}")),
        raw_markdown(_gallery(files)),
        raw_markdown(element("p", writer.prose(_evidence(files)))) if files.rendered.folds else "",
        _toctree(f"{item_title(item.name)} <{item.name}>" for item in files.items),
    ]
    own = replace(page, title=files.called, lead=[])
    return "\n".join(
        parts + sections(s for s in writer.sections(own) if s.title not in ("", ITEMS))
    )


def words_page(files: PaperFiles) -> str | None:
    """Return the page of the guide that tells a paper in words, without suffix, or None."""
    page = f"guide/papers/{files.name}"
    own = files.group == "papers" and (paths.project_dir() / "docs" / f"{page}.md").exists()
    return page if own else None


def _words_link(files: PaperFiles) -> str:
    words = words_page(files)
    return "" if words is None else f" · {link(f'../../{words}.html', 'The paper in words')}"


def item_page(files: PaperFiles, item: ItemFiles) -> str:
    """Return the page of a table or figure as Markdown."""
    title = f"{files.called}, {item.title}"
    writer = HtmlWriter(links.find)
    lead = element("p", writer.prose(item.caption), class_="rt-lead") if item.caption else ""
    citation = element("p", writer.prose(_citation(files.paper)))
    parts = ["---\nhide-toc: true\n---\n", _heading(1, title), raw_markdown(lead + citation)]
    shown: set[str] = set()
    if page := files.rendered.pages.get(item.name):
        own = replace(page, title=item.title, lead=[])
        parts.append(raw_markdown(_legend(page)))
        parts += sections(writer_of(files).sections(own))
        shown = {block.file for block in page.blocks if isinstance(block, Figure)}
    pictures = [path for path in item.pictures if path.name not in shown]
    parts += [raw_markdown(picture(files, path, _alt(files, path))) for path in pictures]
    parts.append(raw_markdown(_file_links(files, [path.name for path in item.files])))
    return "\n".join(parts)


def page_of(files: PaperFiles, page: Document, inside: str) -> str:
    """Return a page that stands in the folder `inside` of the paper's pages as Markdown."""
    parts = [_heading(1, page.title), *sections(writer_of(files, inside).sections(page))]
    return "\n".join(parts)


def sections(found: Iterable[Section]) -> list[str]:
    """Return sections as blocks of a Markdown page."""
    parts = []
    for section in found:
        places = "".join(element("a", id=place.place) for place in section.places)
        parts.append(raw_markdown(places))
        parts.append(_heading(2, section.title) if section.title else "")
        parts.append(raw_markdown(section.content))
    return [part for part in parts if part]


def writer_of(files: PaperFiles, inside: str = "") -> HtmlWriter:
    """Return what writes documents of a paper for a page in its folder, or in one `inside` that."""
    home = "../" if inside else ""
    root = home + "../" * len(Path(files.home).parts)

    def address(reference: Reference) -> str | None:
        if isinstance(reference, ToAddress):
            return reference.address
        if (own := files.find(reference)) is not None:
            return own if own.startswith("#") else home + own
        found = files.find_file(reference) or links.find(reference)
        return found if found is None or found.startswith("https:") else root + found

    pages = {name: root + page for name, page in _named_pages(files).items()}
    remarks = {} if inside else files.paper.remarks
    names = Names({} if inside else pages, remarks)
    return HtmlWriter(address, names, lambda figure: figure_of(files, figure, root))


def count_cells(row: Mapping[Hashable, Any] | None) -> list[Entry]:
    """Return the share and the counts of verdicts as cells; empty ones without a row."""
    if row is None:
        return [""] * (len(COUNTS) + 1)
    share = float(row["share"])
    bar = TableCell(f"{share:.0%}", share=share) if share == share else BLANK
    return [bar, *(str(row[verdict]) for verdict in COUNTS)]


def _heading(level: int, title: str) -> str:
    return f"{'#' * level} {unlinked(inert(' '.join(title.split())))}\n"


def _named_pages(files: PaperFiles) -> dict[str, str]:
    """Return the pages of the paper's methods and of the folds of its data sets, by their names."""
    keys = {key for item in files.paper.items.values() for key in item.get("methods") or ()}
    pages = {files.method_name(key): links.method_page(key) for key in keys}
    known = {name: page for name, page in pages.items() if page is not None}
    return known | {d: f"{files.home}/{FOLDS}/{slug(d)}.html" for d in files.rendered.folds}


def _citation(paper: Paper) -> Prose:
    start = f"{paper.authors}. {paper.reference}."
    if not paper.doi:
        return start
    return f"{start} ", Phrase(f"doi:{paper.doi}", ToAddress(f"https://doi.org/{paper.doi}"))


def _legend(page: Document) -> str:
    """Return what the colours and signs of a page's tables mean, "" if it has no such numbers."""
    verdicts = {cell.verdict for cell in page.cells}
    keys = [
        element("span", f"{sign} {VERDICTS[verdict]}", class_=f"rt-key rt-{verdict}")
        for verdict, sign in SIGNS.items()
        if sign and verdict in verdicts
    ]
    led = any(isinstance(cell.to, ToFolds | ToValues) for cell in page.cells)
    parts = [*(["reproduced (published)"] if keys else []), *keys, *([_HINT] if led else [])]
    return element("p", " ".join(parts), class_="rt-legend") if parts else ""


def _file_links(files: PaperFiles, names: Iterable[str]) -> str:
    shown = ", ".join(link(f"../../{files.copies}/{name}", name) for name in names)
    return element("p", f"Files: {shown}", class_="rt-files")


def _evidence(files: PaperFiles) -> Prose:
    """Return where the folds behind the numbers are."""
    return (
        "Each number in a table leads to its folds. ",
        Phrase("All folds", ToAddress(f"{FOLDS}/index.html")),
        " are listed by data set; the rows of all cells are in ",
        Phrase(CELLS, ToFile(CELLS)),
        ".",
    )


def _items_table(files: PaperFiles, comparisons: pd.DataFrame) -> Table:
    """Return the items, each with the first sentence of its caption and the verdicts there are."""
    counts = count_headlines(comparisons, ["item"]).set_index("item").to_dict("index")
    there = [i for i, name in enumerate(COUNTS) if any(row[name] for row in counts.values())]
    shown = [0, *(i + 1 for i in there)] if counts else []
    rows: list[Sequence[Entry]] = []
    for item in files.items:
        cells = count_cells(counts.get(item.name))
        named = TableCell(item.title, to=ToAddress(f"{item.name}.html"))
        rows.append([named, _first_sentence(item.caption), *(cells[i] for i in shown)])
    return Table(["item", "what it shows", *(COUNT_HEADS[i] for i in shown)], rows, left=2)


def _first_sentence(caption: str) -> str:
    return re.split(r"(?<=[a-z0-9)])\. (?=[A-Z])", caption, maxsplit=1)[0].removesuffix(".")


def _gallery(files: PaperFiles) -> str:
    figures = [
        picture(files, path, _alt(files, path)) for item in files.items for path in item.pictures
    ]
    return element("div", "\n".join(figures), class_="rt-gallery") if figures else ""


def _alt(files: PaperFiles, path: Path) -> str:
    item = next(item for item in files.items if path in item.files)
    detail = path.stem.removeprefix(item.name).strip("_")
    what = f"{item.title}, {detail}" if detail else item.title
    return f"{what}: {item.caption}" if item.caption else what


def _toctree(entries: Iterable[str]) -> str:
    return "```{toctree}\n:hidden:\n\n" + "\n".join(entries) + "\n```\n"
