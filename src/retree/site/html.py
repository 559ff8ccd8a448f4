"""Pieces of HTML and of the markups that pages are written in."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

# Characters from which on a cell is broken into lines.
LONG = 32


def element(name: str, content: str = "", **attributes: object) -> str:
    """Return an element around `content`, which is HTML already.

    Attributes that are None are left out; a trailing ``_`` of a name is dropped and other ``_``
    become hyphens.
    """
    texts = [
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    ]
    return f"<{name}{''.join(texts)}>{content}</{name}>"


def text(content: object) -> str:
    """Return `content` escaped."""
    return html.escape(str(content), quote=False)


def name(content: object) -> str:
    """Return a name escaped, which may be broken after its underscores, strokes and plus signs."""
    return re.sub("[_/+]", r"\g<0><wbr>", text(content))


def link(target: str, content: str) -> str:
    """Return a link to `target` with the name `content`; of a script, the name alone."""
    scheme = re.split("[/?#]", target, maxsplit=1)[0]
    safe = ":" not in scheme or scheme in ("http:", "https:")
    return element("a", name(content), href=target) if safe else name(content)


def share_bar(share: float) -> str:
    """Return a bar as long as `share`, with the percentage beside it; "—" if it is NaN."""
    if share != share:
        return "—"
    bar = element("span", element("span", style=f"width:{share:.1%}"), class_="rt-bar")
    return f"{bar} {share:.0%}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], label: str, left: int = 1) -> str:
    """Return a sortable table of HTML cells, which scrolls in a box of its own.

    Parameters
    ----------
    header, rows
        HTML; the first cell of a row is its header.
    label : str
        What the table is about, for those who do not see it.
    left : int, default=1
        Columns that hold words and not numbers; if all do, rows are cards on a narrow screen.
    """
    lines, rows = [], list(rows)
    classes = [_class(index, [row[index] for row in rows], left) for index in range(len(header))]
    heads = [
        element("th", cell, scope="col", class_=class_)
        for cell, class_ in zip(header, classes, strict=True)
    ]
    # Tables of folds have so many cells that an element of its own for each takes long.
    opened = [element("td", class_=class_).removesuffix("</td>") for class_ in classes[1:]]
    for first, *cells in rows:
        line = [element("th", first, scope="row", class_=classes[0])]
        line += [f"{tag}{cell}</td>" for tag, cell in zip(opened, cells, strict=True)]
        lines.append(element("tr", "".join(line)))
    words = " rt-words" if left == len(header) else ""
    content = element("thead", element("tr", "".join(heads)))
    content += element("tbody", "\n".join(lines))
    return boxed(element("table", content, class_=f"rt rt-sortable{words}"), label)


def _class(index: int, cells: Iterable[str], left: int) -> str | None:
    """Return the class of a column: one of long texts, one of words, or None."""
    if index >= left:
        return None
    longest = max((len(re.sub(r"<[^>]*>", "", cell)) for cell in cells), default=0)
    return "rt-long" if longest > LONG else "rt-text" if index else None


def boxed(content: str, label: str) -> str:
    """Return `content` in a box that scrolls, by the keyboard too."""
    return element("div", content, class_="rt-box", role="region", tabindex=0, aria_label=label)


def raw_markdown(content: str) -> str:
    """Return HTML as a block of a Markdown page, which nothing in the HTML ends."""
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
