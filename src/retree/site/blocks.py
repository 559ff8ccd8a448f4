"""Blocks of HTML, tables and sections, in the markups that pages are written in."""

from __future__ import annotations

import re

from retree.reports.document import Table
from retree.reports.html import HtmlWriter
from retree.site.links import find


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
