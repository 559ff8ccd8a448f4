"""Blocks of HTML, tables and sections, in the markups that pages are written in."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

from retree_lab.reports.document import Figure, Table
from retree_lab.reports.figures import seen, svg_size
from retree_lab.reports.html import HtmlWriter, element, text
from retree_lab.site.links import find
from retree_lab.site.rendered_papers import PaperFiles


def raw_markdown(content: str) -> str:
    """Return HTML as a block of a Markdown page, which nothing in the HTML ends; "" of none."""
    if not content:
        return ""
    fence = "`" * max(5, *(len(run) + 1 for run in re.findall("`+", content)), 0)
    return f"{fence}{{raw}} html\n{content}\n{fence}\n"


def raw_rst(content: str) -> str:
    """Return HTML as a block of a reStructuredText page."""
    lines = "\n".join(f"   {line}" for line in content.splitlines())
    return f".. raw:: html\n\n{lines}\n"


def rst_title(title: str, underline: str = "=") -> str:
    """Return a title of a reStructuredText page, as the words are."""
    escaped = rst_text(title)
    return f"{escaped}\n{underline * (len(escaped) + 2)}\n"


def rst_section(title: str, content: str) -> str:
    """Return a section of a reStructuredText page, "" without content."""
    return f"{rst_title(title, '-')}\n{content}\n" if content.strip() else ""


def markdown_table(table: Table, label: str) -> str:
    """Return a table of a Markdown page on the site that is in no paper's folder."""
    return raw_markdown(HtmlWriter(find).table(table, label))


def rst_table(table: Table, label: str) -> str:
    """Return a table of a reStructuredText page."""
    return raw_rst(HtmlWriter(find).table(table, label))


def rst_text(content: str) -> str:
    """Return `content` for reStructuredText without any meaning of its signs."""
    return re.sub(r"([\\*`_|])", r"\\\1", content)


def picture(files: PaperFiles, path: Path, alt: str, root: str = "../../") -> str:
    """Return a figure of a paper with what it says below it; `alt` where it says nothing."""
    source = f"{root}{files.copies}/{path.name}"
    image = element_image(source, seen(path) or alt, *svg_size(path))
    caption = element("figcaption", text(alt))
    return element("figure", element("a", image, href=source) + caption, class_="rt-figure")


def element_image(source: str, alt: str, width: int, height: int) -> str:
    """Return an image, of which the browser knows the size before it has it."""
    attributes = f'alt="{text(alt)}" width="{width}" height="{height}" loading="lazy"'
    return f'<img src="{source}" {attributes}>'


def figure_of(files: PaperFiles, figure: Figure, root: str) -> str:
    """Return a figure of a document, "" if it was not drawn."""
    path = files.folder / figure.file
    return picture(files, path, figure.caption, root) if path.is_file() else ""


def all_files(files: PaperFiles) -> list[Path]:
    """Return the files of a paper's folder of results."""
    return [path for path in files.folder.iterdir() if path.is_file()]


def docstring_of(thing: Any) -> str:
    """Return the docstring of a class or function as reStructuredText."""
    return bars(inspect.getdoc(thing) or "")


def bars(content: str) -> str:
    """Return reStructuredText in which bars outside of code are bars, and no substitutions."""
    parts = re.split(r"(`[^`]*`)", content)
    return "".join(p if p.startswith("`") else p.replace("|", r"\|") for p in parts)
