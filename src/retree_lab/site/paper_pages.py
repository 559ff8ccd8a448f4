"""The pages of a paper and of its tables and figures."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from retree.errors import RetreeError
from retree_lab import paths
from retree_lab.experiments.storing.exports import CELLS
from retree_lab.reports.agreement import count_headlines, read_folder
from retree_lab.reports.comparison import Word
from retree_lab.reports.document import (
    Bullets,
    Document,
    Entry,
    Figure,
    Phrase,
    Prose,
    Reference,
    Table,
    TableCell,
    ToAddress,
    ToFile,
    ToFolds,
    ToValues,
    slug,
)
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import BLANK, MARKS, percent
from retree_lab.reports.html import HtmlWriter, Names, Section, element, link, text
from retree_lab.reports.markup import inert, unlinked
from retree_lab.reports.page_template import TEMPLATE, fill
from retree_lab.reports.paper_pages import PAGE, cited
from retree_lab.reports.paper_sections import ITEMS
from retree_lab.site import links
from retree_lab.site.blocks import all_files, figure_of, picture, raw_markdown
from retree_lab.site.first_screen import how_to_cite, original, what_was_found
from retree_lab.site.printed_grid import printed_grids
from retree_lab.site.rendered_papers import FOLDS, PAGE_FILE, ItemFiles, PaperFiles, read_study
from retree_lab.study.folders import PUBLISHED, open_study

COUNT_HEADS = ("share that matches", *Word)
# Pages that are reached by links only, and whose words would drown those of others in a search.
_APART = "---\norphan: true\nnosearch: true\n---\n"
_INDEX = "---\norphan: true\nhide-toc: true\n---\n"
WORDS, JUDGED_PAGE = "in_words", "judged"
# The sections on what the paper leaves open, and what they are called on its page.
_OPEN = {
    "What is known": "Misprints, and what we had to infer",
    "What we tried": "Differences, and what we tried",
}
_HINT = (
    "Click a number for its folds, or a mean for the values behind it; hover for spread, test "
    "and parameters."
)


def paper_page(files: PaperFiles, comparisons: pd.DataFrame) -> str:
    """Return the page of a paper as Markdown."""
    writer = writer_of(files)
    counts = count_headlines(comparisons, ["item"]).set_index("item").to_dict("index")
    # If nothing is published, all tables are ours.
    all_ours = not (files.paper.folder / PUBLISHED).is_file()
    printed = [i for i in files.items if i.name in counts or is_printed(i.name) or all_ours]
    own_items = [item for item in files.items if item not in printed]
    grids = printed_grids(files, comparisons)
    parts = [
        _heading(1, files.paper.title),
        raw_markdown(element("p", element("strong", text(files.called)))),
        raw_markdown(what_was_found(files, comparisons)),
        raw_markdown(element("p", writer.prose(cited(files.paper)) + _more(files))),
        raw_markdown(original(files)),
        "## As published\n" if grids else "",
        raw_markdown(grids),
        f"## {ITEMS}\n",
        raw_markdown(writer.table(_items_table(printed, counts), f"Items of {files.called}")),
        raw_markdown(_gallery(files)),
        *_not_in_the_paper(files, writer, own_items if printed else []),
        *_not_known(files),
        raw_markdown(element("p", writer.prose(_evidence(files)))),
        raw_markdown(how_to_cite(files)),
        _toctree(
            [
                *([f"In words <{WORDS}>"] if words_page(files) == f"{files.home}/{WORDS}" else []),
                *(f"{item_title(item.name)} <{item.name}>" for item in files.items),
                f"How it was judged <{JUDGED_PAGE}>",
            ]
        ),
    ]
    return "\n".join(filter(None, parts))


def judged_page(files: PaperFiles) -> str:
    """Return the page of how a paper's numbers were computed and judged as Markdown."""
    title = f"{files.called}: how it was run and judged"
    return "\n".join([_heading(1, title), *sections(_sections(files))])


def _sections(files: PaperFiles) -> list[Section]:
    """Return the sections of the paper's page of results but the list of items."""
    page = files.rendered.pages.get(PAGE, Document([], []))
    own = replace(page, title=files.called, lead=[])
    return [s for s in writer_of(files).sections(own) if s.title not in ("", ITEMS)]


def _folded(summary: str, content: str) -> str:
    """Return content below a line that opens it."""
    return element("details", element("summary", text(summary)) + content, class_="rt-folded")


