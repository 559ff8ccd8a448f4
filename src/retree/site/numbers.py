"""The tables of rendered Markdown for a browser: verdicts in colour, notes, sorting, links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape

from retree.reports.formatting import SIGNS, VERDICTS
from retree.reports.notes import DIFFERENCE, DOT
from retree.site.html import LONG, boxed, element, link, name, raw_markdown, table, text
from retree.statistics import AGREEING, Verdict

_REFERENCE = re.compile(r'^\[(f\d+)\]: (\S+)(?: "(.*)")?\n', re.MULTILINE)
_TABLE = re.compile(r"((?:^\| .*\n)+)", re.MULTILINE)
# A number with its reference, the published one in brackets, marks, and the number of a footnote.
_NUMBER = re.compile(
    r"(?:\[(?P<linked>[^\]]+)\](?:\[(?P<label>f\d+)\]|\((?P<address>[^)]+)\))"
    r"|(?P<plain>[+−]?\d[^ ]*|—))"
    r"(?: (?P<published>\([+−]?\d[^()]*\)))?(?: (?P<marks>(?:\(✓\)|[=✓✗†▲▼]|v|\\\*)+))?"
    r"(?P<note> \[\d+\])?"
)
_INLINE = re.compile(
    r"\\([*|])|\*\*(.+?)\*\*|`([^`]+)`|\[([^\]]+)\]\[(f\d+)\]|\[([^\]]+)\]\(([^)]+)\)"
)
# Weka's tables count their columns, and a head may have a footnote.
_HEAD = re.compile(r"^(\(\d+\) )?(.*?)( \[\d+\])?$")
_PLACE = re.compile(r'<a id="([\w-]+)"></a>')
_VERDICTS = {sign: verdict for verdict, sign in SIGNS.items() if sign}
# Characters in a row that a wide screen has room for at the usual size, and in a column at least.
_WIDEST, _LEAST = 100, 8
# The first cells of rows that are of all others: means, and the counts of Weka's marks.
_LAST = ("mean", "(v/ /*)")


@dataclass(frozen=True)
class Names:
    """What the heads of rows and columns lead to, and remarks on them, by what they are called."""

    pages: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)


def with_tables(markdown: str, title: str, names: Names, every: bool = False) -> str:
    """Return rendered Markdown in which tables are HTML and links to places are, too.

    Parameters
    ----------
    markdown : str
        As `retree.reports.writer` and `retree.reports.fold_files` write it.
    title : str
        What the page is about.
    names : Names
    every : bool, default=False
        Whether tables without numbers that lead somewhere become HTML too.
    """
    references = _REFERENCE.findall(markdown)
    page = _Page(names, {key: [unescape(part) for part in rest] for key, *rest in references})
    parts, heading, labels = [], "", Counter[str]()
    for part in _TABLE.split(_REFERENCE.sub("", markdown)):
        if part.startswith("| ") and (every or _has_numbers(part)):
            label = ", ".join(unescape(words) for words in (title, heading) if words)
            labels[label] += 1
            number = f" ({labels[label]})" if labels[label] > 1 else ""
            parts.append(raw_markdown(page.table(part, label + number)))
            continue
        headings = re.findall(r"^## (.+)$", part, re.MULTILINE)
        heading = headings[-1] if headings else heading
        parts.append(page.prose(part))
    return "\n".join(parts)


def legend(markdown: str) -> str:
    """Return what the colours and signs of a page's tables mean, "" if it has no such numbers."""
    rows = "".join(part for part in _TABLE.findall(markdown) if _has_numbers(part))
    keys = [
        element("span", f"{sign} {VERDICTS[verdict]}", class_=f"rt-key rt-{verdict}")
        for sign, verdict in _VERDICTS.items()
        if re.search(rf" {re.escape(sign)}", rows)
    ]
    shown = ["reproduced (published)"] if keys else []
    hint = (
        "Click a number for its folds, or a mean for the values behind it; hover for spread, test "
        "and parameters."
    )
    parts = [*shown, *keys, *([hint] if _REFERENCE.search(markdown) else [])]
    return raw_markdown(element("p", " ".join(parts), class_="rt-legend")) if parts else ""


def _has_numbers(rows: str) -> bool:
    return "][f" in rows or "](folds/" in rows or any(f" {sign}" in rows for sign in _VERDICTS)


