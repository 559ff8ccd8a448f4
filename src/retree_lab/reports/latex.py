"""The tables of documents as LaTeX (booktabs)."""

from __future__ import annotations

from collections.abc import Sequence

from retree_lab.reports.document import (
    Bullets,
    Document,
    Entry,
    Footnotes,
    Table,
    TableCell,
    Text,
    text_of,
)

_SIGNS = {
    "\\": r"\textbackslash{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "✓": r"$^{=}$",
    "≈": r"$^{\approx}$",
    "✗": r"$^{\neq}$",
    "‡": r"$^{\ddagger}$",
    "▲": r"$\uparrow$",
    "▼": r"$\downarrow$",
    "—": "---",
    "−": "$-$",
    "·": r"$\cdot$",
    "√": r"$\surd$",
    "±": r"$\pm$",
}


def to_tex(document: Document, name: str, caption: str) -> str:
    """Return the tables of an item's page in LaTeX, "" if it has none.

    A caption is that of the item and the heading of the table. Below a table stand the sentences
    of the page's lists, and then footnotes of its own.

    `name`, `caption`: of the item. Labels are ``tab:<name>-<number>``, without a number if there is
    one table.
    """
    bullets = [block for block in document.blocks if isinstance(block, Bullets)]
    legend = [text_of(sentence) for block in bullets for sentence in block.sentences]
    tables, title = list[tuple[Table, str]](), ""
    for block in document.blocks:
        title = block.title or title if isinstance(block, Table | Text) else title
        if isinstance(block, Table):
            tables.append((block, f"{caption}: {title}" if title else caption))
    ends = [""] if len(tables) == 1 else [f"-{i}" for i in range(1, len(tables) + 1)]
    pairs = zip(tables, ends, strict=True)
    return "\n".join(_table(*found, f"tab:{name}{end}", legend) for found, end in pairs)


def _table(table: Table, caption: str, label: str, legend: Sequence[str]) -> str:
    notes, columns = Footnotes(), "l" * table.left + "r" * (len(table.header) - table.left)
    cells = [entry for row in table.rows for entry in row if isinstance(entry, TableCell)]
    both = ", reproduced (published)" if any(cell.published for cell in cells) else ""
    header, *rows = (
        " & ".join(_entry(entry, notes) for entry in line) + r" \\"
        for line in (table.header, *table.rows)
    )
    lines = [
        r"\begin{table}",
        r"\centering",
        r"\small",
        r"\setlength{\tabcolsep}{4pt}",
        rf"\caption{{{_escape(caption + both)}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        header,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\smallskip {_escape(note)}" for note in [*legend, *notes.lines()]),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _entry(entry: Entry, notes: Footnotes) -> str:
    if isinstance(entry, str):
        return _escape(entry)
    text = _escape(text_of(entry.text) + entry.after + notes.mark(entry.reason))
    return rf"\textbf{{{text}}}" if entry.strong else text


def _escape(text: str) -> str:
    """Return `text` for LaTeX; the marks of verdicts and tests become mathematical signs."""
    return "".join(_SIGNS.get(character, character) for character in text)