def _not_known(files: PaperFiles) -> list[str]:
    """Return the section of what the paper leaves open, none if it leaves nothing open."""
    found = [s for s in _sections(files) if s.title in _OPEN]
    folded = (_folded(f"{_OPEN[s.title]} ({s.content.count('<li>')})", s.content) for s in found)
    return ["## What the paper leaves open\n", raw_markdown("\n".join(folded))] if found else []


def words_page(files: PaperFiles) -> str | None:
    """Return the page that tells a paper in words, without suffix, None if there is none."""
    if files.group != "papers":
        return f"{files.home}/{WORDS}" if (files.paper.folder / TEMPLATE).is_file() else None
    page = f"guide/papers/{files.name}"
    return page if (paths.project_dir() / "docs" / f"{page}.md").exists() else None


def _more(files: PaperFiles) -> str:
    """Return links to the paper in words, to how its verdict is cited and where to object."""
    words = words_page(files)
    found = [] if words is None else [link(f"../../{words}.html", "The paper in words")]
    found.append(link("#cite", "how to cite this verdict"))
    if files.group == "papers":
        found.append(link("../../guide/citing.html#something-wrong", "something wrong?"))
    return "".join(f" · {one}" for one in found)


def item_page(files: PaperFiles, item: ItemFiles) -> str:
    """Return the page of a table or figure as Markdown."""
    title = f"{files.called}, {item.title}"
    writer = HtmlWriter(links.find)
    lead = element("p", writer.prose(item.caption), class_="rt-lead") if item.caption else ""
    citation = element("p", writer.prose(cited(files.paper)))
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
    """Return a writer of a paper's documents for a page in its folder, or in one `inside` it."""
    home = "../" if inside else ""
    root = home + "../" * len(Path(files.home).parts)

    def address(reference: Reference) -> str | None:
        if isinstance(reference, ToAddress):
            return reference.name
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
        return [""] * len(COUNT_HEADS)
    share = float(row["share"])
    bar = TableCell(f"{percent(share)}%", share=share) if share == share else BLANK
    return [bar, *(str(row[word]) for word in Word)]


def _heading(level: int, title: str) -> str:
    return f"{'#' * level} {unlinked(inert(' '.join(title.split())))}\n"


def _named_pages(files: PaperFiles) -> dict[str, str]:
    """Return the pages of the paper's methods and data sets, by their names.

    A data set of this paper alone has but the page of its folds.
    """
    keys = {key for item in files.paper.items.values() for key in item.get("methods") or ()}
    pages = {files.method_name(key): links.method_page(key) for key in keys}
    known = {name: page for name, page in pages.items() if page is not None}
    folds = {d: f"{files.home}/{FOLDS}/{slug(d)}.html" for d in files.rendered.folds}
    return known | folds | dict(files.datasets)


def _legend(page: Document) -> str:
    """Return the legend of a page's tables, "" if it has no such numbers."""
    there = {cell.word for cell in page.cells}
    keys = [
        element("span", f"{word.sign} {word}", class_=f"rt-key rt-{word.style}",
                data_sign=word.sign, data_tip=word.meaning, tabindex=0)
        for word in Word
        if word in there
    ]  # fmt: skip
    marks = "".join(cell.marks for cell in page.cells)
    keys += [
        element("span", f"{mark} {words}", data_sign=mark)
        for mark, words in MARKS.items()
        if mark in marks
    ]
    led = any(isinstance(cell.to, ToFolds | ToValues) for cell in page.cells)
    parts = [*(["reproduced (published)"] if keys else []), *keys, *([_HINT] if led else [])]
    return element("p", " ".join(parts), class_="rt-legend") if parts else ""


def _file_links(files: PaperFiles, names: Iterable[str]) -> str:
    shown = ", ".join(link(f"../../{files.copies}/{name}", name) for name in names)
    return element("p", f"Files: {shown}", class_="rt-files")


def _evidence(files: PaperFiles) -> Prose:
    """Return where the folds behind the numbers are."""
    how = Phrase("How it was run and judged", ToAddress(f"{JUDGED_PAGE}.html"))
    if not files.rendered.folds:
        return "All fold results are in ", Phrase(CELLS, ToFile(CELLS)), ". ", how, "."
    return (
        "Each number in a table links to its folds. ",
        Phrase("All folds", ToAddress(f"{FOLDS}/index.html")),
        " are listed by data set, and stored in ",
        Phrase(CELLS, ToFile(CELLS)),
        ". ",
        how,
        ".",
    )


