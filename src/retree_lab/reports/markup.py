"""Documents as Markdown, and their tables as LaTeX (booktabs)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import quote

from retree_lab.reports.document import (
    Block,
    Bullets,
    Document,
    Entry,
    Figure,
    Footnotes,
    Listing,
    Phrase,
    Prose,
    Reference,
    Table,
    TableCell,
    Text,
    ToAddress,
    ToFile,
    ToPage,
    parts_of,
    text_of,
)

# Brackets with an address behind them are a link or a picture.
_LINKED = re.compile(r"\](?=[(:])")
_ENTITIES = {"<": "&lt;"}
# Of all that would be acted on the signs are replaced.
_ACTIVE = re.compile(r"<(?=[A-Za-z/!?])|\{(?=[\w:+-]+\}`)|(?:`{3,}|~{3,}|:{3,})(?=[ \t]*\{)")


def to_markdown(document: Document) -> str:
    """Return a document in Markdown: title, introduction and blocks, footnotes last.

    Only files, pages and addresses are links: numbers lead to their folds on the site.
    """
    notes = Footnotes()
    lead = [Text(text=paragraph) for paragraph in document.lead]
    blocks = [*lead, Bullets(document.introduction), *document.blocks]
    texts = [f"# {unlinked(document.title)}\n" if document.title else ""]
    texts += [_block(block, notes) for block in blocks]
    texts.append("  \n".join(notes.lines()) + "\n")
    return "\n".join(text for text in texts if text.strip())


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return a pipe table; the first `left` columns are aligned left, the others right."""
    marks = [":--"] * left + ["--:"] * (len(header) - left)
    lines = [header, marks, *rows]
    return "".join(f"| {' | '.join(_pipe(cell) for cell in line)} |\n" for line in lines)


def unlinked(text: str) -> str:
    """Return a text in which brackets make no link and no picture."""
    return _LINKED.sub(r"]\\", text)


def inert(markdown: str) -> str:
    """Return Markdown in which nothing is HTML.

    Texts of a study, names of classes among them, may look like tags, or like the directives and
    roles by which the site would take in whatever they name.
    """

    def replaced(match: re.Match[str]) -> str:
        return "".join(_ENTITIES.get(sign, f"&#{ord(sign)};") for sign in match[0])

    return _ACTIVE.sub(replaced, markdown)


def _block(block: Block, notes: Footnotes) -> str:
    match block:
        case Table():
            lines = [[_entry(e, notes) for e in row] for row in (block.header, *block.rows)]
            return _below(block.title, markdown_table(lines[0], lines[1:], block.left))
        case Text():
            text = _prose(block.text, unlinked)
            return _below(block.title, f"{text}\n" if text else "")
        case Bullets():
            return "".join(f"- {_prose(sentence)}\n" for sentence in block.sentences)
        case Figure():
            return f"![{unlinked(block.caption)}]({quote(block.file)})\n"
        case Listing():
            return f"```{block.language}\n{block.lines}\n```\n"


def _below(title: str, text: str) -> str:
    head = f"## {unlinked(title)}\n" if title else ""
    return "\n".join(part for part in (head, text) if part)


def _entry(entry: Entry, notes: Footnotes) -> str:
    if isinstance(entry, str):
        return _escape(entry)
    text = _prose(entry.text) + _escape(entry.after + notes.mark(entry.reason))
    if address := _address(entry.to):
        text = f"[{text}]({address})"
    return f"**{text}**" if entry.strong else text


def _prose(prose: Prose, escape: Callable[[str], str] | None = None) -> str:
    escape = escape or _escape
    return "".join(
        _words(part) if isinstance(part, Phrase) else escape(part) for part in parts_of(prose)
    )


def _words(words: Phrase) -> str:
    text = f"`{words.text}`" if words.code else _escape(words.text)
    if address := _address(words.to):
        text = f"[{text}]({address})"
    return f"**{text}**" if words.strong else text


def _address(reference: Reference | None) -> str:
    match reference:
        case ToPage(name):
            return f"{quote(name)}.md"
        case ToFile(name):
            return quote(name)
        case ToAddress(address):
            return address
    return ""


def _escape(text: str) -> str:
    """Return `text` for Markdown; a pair of bare stars would set what is between in italics."""
    return unlinked(text).replace("*", r"\*")


def _pipe(cell: str) -> str:
    return cell.replace("|", r"\|").replace("\n", " ")


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
    return "\n".join(_table(*table, f"tab:{name}{end}", legend) for table, end in pairs)


def _table(table: Table, caption: str, label: str, legend: Sequence[str]) -> str:
    notes, columns = Footnotes(), "l" * table.left + "r" * (len(table.header) - table.left)
    cells = [entry for row in table.rows for entry in row if isinstance(entry, TableCell)]
    both = ", reproduced (published)" if any(cell.published for cell in cells) else ""
    header, *rows = (
        " & ".join(_tex_entry(entry, notes) for entry in line) + r" \\"
        for line in (table.header, *table.rows)
    )
    lines = [
        r"\begin{table}",
        r"\centering",
        r"\small",
        r"\setlength{\tabcolsep}{4pt}",
        rf"\caption{{{_escape_tex(caption + both)}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        header,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\smallskip {_escape_tex(note)}" for note in [*legend, *notes.lines()]),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _tex_entry(entry: Entry, notes: Footnotes) -> str:
    if isinstance(entry, str):
        return _escape_tex(entry)
    text = _escape_tex(text_of(entry.text) + entry.after + notes.mark(entry.reason))
    return rf"\textbf{{{text}}}" if entry.strong else text


def _escape_tex(text: str) -> str:
    """Return `text` for LaTeX; the marks of verdicts and tests become mathematical signs."""
    return "".join(_SIGNS.get(character, character) for character in text)
