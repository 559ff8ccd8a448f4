"""Every number of a paper's pages is held against the folds that it leads to."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import rankdata

from retree_lab.reports.document import (
    Bullets,
    Listing,
    Table,
    TableCell,
    Text,
    ToFolds,
    ToValues,
    text_of,
)
from retree_lab.reports.files import item_title

ALL = 1000
# Numbers that are made of the means of two lists of folds, or of all test rows together and cut.
DERIVED = ("optimism of the selection", "ratio of CPU times", "correct test rows in %")


@dataclass(frozen=True)
class Number:
    """A number of a table: what is shown, first entry of its row, head of its column, reference."""

    text: str
    row: str
    head: str
    to: ToFolds | ToValues


@dataclass(frozen=True)
class ValueTable:
    """Values by column and data set, with what is published and the reference to the folds."""

    quantity: str
    runs: int
    columns: dict[str, dict[str, tuple[float, float | None, ToFolds | None]]]

    def values(self, column):
        return [value for value, _, _ in self.columns[column].values()]

    def pairs(self, column):
        return [(value, published) for value, published, _ in self.columns[column].values()]


def shown(entry):
    return entry if isinstance(entry, str) else text_of(entry.text)


def linked_numbers(page):
    """The numbers of a page that lead to folds or values."""
    for table in (block for block in page.blocks if isinstance(block, Table)):
        for row in table.rows:
            for head, entry in zip(table.header, row, strict=True):
                if isinstance(entry, TableCell) and isinstance(entry.to, ToFolds | ToValues):
                    first = text_of(entry.text).removeprefix("< ").split()[0]
                    yield Number(first.partition("±")[0], shown(row[0]), shown(head), entry.to)


def sections(page):
    """The blocks of the sections of a page, by the names of the places that lead there."""
    found, current = {}, []
    for block in page.blocks:
        if isinstance(block, Text) and block.title:
            current = []
            found |= {place.place: current for place in block.places}
        else:
            current.append(block)
    return found


def value_tables(page):
    """The tables of a page of values by their places and those of their columns."""
    headings = [block for block in page.blocks if isinstance(block, Text)]
    tables = [block for block in page.blocks if isinstance(block, Table)]
    found = {}
    for heading, block in zip(headings, tables, strict=True):
        quantity, over = re.match(r"(.+), \d+ data sets(.*)$", heading.title).groups()
        header, *rows = block.header, *block.rows
        if header[0] == "method":
            header, *rows = zip(header, *rows, strict=True)
        runs = re.search(r"(\d+) replicates", over)
        table = ValueTable(
            quantity, int(runs.group(1)) if runs else 1, {shown(head): {} for head in header[1:]}
        )
        assert [shown(row[0]) for row in rows][-1] == "mean"
        for dataset, *cells in rows[:-1]:
            for column, cell in zip(table.columns.values(), cells, strict=True):
                published = cell.published.strip("()")
                value = as_number(cell.text), as_number(published) if published else None, cell.to
                column[dataset] = value
        found[heading.places[0].place] = table, None
        found |= {head.text.place.place: (table, shown(head)) for head in header[1:]}
    return found


def as_number(text):
    return float(text.replace("−", "-"))


def slack(text):
    """How far a number that is shown as `text` may be from the right one."""
    return 0.501 * 10.0 ** -len(text.partition(".")[2]) + 1e-5 * abs(as_number(text))


def listed(part, quantity, *, runs):
    """The values of a quantity whose mean a number is: of the first runs, if more than one."""
    # A quantity is listed once, under the name that it has first.
    same = ("accuracy", "accuracy, nested selection")
    names = [quantity, *(same if quantity in same else ())]
    sentences = [text_of(s) for b in part if isinstance(b, Bullets) for s in b.sentences]
    starts = [f"Mean {name} of each replicate: " for name in names]
    means = [s.removeprefix(start) for start in starts for s in sentences if s.startswith(start)]
    if runs > 1 and means:
        return [float(text) for text in means[0].split(", ")][:runs]
    return [value for repeat in by_repeat(part, names) for value in repeat]


def by_repeat(part, names):
    """The values of all folds, a list per repeat, of the first of `names` that there is."""
    for lines in (b.lines for b in part if isinstance(b, Listing) and b.language == "text"):
        if block := re.search(rf"^{re.escape(names[0])}:\n((?: ?\d+  .*\n?)+)", lines, re.M):
            return [[float(v) for v in line.split()[1:]] for line in block.group(1).splitlines()]
    (table,) = (b for b in part if isinstance(b, Table) and b.header[0] == "repeat, fold")
    column = next(list(table.header).index(name) for name in names if name in table.header)
    found = {}
    for row in table.rows:
        found.setdefault(shown(row[0]).partition(",")[0], []).append(float(row[column]))
    return [*found.values()]


def is_shown(reproduced, number):
    """Whether a table shows the number, maybe with more decimals, as where the digit judges."""
    if reproduced == number:
        return True
    places = len(reproduced.partition(".")[2])
    longer = len(number.partition(".")[2]) > places
    return longer and abs(as_number(number) - as_number(reproduced)) <= 0.5001 * 10.0**-places


def check_number(part, number):
    """Hold the rows of an item that show a number against the folds; return how many there are."""
    checked = 0
    tables = (b for b in part if isinstance(b, Table) and b.header[:2] == ["table", "quantity"])
    for place, quantity, reproduced, *_ in (row for table in tables for row in table.rows):
        if shown(place) == item_title(number.to.item) and is_shown(reproduced, number.text):
            checked += 1
            if quantity not in DERIVED:
                name, _, of = quantity.partition(", first ")
                count = 1 if of == "replicate" else int(of.partition(" ")[0]) if of else ALL
                values = listed(part, name, runs=count)
                right = pytest.approx(as_number(reproduced), abs=slack(reproduced))
                assert sum(values) / len(values) == right
    return checked


def lowered(quantity):
    """A quantity as it is called within a sentence."""
    return quantity[:1].lower() + quantity[1:]


def replicates(to, table, folds):
    """The values that a value is the mean of: one per replicate, else one per repeat."""
    part, quantity = folds[to.dataset][to.place], lowered(table.quantity)
    if table.runs > 1:
        return listed(part, quantity, runs=table.runs)
    return [np.mean(values) for values in by_repeat(part, [quantity])]


def rank_range(number, table, folds):
    """The lowest and the highest mean of the ranks within replicates that six digits allow."""
    columns = [column.values() for column in table.columns.values()]
    each = [[replicates(to, table, folds) for *_, to in column] for column in columns]
    matrix = np.round(each, 6)
    better = matrix if table.quantity.startswith("Error") else -matrix
    place = list(table.columns).index(number.row)
    ranks = [rankdata(better, method, axis=0) for method in ("min", "max")]
    return [own.mean(axis=(1, 2))[place] for own in ranks]


def recomputed(number, table, column):
    """What a number is by the values that it leads to, None if these are not all that it needs."""
    ours = table.columns
    if column is None:
        after, _, before = number.row.partition(" − ")
        if {after, before} <= set(ours) and number.head == "points (published)":
            return np.mean(table.values(after)) - np.mean(table.values(before))
        return None
    if number.head.startswith("mean abs."):
        return np.mean([abs(value - published) for value, published in table.pairs(column)])
    if number.head == "mean ratio":
        return np.exp(np.mean([np.log(v / p) for v, p in table.pairs(column)]))
    if number.head.endswith(" ratio"):
        return np.exp(np.mean([np.log((v + 1) / (p + 1)) for v, p in table.pairs(column)]))
    is_mean = number.row == "mean" or number.head in ("mean", "accuracy", "depth", "leaves")
    return np.mean(table.values(column)) if is_mean else None


def check_made_of(number, table, column, folds):
    """Hold a number against the values that it leads to; return whether that is possible."""
    right = recomputed(number, table, column)
    ends = [right, right]
    if number.head == "average rank":
        ends = rank_range(number, table, folds)
    elif number.head.startswith("mean abs."):
        # The page of values has the published ones with as many decimals as the metric.
        ends = [right - slack(number.text), right + slack(number.text)]
    elif right is None:
        return False
    assert ends[0] - slack(number.text) <= as_number(number.text) <= ends[1] + slack(number.text), (
        number,
        ends,
    )
    return True


def check_values(page, folds):
    """Hold the values of a page against their folds; return the number of values."""
    tables = {id(table): table for table, _ in value_tables(page).values()}.values()
    count = 0
    for table in tables:
        for cells in table.columns.values():
            for value, _, to in cells.values():
                values = listed(
                    folds[to.dataset][to.place], lowered(table.quantity), runs=table.runs
                )
                assert sum(values) / len(values) == pytest.approx(value, rel=1e-5), (table, to)
                count += 1
    return count


def check_links(rendered):
    """Follow the numbers of a paper's pages; return how many lead to folds and to values."""
    counts = Counter()
    folds = {dataset: sections(page) for dataset, page in rendered.folds.items()}
    values = {item: value_tables(page) for item, page in rendered.values.items()}
    for page in rendered.pages.values():
        for number in linked_numbers(page):
            if isinstance(number.to, ToValues):
                table = values[number.to.item][number.to.place]
                counts["values", check_made_of(number, *table, folds)] += 1
            else:
                part = folds[number.to.dataset][number.to.place]
                assert check_number(part, number), (page.title, number)
                counts["folds"] += 1
    for page in rendered.values.values():
        assert check_values(page, folds)
    return counts
