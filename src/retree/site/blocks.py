"""Blocks of HTML, and titles, in the markups that pages are written in."""

from __future__ import annotations

import re


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


def rst_text(content: str) -> str:
    """Return `content` for reStructuredText without any meaning of its signs."""
    return re.sub(r"([\\*`_|])", r"\\\1", content)
