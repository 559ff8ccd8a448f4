"""The values behind an item's numbers over several data sets."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from retree_lab.reports.comparison import Comparison
from retree_lab.reports.document import Document, Table, TableCell, Text, ToFolds, ToValues, text_of
from retree_lab.reports.item_page import Values
from retree_lab.reports.published import PublishedValue
from retree_lab.reports.runs import Run


def value(dataset, method, number, params='{"k": 2}', published=math.nan):
    names = (dataset, method, "accuracy")
    return Comparison(*names, number, 0.1, PublishedValue(published, math.nan), 10, params)


NEW = [value("iris", "New", 0.8, published=0.75), value("xor", "New", 0.5)]
OLD = [value("iris", "Old", 0.7), value("xor", "Old", 2 / 3)]
NESTED = [replace(c, params='[{"k": 2}]') for c in NEW]


def values_of(*sources):
    return Values(
        "table1", Document([], [Table(["x"], [[TableCell("1", sources=s)] for s in sources])])
    )


def grids(values):
    """The tables of the page by their headings: header and rows as they are shown."""
    headings = [block for block in values.page().blocks if isinstance(block, Text)]
    tables = [block for block in values.page().blocks if isinstance(block, Table)]
    return {
        heading.title: [[shown(entry) for entry in row] for row in (table.header, *table.rows)]
        for heading, table in zip(headings, tables, strict=True)
    }


def shown(entry):
    return entry if isinstance(entry, str) else text_of(entry.text) + entry.after


def test_a_mean_leads_to_its_column_and_a_contrast_to_the_table():
    values = values_of(NEW, [*NEW, *OLD])
    assert values.reference(NEW) == ToValues("table1", 1, "New")
    assert values.reference([*NEW, *OLD]) == ToValues("table1", 1)
    heading, table = values.page().blocks
    assert heading.places == [ToValues("table1", 1)]
    assert [head.text.place for head in table.header[1:]] == [
        ToValues("table1", 1, name) for name in ("New", "Old")
    ]
    assert table.rows[0][1].to == ToFolds("table1", "iris", "New", '{"k": 2}')
    assert grids(values)["Accuracy, 2 data sets"] == [
        ["data set", "New", "Old"],
        ["iris", "0.8 (0.7500)", "0.7"],
        ["xor", "0.5", "0.666667"],
        ["mean", "0.65", "0.683333"],
    ]


def test_another_choice_of_parameters_or_data_sets_has_a_table_of_its_own():
    values = values_of(NEW, NESTED, NEW[:1])
    assert values.reference(NESTED) == ToValues("table1", 2, "New")
    nested = "Accuracy, 2 data sets, parameters chosen inside the training folds"
    assert list(grids(values)) == ["Accuracy, 2 data sets", nested]
    # A number of one data set finds its values among those of more.
    assert values.reference(NEW[:1]) == ToValues("table1", 1, "New")
    ((_, *rows),) = grids(values_of(NEW[:1])).values()
    assert [row[0] for row in rows] == ["iris", "mean"]


def test_methods_are_rows_if_they_are_more():
    more = [replace(c, method="More") for c in OLD]
    ((header, _, old, _),) = grids(values_of([*NEW, *OLD, *more])).values()
    assert header == ["method", "iris", "xor", "mean"]
    assert old == ["Old", "0.7", "0.666667", "0.683333"]


def test_runs_are_counted():
    runs = [
        replace(c, run=Run("accuracy", (0.7,) * n, (0.1,) * n, n))
        for c, n in zip(NEW, (20, 10), strict=True)
    ]
    assert list(grids(values_of(runs))) == ["Accuracy, 2 data sets, means over up to 20 replicates"]


def test_what_is_no_mean_over_folds_has_no_link():
    unknown = [replace(c, params="") for c in NEW]
    _, table = values_of(unknown).page().blocks
    assert table.rows[1][1] == TableCell("0.5")


@pytest.mark.parametrize("sources", [(), ((),)])
def test_without_such_numbers_there_is_no_page(sources):
    assert values_of(*sources).page() is None
