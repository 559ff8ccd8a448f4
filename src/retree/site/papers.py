"""The pages of a paper and of its tables and figures."""

from __future__ import annotations

import re
import struct
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from retree.experiments.definitions import Paper
from retree.reports.overview import agreement
from retree.site.html import element, link, raw_markdown, share_bar, table, text
from retree.site.sources import ItemFiles, PaperFiles
from retree.site.tables import grid_table, grids, legend
from retree.site.tips import Tips

COUNTS = ("agrees", "weak", "differs", "explained", "missing")
COUNT_HEADS = ("share of agreeing", "agree", "weakly", "differ", "explained", "missing")
# The list of files has pages here, and agreement is told by table.
_OWN_SECTIONS = ("Tables and figures",)
FILES = "../../files"


def paper_page(files: PaperFiles, comparisons: pd.DataFrame) -> str:
    """Return the page of a paper as Markdown.

    Parameters
    ----------
    files : PaperFiles
    comparisons : DataFrame
        The cells of all its tables, as from `retree.reports.overview.read_comparisons`.
    """
    parts = [
        f"# {files.paper.title}\n",
        f"{_citation(files.paper)}\n",
        "## Tables and figures\n",
        raw_markdown(_items_table(files, comparisons)),
        raw_markdown(_gallery(files)),
        _toctree(item.name for item in files.items),
    ]
    for title, section in files.sections.items():
        if title not in _OWN_SECTIONS:
            parts += [f"## {title}\n", linked(section, files)]
    return "\n".join(parts)


def item_page(files: PaperFiles, item: ItemFiles) -> str:
    """Return the page of a table or figure as Markdown."""
    title = f"{item.title}: {item.caption}" if item.caption else item.title
    parts = ["---\nhide-toc: true\n---\n", f"# {title}\n", f"{_citation(files.paper)}\n"]
    if item.comparisons is not None:
        parts += [_numbers(files, item, item.comparisons), linked(_notes(item.markdown), files)]
    elif item.markdown:
        parts.append(linked(_body(item.markdown, files.paper), files))
    parts += [raw_markdown(picture(files, path, _alt(files, path))) for path in item.pictures]
    names = ", ".join(link(f"{FILES}/{files.name}/{p.name}", p.name) for p in item.files)
    parts.append(raw_markdown(element("p", f"Files: {names}", class_="rt-files")))
    return "\n".join(parts)


def count_cells(row: Mapping[Hashable, Any] | None) -> list[str]:
    """Return the share and the counts of verdicts as cells; empty ones without a row.

    Parameters
    ----------
    row : mapping or None
        A row of `retree.reports.overview.agreement`.
    """
    if row is None:
        return [""] * (len(COUNTS) + 1)
    return [share_bar(row["share"]), *(str(row[verdict]) for verdict in COUNTS)]


def picture(files: PaperFiles, path: Path, alt: str) -> str:
    """Return a figure of a paper; a click leads to the drawing that scales, if there is one."""
    width, height = png_size(path)
    source = f"{FILES}/{files.name}/{path.name}"
    image = element_image(source, alt, width, height)
    target = path.with_suffix(".svg")
    href = f"{FILES}/{files.name}/{target.name}" if target in _all_files(files) else source
    caption = element("figcaption", text(alt))
    return element("figure", element("a", image, href=href) + caption, class_="rt-figure")


def element_image(source: str, alt: str, width: int, height: int) -> str:
    """Return an image, of which the browser knows the size before it has it."""
    attributes = f'alt="{text(alt)}" width="{width}" height="{height}" loading="lazy"'
    return f'<img src="{source}" {attributes}>'


def png_size(path: Path) -> tuple[int, int]:
    """Return width and height of a png in pixels."""
    width, height = struct.unpack(">II", path.read_bytes()[16:24])
    return width, height


def linked(markdown: str, files: PaperFiles) -> str:
    """Return Markdown whose links to the paper's files lead to pages, or to copies of the files."""
    pages = {item.name for item in files.items}
    names = {path.name for path in _all_files(files)}

    def repair(match: re.Match[str]) -> str:
        mark, words, target = match.groups()
        if target not in names:
            return match.group(0)
        if mark:
            return f"\n{raw_markdown(picture(files, files.folder / target, words))}\n"
        stem = target.removesuffix(".md")
        if stem in pages and target.endswith(".md"):
            return f"[{words}]({target})"
        return link(f"{FILES}/{files.name}/{target}", words)

    return re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", repair, markdown)


def _citation(paper: Paper) -> str:
    doi = f" [doi:{paper.doi}](https://doi.org/{paper.doi})" if paper.doi else ""
    return f"{paper.authors}. {paper.reference}.{doi}"


def _items_table(files: PaperFiles, comparisons: pd.DataFrame) -> str:
    counts = agreement(comparisons, ["item"]).set_index("item").to_dict("index")
    rows = []
    for item in files.items:
        name = link(f"{item.name}.html", item.title)
        rows.append([name, text(item.caption), *count_cells(counts.get(item.name))])
    header = ["item", "what it shows", *COUNT_HEADS]
    return table(header, rows, f"Items of {files.name}", left=2)


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


def _all_files(files: PaperFiles) -> list[Path]:
    return [path for path in files.folder.iterdir() if path.is_file()]


def _toctree(names: Iterable[str]) -> str:
    return "```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```\n"


def _numbers(files: PaperFiles, item: ItemFiles, comparisons: pd.DataFrame) -> str:
    tips = Tips(files, item, comparisons)
    parts = [raw_markdown(legend(comparisons))]
    for label, grid in grids(comparisons).items():
        if label:
            parts.append(f"## {label[:1].upper()}{label[1:]}\n")
        name = ", ".join(word for word in (item.title, label) if word)
        parts.append(raw_markdown(grid_table(grid, name, tips.of, files.paper.remarks)))
    return "\n".join(parts)


def _body(markdown: str, paper: Paper) -> str:
    """Return an item's text without its title and the reference, which the page has."""
    own = ("# ", f"{paper.authors}: {paper.title}.")
    return "\n".join(line for line in markdown.splitlines() if not line.startswith(own)) + "\n"


def _notes(markdown: str) -> str:
    """Return the notes of a table's text, each once: the items of its lists, and its footnotes."""
    found = re.findall(r"^(?:- |\[\d+\] )(.+)$", markdown, flags=re.MULTILINE)
    notes = [f"- {note.strip()}" for note in found]
    return "## Notes\n\n" + "\n".join(dict.fromkeys(notes)) + "\n" if notes else ""
