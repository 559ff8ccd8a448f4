"""Every linked number of a Markdown table leads to the folds whose mean it is."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache

import numpy as np
import pandas as pd
import pytest
from linked_pages import as_number, linked_numbers, sections, slack, value_tables
from scipy.stats import rankdata
from toy_paper import toy_item

from retree import paths
from retree.cli import main
from retree.reports import page as page_module
from retree.reports.fold_groups import FoldGroup
from retree.reports.fold_sections import FoldSection

RESULTS = paths.project_dir() / "results"
ALL = 1000
# Numbers that are made of the means of two lists of folds, or of all test rows together and cut.
DERIVED = ("optimism of the selection", "ratio of CPU times", "correct test rows in %")


def rows_of(part):
    """The lines of all tables of a section as lists of texts."""
    lines = re.findall(r"^\| (.*) \|$", part, flags=re.MULTILINE)
    return [line.split(" | ") for line in lines]


def listed(part, quantity, *, runs):
    """The values of a quantity whose mean a number is: of the first runs, if more than one."""
    # A quantity is listed once, under the name that it has first.
    same = ("accuracy", "accuracy, nested selection")
    names = [quantity, *(same if quantity in same else ())]
    found = (
        re.search(rf"^- Mean {re.escape(n)} of each replicate: (.*)$", part, re.M) for n in names
    )
    if runs > 1 and (means := next(filter(None, found), None)):
        return [float(text) for text in means.group(1).split(", ")][:runs]
    lines = rf"^{re.escape(quantity)}:\n((?: ?\d+  .*\n)+)"
    if block := re.search(lines, part, re.M):
        return [float(v) for line in block.group(1).splitlines() for v in line.split()[1:]]
    rows = rows_of(part)
    start = next(i for i, row in enumerate(rows) if row[0] == "repeat, fold")
    column = next(rows[start].index(name) for name in names if name in rows[start])
    return [float(row[column]) for row in rows[start + 2 :]]


def is_shown(reproduced, shown):
    """Whether a table shows the number, maybe with more decimals, as where the digit judges."""
    if reproduced == shown:
        return True
    places = len(reproduced.partition(".")[2])
    longer = len(shown.partition(".")[2]) > places
    return longer and abs(as_number(shown) - as_number(reproduced)) <= 0.5001 * 10.0**-places


def check_number(part, item, shown):
    """Hold the rows of an item that show a number against the folds; return how many there are."""
    checked = 0
    for place, quantity, reproduced, *_ in (r for r in rows_of(part) if len(r) == 6):
        if place.endswith(f"(../{item}.md)") and is_shown(reproduced, shown):
            checked += 1
            if quantity not in DERIVED:
                name, _, of = quantity.partition(", first ")
                runs = (
                    ALL
                    if not of
                    else 1
                    if of in ("run", "replicate")
                    else int(of.partition(" ")[0])
                )
                values = listed(part, name, runs=runs)
                right = pytest.approx(as_number(reproduced), abs=slack(reproduced))
                assert sum(values) / len(values) == right
    return checked


def rank_range(number, table):
    """The least and the greatest average rank that values of six digits allow."""
    matrix = np.array([table.values(name) for name in table.columns])
    better = matrix if table.quantity.startswith("Error") else -matrix
    place = list(table.columns).index(number.row)
    return [rankdata(better, method, axis=0).mean(axis=1)[place] for method in ("min", "max")]


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


def check_made_of(number, shown, table, column):
    """Hold a number against the values that it leads to; return whether that is possible."""
    right = recomputed(number, table, column)
    ends = [right, right]
    if number.head == "average rank":
        ends = rank_range(number, table)
    elif number.head.startswith("mean abs."):
        # The page of values has the published ones with as many decimals as the metric.
        ends = [right - slack(shown), right + slack(shown)]
    elif right is None:
        return False
    assert ends[0] - slack(shown) <= as_number(shown) <= ends[1] + slack(shown), (number, ends)
    return True


def check_values(page, folder):
    """Hold the values of a page against their folds; return the number of values."""
    tables = {id(table): table for table, _ in value_tables(page).values()}.values()
    known, count = folds_of(folder), 0
    for table in tables:
        for cells in table.columns.values():
            for value, _, address in cells.values():
                file, _, place = address.partition("#")
                quantity = table.quantity[:1].lower() + table.quantity[1:]
                folds = listed(known[file][place], quantity, runs=table.runs)
                assert sum(folds) / len(folds) == pytest.approx(value, rel=1e-5), (page, address)
                count += 1
    return count


@cache
def folds_of(folder):
    """The sections of a paper's files of folds, by file and anchor."""
    paths = (folder / "folds").glob("*.md")
    return {path.name: sections(path) for path in paths if "_values" not in path.name}


