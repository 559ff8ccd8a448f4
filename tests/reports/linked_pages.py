"""Reading the pages that the numbers of Markdown tables lead to."""

from __future__ import annotations

import re
from dataclasses import dataclass

LINK = re.compile(r"\[([^\]]+)\]\[(f\d+)\]")
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')


@dataclass(frozen=True)
class Number:
    """A linked number of a table: the first cell of its row, the head of its column, address."""

    text: str
    row: str
    head: str
    address: str


@dataclass(frozen=True)
class ValueTable:
    """Values by column and data set, with what is published and the address of the folds."""

    quantity: str
    runs: int
    columns: dict[str, dict[str, tuple[float, float | None, str]]]

    def values(self, column):
        return [value for value, _, _ in self.columns[column].values()]

    def pairs(self, column):
        return [(value, published) for value, published, _ in self.columns[column].values()]


def grids(text):
    """The tables of a page: header and rows."""
    for block in re.findall(r"(?:^\| .*\|\n)+", text, flags=re.MULTILINE):
        header, _, *rows = ([c.strip() for c in r[2:-2].split(" | ")] for r in block.splitlines())
        yield header, rows


def linked_numbers(text):
    """The linked numbers of a page."""
    addresses = dict(re.findall(r"^\[(f\d+)\]: (\S+)", text, flags=re.MULTILINE))
    assert set(addresses) == {label for _, label in LINK.findall(text)}
    for header, rows in grids(text):
        for row in rows:
            for head, cell in zip(header, row, strict=True):
                for number, label in LINK.findall(cell):
                    yield Number(number, row[0].strip("*"), head, addresses[label])


def sections(path):
    """The parts of a file of folds, by the anchors above them."""
    parts = re.split(r"^(?=<a id=)", path.read_text(), flags=re.MULTILINE)
    return {name: part for part in parts[1:] for name in ANCHOR.findall(part.partition("\n")[0])}


def value_tables(path):
    """The tables of a page of values by their anchors and those of their columns."""
    found = {}
    for anchor, part in sections(path).items():
        quantity, over = re.search(r"^## (.+), \d+ data sets(.*)$", part, re.M).groups()
        ((header, rows),) = grids(part)
        if header[0] == "method":
            header, *rows = zip(header, *rows, strict=True)
        runs = re.search(r"(\d+) replicates", over)
        table = ValueTable(
            quantity, int(runs.group(1)) if runs else 1, {ANCHOR.sub("", h): {} for h in header[1:]}
        )
        for dataset, *cells in rows[:-1]:
            for column, cell in zip(table.columns.values(), cells, strict=True):
                column[dataset] = _value(cell)
        found[anchor] = table, None
        names = (ANCHOR.search(head).group(1) for head in header[1:])
        found |= {a: (table, column) for a, column in zip(names, table.columns, strict=True)}
    return found


def _value(cell):
    link = re.match(r"\[([^\]]+)\]\(([^)]+)\)", cell)
    text, address = link.groups() if link else (cell.partition(" ")[0], "")
    published = re.search(r" \(([^)]+)\)$", cell)
    return as_number(text), published and as_number(published.group(1)), address


def as_number(text):
    return float(text.replace("−", "-"))


def slack(text):
    """How far a number that is shown as `text` may be from the right one."""
    return 0.501 * 10.0 ** -len(text.partition(".")[2]) + 1e-5 * abs(as_number(text))
