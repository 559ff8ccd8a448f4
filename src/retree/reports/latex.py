"""The tables of documents as LaTeX (booktabs)."""

from __future__ import annotations

from retree.reports.document import Document, Entry, Table, Tex, text_of
from retree.reports.footnotes import Footnotes

_SIGNS = {
    "\\": r"\textbackslash{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "✓": r"$^{=}$",
    "✗": r"$^{\neq}$",
    "†": r"$^{\dagger}$",
    "‡": r"$^{\ddagger}$",
    "▲": r"$\uparrow$",
    "▼": r"$\downarrow$",
    "—": "---",
    "−": "$-$",
    "·": r"$\cdot$",
    "√": r"$\surd$",
    "±": r"$\pm$",
}


def to_tex(document: Document, name: str) -> str:
    """Return the tables of a document in LaTeX, "" if it has none; labels have the item's `name`.

    Each table has footnotes of its own.
    """
    tables = [block for block in document.blocks if isinstance(block, Table)]
    return "\n".join(_table(table, table.tex, f"tab:{name}") for table in tables if table.tex)


def _table(table: Table, tex: Tex, label: str) -> str:
    notes, columns = Footnotes(), "l" * table.left + "r" * (len(table.header) - table.left)
    header, *rows = (
        " & ".join(_entry(entry, notes) for entry in line) + r" \\"
        for line in (table.header, *table.rows)
    )
    lines = [
        r"\begin{table}",
        r"\centering",
        r"\small",
        r"\setlength{\tabcolsep}{4pt}",
        rf"\caption{{{_escape(tex.caption)}}}",
        rf"\label{{{label}{tex.label}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        header,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\smallskip {_escape(note)}" for note in [*tex.legend, *notes.lines()]),
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
