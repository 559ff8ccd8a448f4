"""The values behind an item's numbers over several data sets."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from retree.reports.comparison import NOTHING, Comparison
from retree.reports.document import Cell, Document, Table
from retree.reports.values_page import Values


def value(dataset, method, number, params='{"k": 2}', published=math.nan):
    names = (dataset, method, "accuracy")
    found = Comparison(*names, number, 0.1, *NOTHING, "", 10, params)
    return replace(found, published=published)


NEW = [value("iris", "New", 0.8, published=0.75), value("xor", "New", 0.5)]
OLD = [value("iris", "Old", 0.7), value("xor", "Old", 2 / 3)]
NESTED = [replace(c, params='[{"k": 2}]') for c in NEW]


def values_of(*sources):
    return Values("table1", Document([], [Table(["x"], [[Cell("1", sources=s)] for s in sources])]))


def test_a_mean_leads_to_its_column_and_a_contrast_to_the_table():
    values = values_of(NEW, [*NEW, *OLD])
    assert values.address(NEW) == "folds/table1_values.md#values-1-new"
    assert values.address([*NEW, *OLD]) == "folds/table1_values.md#values-1"
    lines = values.page().splitlines()
    assert "## Accuracy, 2 data sets" in lines
    assert '| data set | <a id="values-1-new"></a>New | <a id="values-1-old"></a>Old |' in lines
    new, old = "[0.8](iris.md#table1-new) (0.7500)", "[0.7](iris.md#table1-old)"
    assert f"| iris | {new} | {old} |" in lines
    assert lines[-1] == "| **mean** | 0.65 | 0.683333 |"


def test_another_choice_of_parameters_or_data_sets_has_a_table_of_its_own():
    values = values_of(NEW, NESTED, NEW[:1])
    assert values.address(NESTED) == "folds/table1_values.md#values-2-new"
    assert "2 data sets, parameters chosen inside the training folds" in values.page()
    # A number of one data set finds its values among those of more.
    assert values.address(NEW[:1]) == "folds/table1_values.md#values-1-new"
    assert values_of(NEW[:1]).page().count("| iris |") == 1


def test_methods_are_rows_if_they_are_more():
    more = [replace(c, method="More") for c in OLD]
    lines = values_of([*NEW, *OLD, *more]).page().splitlines()
    assert "| method | iris | xor | **mean** |" in lines
    old = "[0.7](iris.md#table1-old) | [0.666667](xor.md#table1-old)"
    assert f'| <a id="values-1-old"></a>Old | {old} | 0.683333 |' in lines


def test_runs_are_counted():
    runs = [replace(c, n_replicates=n) for c, n in zip(NEW, (20, 10), strict=True)]
    assert "## Accuracy, 2 data sets, means over up to 20 replicates" in values_of(runs).page()


def test_what_is_no_mean_over_folds_has_no_link():
    unknown = [replace(c, params="") for c in NEW]
    assert "| xor | 0.5 |" in values_of(unknown).page().splitlines()


@pytest.mark.parametrize("sources", [(), ((),)])
def test_without_such_numbers_there_is_no_page(sources):
    assert values_of(*sources).page() == ""
