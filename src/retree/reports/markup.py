"""Tables as Markdown, as LaTeX (booktabs) and as HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

_TEX = {
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
_ENTITIES = {"<": "&lt;"}
# Places are left as they are; of all else that would be acted on, the signs are replaced.
_ACTIVE = re.compile(
    r'(<a id="[\w-]+"></a>)|<(?=[A-Za-z/!?])|\{(?=[\w:+-]+\}`)|(?:`{3,}|~{3,}|:{3,})(?=[ \t]*\{)'
)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return a pipe table; the first `left` columns are aligned left, the others right."""
    marks = [":--"] * left + ["--:"] * (len(header) - left)
    lines = [header, marks, *rows]
    return "".join(f"| {' | '.join(_pipe(cell) for cell in line)} |\n" for line in lines)


def tex_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str,
    label: str,
    notes: Sequence[str] = (),
    left: int = 1,
) -> str:
    """Return a LaTeX ``table`` of booktabs rules with notes below.

    Caption and notes are escaped here; header and rows are LaTeX already.
    """
    columns = "l" * left + "r" * (len(header) - left)
    lines = [
        r"\begin{table}",
        r"\centering",
        r"\small",
        r"\setlength{\tabcolsep}{4pt}",
        rf"\caption{{{tex_escape(caption)}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _tex_row(header),
        r"\midrule",
        *(_tex_row(row) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\smallskip {tex_escape(note)}" for note in notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return an HTML table of what is HTML already; the first `left` cells of a row head it."""
    lines = [_html_row(header, len(header)), *(_html_row(row, left) for row in rows)]
    return f"<table>\n{''.join(lines)}</table>"


def html_list(items: Sequence[str]) -> str:
    """Return what is HTML already as a list, "" if there is nothing."""
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>" if items else ""


def html_sentence(text: str) -> str:
    """Return a sentence for HTML; names of code are set as such, and links are their words."""
    escaped = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", html.escape(text))
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped)


def tex_escape(text: str) -> str:
    """Return `text` for LaTeX; the marks of verdicts and tests become mathematical signs."""
    return "".join(_TEX.get(character, character) for character in text)


def markdown_escape(text: str) -> str:
    """Return `text` for Markdown; a pair of bare stars would set what is between in italics."""
    return text.replace("*", r"\*")


def inert(markdown: str) -> str:
    """Return Markdown in which nothing is HTML but the places that links lead to.

    Texts of a study, names of classes among them, may look like tags, or like the directives and
    roles by which the site would take in whatever they name.
    """

    def replaced(found: re.Match[str]) -> str:
        return found[1] or "".join(_ENTITIES.get(sign, f"&#{ord(sign)};") for sign in found[0])

    return _ACTIVE.sub(replaced, markdown)


def bullets(sentences: Sequence[str]) -> str:
    """Return sentences as a Markdown list, "" if there is none."""
    return "".join(f"- {sentence}\n" for sentence in sentences)


class Footnotes:
    """Numbered reasons; the same reason has the same number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, reason: str) -> str:
        """Return `` [n]`` for a reason, "" for no reason."""
        if not reason:
            return ""
        return f" [{self._numbers.setdefault(reason, len(self._numbers) + 1)}]"

    def lines(self) -> list[str]:
        """Return the numbered reasons."""
        return [f"[{n}] {reason}" for reason, n in self._numbers.items()]

    def text(self) -> str:
        """Return the numbered reasons as Markdown, one per line."""
        return "".join(f"{line}  \n" for line in self.lines())


class References:
    """Addresses that are given at the end of a Markdown file, so that its tables can be read."""

    def __init__(self) -> None:
        self._labels: dict[tuple[str, str], str] = {}

    def link(self, words: str, address: str, note: str = "") -> str:
        """Return `words` as a link to `address`, with a note for those who point at it."""
        label = self._labels.setdefault((address, note), f"f{len(self._labels) + 1}")
        return f"[{words}][{label}]"

    def text(self) -> str:
        """Return what the links refer to, one per line."""
        return "".join(
            f"[{label}]: {address}" + (f' "{_in_quotes(note)}"' if note else "") + "\n"
            for (address, note), label in self._labels.items()
        )


def _in_quotes(note: str) -> str:
    return note.replace("\\", r"\\").replace('"', r"\"")


def _pipe(cell: str) -> str:
    return cell.replace("|", r"\|").replace("\n", " ")


def _html_row(cells: Sequence[str], heads: int) -> str:
    names = ["th"] * heads + ["td"] * (len(cells) - heads)
    pairs = zip(names, cells, strict=True)
    return f"<tr>{''.join(f'<{name}>{cell}</{name}>' for name, cell in pairs)}</tr>\n"


def _tex_row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