def check_links(folder):
    """Follow the links of a paper's pages; return how many lead to folds and how many to values."""
    counts = Counter()
    values = {path.name: value_tables(path) for path in (folder / "folds").glob("*_values.md")}
    for page in folder.glob("*.md"):
        for number in linked_numbers(page.read_text()):
            file, _, place = number.address.removeprefix("folds/").partition("#")
            shown = number.text.partition("±")[0]
            if file in values:
                counts["values", check_made_of(number, shown, *values[file][place])] += 1
            else:
                assert check_number(folds_of(folder)[file][place], page.stem, shown), (page, number)
                counts["folds"] += 1
    for page in values:
        assert check_values(folder / "folds" / page, folder)
    return counts


def test_numbers_of_a_paper_lead_to_their_folds(tiny_clone):
    folder = tiny_clone / "results" / "tiny"
    table = (folder / "table1.md").read_text()
    # Two data sets by two methods by two metrics.
    assert check_links(folder) == {"folds": len(re.findall(r"\]\[f", table))} == {"folds": 8}
    assert "folds/iris.md#table1-gini" in table
    iris = (folder / "folds" / "iris.md").read_text()
    assert "retree show tiny table1 iris bnm_csn_gini\n" in iris
    assert "- Parameters: criterion='bnm+csn', " in iris
    assert len(re.findall(r"^\| 0, \d \| .* \| [0-9a-f]{12} \|$", iris, re.M)) == 10


def test_files_of_folds_are_written_from_values(tiny_clone, monkeypatch):
    given = []
    write = page_module.write_folds
    monkeypatch.setattr(
        page_module, "write_folds", lambda *args: given.append(args) or write(*args)
    )
    arguments = ["-j", "1", "paper=tiny", "item=table1", "datasets=[iris]", "results=values"]
    assert main(["run", "--report", *arguments]) == 0
    folder = tiny_clone / "values" / "tiny"
    path = folder / "folds" / "iris.md"
    before = path.read_text()
    for file in (path, *folder.glob("*.csv.gz"), folder / "provenance.json"):
        file.unlink()
    write(*given[0])
    # The links to the archives, which are not there, are all that is lost.
    assert path.read_text().replace(": .\n", ": [cells.csv.gz](../cells.csv.gz).\n") == before


def test_long_protocols_have_a_line_per_repeat(tiny_clone):
    arguments = ["-j", "1", "paper=tiny", "item=table1", "protocol=cv10x10", "datasets=[iris]"]
    assert main(["run", "--report", *arguments, "results=long"]) == 0
    folder = tiny_clone / "long" / "tiny"
    assert check_links(folder) == {"folds": 4}
    block = (folder / "folds" / "iris.md").read_text().partition("```text\n")[2].partition("```")[0]
    assert Counter(len(line.split()) for line in block.splitlines())[11] == 3 * 10


def test_committed_numbers_lead_to_their_folds():
    for folder in (path.parent for path in RESULTS.glob("*/cells.csv.gz")):
        assert bool(check_links(folder)) == (folder / "folds").is_dir(), folder.name


@pytest.mark.parametrize("chosen", [(2, 3), (2, 2)])
def test_parameters_chosen_in_each_fold_stand_beside_it_if_they_differ(chosen):
    points = [{"k": k} for k in chosen]
    known = {"repeat": 0, "replicate": False, "accuracy": 0.5, "n_test": 30, "key": "", "run": 0}
    folds = [{**known, "fold": i, "params": json.dumps(p)} for i, p in enumerate(points)]
    row = {
        "item": "table2",
        "method": "New+Base",
        "params": "",
        "metric": "accuracy_nested",
        "n_replicates": 1,
    }
    numbers = pd.DataFrame([{**row, "is_shown": False}])
    group = FoldGroup("xor", "New+Base", json.dumps(points), numbers, folds)
    section = FoldSection("toy", toy_item("table2"), group, {}, {}, [])
    columns = dict(section.columns)
    if len(set(chosen)) == 1:
        assert section.parameters["k"] == "2"
        assert "parameters" not in columns
    else:
        assert "k" not in section.parameters
        assert columns["parameters"] == ["k=2", "k=3"]
