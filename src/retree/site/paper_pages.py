"""The pages of a paper and of its tables and figures."""

from __future__ import annotations

import re
import struct
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from retree.experiments.definition.definitions import Paper
from retree.experiments.storing.exports import CELLS
from retree.reports.markup import inert
from retree.reports.overview import agreement
from retree.site import links
from retree.site.html import element, link, raw_markdown, share_bar, table, text
from retree.site.numbers import Names, legend, with_tables
from retree.site.rendered_papers import ItemFiles, PaperFiles

COUNTS = ("equal", "agrees", "weak", "differs", "explained", "missing")
COUNT_HEADS = (
    *("share that agrees", "equal", "agree", "agree weakly", "differ"),
    *("known misprints", "cannot be judged"),
)
# The items have pages here, with their agreement.
_OWN_SECTIONS = ("Tables and figures",)
ROOT = "../../"
FILES = f"{ROOT}files"


def paper_page(files: PaperFiles, comparisons: pd.DataFrame) -> str:
    """Return the page of a paper as Markdown.

    Parameters
    ----------
    files : PaperFiles
    comparisons : DataFrame
        The cells of all its tables, as from `retree.reports.rendered_tables.read_comparisons`.
    """
    parts = [
        f"# {inert(files.paper.title)}\n",
        f"{_citation(files.paper)}\n",
        "## Tables and figures\n",
        raw_markdown(_items_table(files, comparisons)),
        raw_markdown(_gallery(files)),
        _evidence(files),
        _toctree(f"{item.title} <{item.name}>" for item in files.items),
    ]
    for title, section in files.sections.items():
        if title not in _OWN_SECTIONS:
            body = with_tables(section, title, _names(files))
            parts += [f"## {title}\n", linked(body, files)]
    return "\n".join(parts)


def item_page(files: PaperFiles, item: ItemFiles) -> str:
    """Return the page of a table or figure as Markdown."""
    title = f"{files.name}, {item.title}" + (f": {item.caption}" if item.caption else "")
    parts = ["---\nhide-toc: true\n---\n", f"# {inert(title)}\n", f"{_citation(files.paper)}\n"]
    if item.markdown:
        body = with_tables(_body(item.markdown, files.paper), item.title, _names(files))
        parts += [legend(item.markdown), linked(body, files)]
    parts += [raw_markdown(picture(files, path, _alt(files, path))) for path in item.pictures]
    own = [p.name for p in item.files]
    parts.append(raw_markdown(_file_links(files, own)))
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
    """Return Markdown of a paper whose names lead to what they name.

    Links to the paper's files lead to pages, or to copies of the files; tests lead to their source,
    commits to the repository and, at the head of a table's columns and rows, methods and data sets
    to their pages.
    """
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

    known = _named_pages(files)
    lines = [_linked_heads(line, known) for line in markdown.splitlines(keepends=True)]
    with_files = re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", repair, "".join(lines))
    return re.sub(r"`([^`\n]+)`", lambda match: linked_code(match, files), with_files)


def _names(files: PaperFiles) -> Names:
    addresses = {name: f"{ROOT}{page}" for name, page in _named_pages(files).items()}
    return Names(addresses, files.paper.remarks)


def _named_pages(files: PaperFiles) -> dict[str, str]:
    """Return the pages of the paper's methods and of the folds of its data sets, by their names."""
    keys = {key for item in files.paper.items.values() for key in item.get("methods") or ()}
    pages = {files.method_name(key): links.method_page(key) for key in keys}
    known = {name: page for name, page in pages.items() if page is not None}
    return known | {d: links.folds_page(files.name, d) for d in files.fold_pages}


def _linked_heads(line: str, known: Mapping[str, str]) -> str:
    """Return a line of a table with links in those cells that consist of a known name."""
    if not line.startswith("| "):
        return line
    cells = line.rstrip("\n").split(" | ")
    shown = [cell.removeprefix("| ").removesuffix(" |") for cell in cells]
    linked_cells = (link(ROOT + known[s], s) if s in known else s for s in shown)
    return f"| {' | '.join(linked_cells)} |\n"


def linked_code(match: re.Match[str], files: PaperFiles) -> str:
    """Return a name between backticks with a link, if it is that of a test or a commit."""
    name = match.group(1)
    tests = {test.rpartition("::")[2]: test for test in files.tests}
    page = links.source_of_test(tests.get(name, name)) if "test_" in name else None
    if page is not None:
        return element("a", element("code", text(name)), href=f"{ROOT}{page}")
    commits = (str(run["commit"]) for run in files.runs if run.get("commit"))
    full = next((commit for commit in commits if len(name) > 6 and commit.startswith(name)), None)
    address = links.commit_page(full) if full else None
    return match.group(0) if address is None else f"[{match.group(0)}]({address})"


def _citation(paper: Paper) -> str:
    doi = f" [doi:{paper.doi}](https://doi.org/{paper.doi})" if paper.doi else ""
    return inert(f"{paper.authors}. {paper.reference}.{doi}")


def _file_links(files: PaperFiles, names: Iterable[str]) -> str:
    shown = ", ".join(link(f"{FILES}/{files.name}/{name}", name) for name in names)
    return element("p", f"Files: {shown}", class_="rt-files")


def _evidence(files: PaperFiles) -> str:
    """Return where the folds behind the numbers are, "" if there are none."""
    if not files.fold_pages:
        return ""
    cells = link(f"{FILES}/{files.name}/{CELLS}", CELLS)
    return (
        "Each number in a table leads to its folds. [All folds](folds/index.md) are listed by data "
        f"set; the rows of all cells are in {cells}.\n"
    )


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


def _toctree(entries: Iterable[str]) -> str:
    return "```{toctree}\n:hidden:\n\n" + "\n".join(entries) + "\n```\n"


def _body(markdown: str, paper: Paper) -> str:
    """Return an item's text without its title and the reference, which the page has."""
    own = ("# ", inert(f"{paper.authors}: {paper.title}."))
    return "\n".join(line for line in markdown.splitlines() if not line.startswith(own)) + "\n"