def _not_in_the_paper(
    files: PaperFiles, writer: HtmlWriter, items: Sequence[ItemFiles]
) -> list[str]:
    """Return the section of what the paper does not show."""
    if not items:
        return []
    table = writer.table(_items_table(items, {}), f"Items of {files.called}, not in the paper")
    shown = _folded(f"{len(items)} tables and figures of our own", table)
    return ["### Not in the paper\n", raw_markdown(shown)]


def is_printed(item: str) -> bool:
    """Return whether an item is called like a table or figure of the paper."""
    return re.match(r"(table|figure)_?\d", item) is not None


def _items_table(
    items: Sequence[ItemFiles], counts: Mapping[Hashable, Mapping[Hashable, Any]]
) -> Table:
    """Return items, each with the first sentence of its caption and the verdicts there are."""
    there = [i for i, name in enumerate(Word) if any(row[name] for row in counts.values())]
    shown = [0, *(i + 1 for i in there)] if counts else []
    rows: list[Sequence[Entry]] = []
    for item in items:
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
    if not figures:
        return ""
    shown = element("div", "\n".join(figures), class_="rt-gallery")
    return _folded(f"All figures ({len(figures)})", shown)


def _alt(files: PaperFiles, path: Path) -> str:
    item = next(item for item in files.items if path in item.files)
    detail = path.stem.removeprefix(item.name).strip("_")
    what = f"{item.title}, {detail}" if detail else item.title
    return f"{what}: {item.caption}" if item.caption else what


def _toctree(entries: Iterable[str]) -> str:
    return "```{toctree}\n:hidden:\n\n" + "\n".join(entries) + "\n```\n"


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
        "The same rows, and all other grid points, are in ",
        Phrase(CELLS, ToFile(CELLS)),
        ".",
    )
    return Document([], [Bullets(names)], f"Folds of {files.called}", [lead])


def write_paper(files: PaperFiles, comparisons: pd.DataFrame, source: Path) -> None:
    """Write the pages of a paper, and copies of its files.

    `comparisons`: the cells of all its tables, as from
    `retree_lab.reports.agreement.read_comparisons`.
    """
    folder, copies = source / files.home, source / "extra" / files.copies
    for made in (folder, copies):
        made.mkdir(parents=True)
    (folder / "index.md").write_text(paper_page(files, comparisons))
    (folder / f"{JUDGED_PAGE}.md").write_text(judged_page(files))
    for item in files.items:
        (folder / f"{item.name}.md").write_text(item_page(files, item))
    if words_page(files) == f"{files.home}/{WORDS}":
        template = files.paper.folder / TEMPLATE
        page = fill(template.read_text(), files.folder.parent, files.name, template)
        (folder / f"{WORDS}.md").write_text(page)
    write_folds(files, folder)
    for path in all_files(files):
        (copies / path.name).write_bytes(path.read_bytes())


_STUDIES = """\
# Studies

Studies outside the package. Each is a folder of tables, data sets and methods, rendered by
`retree run --report --study DIR item=all`.

```{toctree}
"""


def find_rendered(study: Path) -> Path:
    """Return the folder of a study's rendered files, else that of a rendered part of it."""
    name = study.resolve().name
    folders = [study / "results" / name, study / "results" / "local" / name]
    found = next((folder for folder in folders if (folder / PAGE_FILE).is_file()), None)
    if found is None:
        raise RetreeError(
            f"Nothing of {study} is rendered: run retree run --report --study {study} item=all."
        )
    return found


def write_study_pages(studies: Sequence[Path], source: Path) -> list[PaperFiles]:
    """Write the pages of `studies`, and the list of them, and return what they are made of."""
    rendered = [find_rendered(study) for study in studies]
    found = [
        read_study(open_study(study), folder.parent)
        for study, folder in zip(studies, rendered, strict=True)
    ]
    for files in found:
        write_paper(files, study_comparisons(files), source)
    names = "\n".join(f"{files.name}/index" for files in found)
    (source / "studies" / "index.md").write_text(f"{_STUDIES}\n{names}\n```\n")
    return found


def study_comparisons(files: PaperFiles) -> pd.DataFrame:
    """Return the cells of all numeric tables of a study, behind ``paper`` and ``item``."""
    return read_folder(files.folder).assign(paper=files.name)