@dataclass(frozen=True)
class _Page:
    """A page: what its names lead to, and addresses and notes by the labels of references."""

    names: Names
    references: Mapping[str, Sequence[str]]

    def prose(self, markdown: str) -> str:
        """Return Markdown whose links to places are HTML, since Sphinx does not know these."""
        with_references = re.sub(
            r"\[([^\]]+)\]\[(f\d+)\]",
            lambda match: f"[{match[1]}]({self.references[match[2]][0]})",
            markdown,
        )
        return re.sub(
            r"\[([^\]]+)\]\(([^):]*#[^)]+)\)",
            lambda match: link(_page_of(match[2]), unescape(match[1])),
            with_references,
        )

    def table(self, markdown: str, label: str) -> str:
        """Return a table as HTML; `label` says what it is about, to those who do not see it."""
        texts = (line[2:-2].split(" | ") for line in markdown.splitlines())
        lines = [[unescape(cell) for cell in cells] for cells in texts]
        header, marks, *rows = lines
        left = marks.count(":--")
        if not _has_numbers(markdown) and not _PLACE.search(markdown):
            grid = [[self._inline(cell) for cell in row] for row in rows]
            return table([self._inline(cell) for cell in header], grid, label, left)
        body = [row for row in rows if _plain(row[0]) not in _LAST]
        foot = [row for row in rows if _plain(row[0]) in _LAST]
        heads = [self._head(cell, "col", 0 < i < left) for i, cell in enumerate(header)]
        parts = [_row(heads)]
        parts.append("\n".join(self._row(row, header, left) for row in body))
        last = [self._row(row, header, left) for row in foot]
        parts.append("".join([*last, *_counts(rows)]))
        names = ("thead", "tbody", "tfoot")
        content = (element(n, part) for n, part in zip(names, parts, strict=True) if part)
        classes = f"rt rt-cells rt-sortable{' rt-dense' if _width(rows) > _WIDEST else ''}"
        return boxed(element("table", "".join(content), class_=classes), label)

    def _row(self, row: Sequence[str], header: Sequence[str], left: int) -> str:
        cells = [self._head(row[0], "row")]
        cells += [self._words(cell, "rt-text") for cell in row[1:left]]
        heads = zip(row[left:], header[left:], strict=True)
        cells += [self._cell(cell, f"{_plain(row[0])} · {_plain(head)}") for cell, head in heads]
        return _row(cells)

    def _head(self, cell: str, scope: str, is_of_words: bool = False) -> str:
        before, words, after = _HEAD.findall(cell)[0]
        places = "".join(element("span", id=place) for place in _PLACE.findall(words))
        plain, words = _plain(words), _PLACE.sub("", words)
        remark = self.names.remarks.get(plain)
        shown = places + (self._inline(words) if plain != words else name(words))
        if plain in self.names.pages:
            shown = element("a", shown, href=self.names.pages[plain], data_tip=remark)
        elif remark is not None:
            shown = element("abbr", shown, tabindex=0, data_tip=remark)
        class_ = "rt-text" if is_of_words else None
        return element("th", f"{before}{shown}{after}", scope=scope, class_=class_)

    def _cell(self, cell: str, place: str) -> str:
        """Return a number with its marks and, below, the published one; else what the cell has."""
        found = _NUMBER.fullmatch(cell)
        if found is None:
            return self._words(cell)
        address, note = self.references.get(found["label"] or "", (found["address"], ""))
        difference = re.search(rf"\b{DIFFERENCE} ([+−][\d.]+)", note)
        shown = element("span", text(found["linked"] or found["plain"]), class_="rt-number")
        if difference:
            shown += element("span", difference[1], class_="rt-difference")
        if address:
            shown = element("a", shown, href=_page_of(address))
        if found["marks"]:
            marks = text(found["marks"].replace("\\", ""))
            shown += f" {element('span', marks, class_='rt-marks')}"
        if found["published"]:
            shown += element("span", text(found["published"]), class_="rt-published")
        verdict = _verdict(found["marks"])
        return element(
            "td",
            shown + (found["note"] or ""),
            class_=f"rt-{verdict}" if verdict else None,
            data_difference=difference and difference[1].replace("−", "-"),
            data_tip="\n".join([place, *note.replace(r"\"", '"').split(DOT)]) if note else None,
        )

    def _words(self, cell: str, class_: str | None = None) -> str:
        class_ = "rt-long" if len(_plain(cell)) > LONG else class_
        page = self.names.pages.get(cell)
        return element("td", link(page, cell) if page else self._inline(cell), class_=class_)

    def _inline(self, markdown: str) -> str:
        return _INLINE.sub(self._replaced, text(markdown))

    def _replaced(self, match: re.Match[str]) -> str:
        sign, strong, code, words, label, shown, address = match.groups()
        if label or address:
            target = self.references[label][0] if label else address
            return link(_page_of(target), words or shown)
        return sign or (element("strong", strong) if strong else element("code", code))


def _row(cells: Sequence[str]) -> str:
    return element("tr", "".join(cells))


def _plain(cell: str) -> str:
    """Return the words of a cell without links, stars and places."""
    words = re.sub(r"\[([^\]]+)\](?:\[f\d+\]|\([^)]*\))|<[^>]*>|\*\*", r"\1", cell)
    return re.sub(r" \[\d+\]$", "", words.replace("\\", ""))


def _width(rows: Sequence[Sequence[str]]) -> int:
    """Return how many characters the widest cells of the columns have; published ones are below."""
    shown = (
        [len(_plain(cell).partition(" (")[0]) for cell in column]
        for column in zip(*rows, strict=True)
    )
    return sum(min(max(*lengths, _LEAST), LONG) for lengths in shown)


def _page_of(address: str) -> str:
    return re.sub(r"\.md(?=$|#)", ".html", address)


def _verdict(marks: str | None) -> Verdict | None:
    """Return the verdict that marks begin with."""
    found = re.match("|".join(map(re.escape, _VERDICTS)), marks or "")
    return _VERDICTS[found.group()] if found else None


def _counts(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the row of how many published numbers of each column agree."""
    verdicts = [[_verdict(_marks(cell)) for cell in column] for column in zip(*rows, strict=True)]
    counts = [_count(found) for found in verdicts[1:]]
    if any(counts) and len(rows) > 1:
        heads = element("th", "agree", scope="row")
        yield _row([heads, *(element("td", count) for count in counts)])


def _marks(cell: str) -> str | None:
    found = _NUMBER.fullmatch(cell)
    return found and found["marks"]


def _count(verdicts: Sequence[Verdict | None]) -> str:
    within = sum(verdicts.count(verdict) for verdict in AGREEING)
    compared = within + verdicts.count(Verdict.DIFFERS)
    return f"{within} of {compared}" if compared else ""
