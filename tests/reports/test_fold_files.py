"""Every linked number of a Markdown table leads to the folds whose mean it is."""

from __future__ import annotations

import json
import re
from collections import Counter

import pandas as pd
import pytest
from toy_paper import toy_item

from retree import paths
from retree.cli import main
from retree.reports.fold_groups import FoldGroup
from retree.reports.fold_sections import FoldSection

RESULTS = paths.project_dir() / "results"
# Numbers that are made of the means of two lists of folds.
DERIVED = ("optimism of the selection", "ratio of CPU times")


def links(text):
    """The linked numbers of a page, with where they lead."""
    addresses = dict(re.findall(r"^\[(f\d+)\]: (\S+)$", text, flags=re.MULTILINE))
    found = re.findall(r"\[([^\]]+)\]\[(f\d+)\]", text)
    assert set(addresses) == {label for _, label in found}
    return [(number, addresses[label]) for number, label in found]


def sections(path):
    """The parts of a file of folds, by the anchors above them."""
    parts = re.split(r"^(?=<a id=)", path.read_text(), flags=re.MULTILINE)
    return {
        name: part
        for part in parts[1:]
        for name in re.findall(r'<a id="([^"]+)"></a>', part.partition("\n")[0])
    }


def rows_of(part):
    """The lines of all tables of a section as lists of texts."""
    lines = re.findall(r"^\| (.*) \|$", part, flags=re.MULTILINE)
    return [line.split(" | ") for line in lines]


def listed(part, quantity):
    """The values of a quantity whose mean is the number: of each run, else of each fold."""
    if of_runs := re.search(rf"^- Mean {re.escape(quantity)} of each run: (.*)$", part, re.M):
        return [float(text) for text in of_runs.group(1).split(", ")]
    lines = rf"^{re.escape(quantity)}:\n((?: ?\d+  .*\n)+)"
    if block := re.search(lines, part, re.M):
        return [float(v) for line in block.group(1).splitlines() for v in line.split()[1:]]
    rows = rows_of(part)
    start = next(i for i, row in enumerate(rows) if row[0] == "repeat, fold")
    # Choices that are those of the published selection share its folds.
    names = [quantity, *(["accuracy"] if quantity == "accuracy, nested selection" else [])]
    column = next(rows[start].index(name) for name in names if name in rows[start])
    return [float(row[column]) for row in rows[start + 2 :]]


def check_number(part, item, shown):
    """Hold the rows of an item that show a number against the folds; return how many there are."""
    checked = 0
    for place, quantity, reproduced, *_ in (r for r in rows_of(part) if len(r) == 6):
        if place.endswith(f"(../{item}.md)") and reproduced == shown:
            checked += 1
            if quantity not in DERIVED:
                values = listed(part, quantity)
                number = float(reproduced.replace("−", "-"))
                decimals = len(reproduced.partition(".")[2])
                slack = 0.501 * 10.0**-decimals + 1e-5 * abs(number)
                assert sum(values) / len(values) == pytest.approx(number, abs=slack)
    return checked


def check_links(folder):
    """Follow the links of a paper's pages, and return how many there are."""
    count = 0
    known = {path.name: sections(path) for path in (folder / "folds").glob("*.md")}
    for page in folder.glob("*.md"):
        for number, address in links(page.read_text()):
            file, _, place = address.removeprefix("folds/").partition("#")
            shown = number.partition("±")[0]
            assert check_number(known[file][place], page.stem, shown), (page, number, address)
            count += 1
    return count


def test_numbers_of_a_paper_lead_to_their_folds(tiny_clone):
    folder = tiny_clone / "results" / "tiny"
    table = (folder / "table1.md").read_text()
    # Two data sets by two methods by two metrics.
    assert check_links(folder) == len(re.findall(r"\]\[f", table)) == 8
    assert "folds/iris.md#table1-gini" in table
    iris = (folder / "folds" / "iris.md").read_text()
    assert "retree show tiny table1 iris bnm_csn_gini\n" in iris
    assert "- Parameters: criterion='bnm+csn', " in iris
    assert len(re.findall(r"^\| 0, \d \| .* \| [0-9a-f]{16} \|$", iris, re.M)) == 10


def test_long_protocols_have_a_line_per_repeat(tiny_clone):
    arguments = ["-j", "1", "paper=tiny", "item=table1", "protocol=cv10x10", "datasets=[iris]"]
    assert main(["run", "--report", *arguments, "results=long"]) == 0
    folder = tiny_clone / "long" / "tiny"
    assert check_links(folder) == 4
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
    names = ("item", "params", "metric", "n_replicates")
    numbers = pd.DataFrame([dict(zip(names, ("table2", "", "accuracy_nested", 1), strict=True))])
    group = FoldGroup("xor", "New+Base", json.dumps(points), numbers, folds)
    section = FoldSection("toy", toy_item("table2"), group, {}, [])
    columns = dict(section.columns)
    assert "k" not in section.defaults
    if len(set(chosen)) == 1:
        assert section.parameters["k"] == "2"
        assert "parameters" not in columns
    else:
        assert "k" not in section.parameters
        assert columns["parameters"] == ["k=2", "k=3"]
