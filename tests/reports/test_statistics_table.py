"""`reports.kinds.fact_tables`: tests of a published table beside its statistics."""

from __future__ import annotations

import csv
import io

import pytest
from toy_paper import (
    METHODS,
    cells,
    context_of,
    frame_of,
    make_item,
    toy_experiment,
    toy_paper,
    toy_plan,
)

from retree.errors import RetreeError
from retree_lab import reports

# Ranks of Base, New+Base and Other: 3 2 1, 3 1 2, 3 1.5 1.5, 2 1 3; their means are 2.75, 1.375 and
# 1.875, and Friedman's statistic is 12 / (4 3 4) (11² + 5.5² + 7.5²) - 3 4 4 = 3.875.
VALUES = [(0.6, 0.7, 0.8), (0.5, 0.9, 0.7), (0.4, 0.8, 0.8), (0.7, 0.8, 0.6)]
NAMES = ("Base", "New+Base", "Other")
PUBLISHED = """\
tests,MEAN,Base,rank,2.75,,
tests,MEAN,New+Base,rank,1.37,,
tests,a,Base,rank,3.0,,
tests,c,New+Base,rank,1.0,,
tests,MEAN,chi,chi2,3.88,,
tests,MEAN,chi,p_value,1.4e-1,,
tests,MEAN,two,z,1.94,,
"""
TESTS = {
    "chi": {"name": "chi", "test": "friedman"},
    "tied": {"name": "tied", "test": "friedman", "ties": True},
    "f": {"name": "f", "test": "iman_davenport"},
    "all": {"name": "all", "test": "nemenyi"},
    "one": {"name": "one", "test": "bonferroni_dunn", "level": 0.1},
    "two": {"name": "two", "test": "ranks", "methods": ["base", "new"]},
    "three": {"name": "three", "test": "ranks", "methods": ["base", "other"]},
    "w": {"name": "w", "test": "wilcoxon", "methods": ["base", "new"]},
    "s": {"name": "s", "test": "sign", "methods": ["new", "base"]},
}


@pytest.fixture
def write(tmp_path):
    def written(tests=TESTS, methods=("base", "new", "other"), metric="accuracy", **options):
        paper = toy_paper(tmp_path)
        rows = [
            f"values,{dataset},{name},accuracy,{value},,\n"
            for dataset, values in zip("abcd", VALUES, strict=True)
            for name, value in zip(NAMES, values, strict=True)
        ]
        head = "table,dataset,method,metric,value,std,marker\n"
        (tmp_path / "toy.csv").write_text(head + "".join(rows) + PUBLISHED)
        options = {"values": {"table": "values", "metric": metric}, "tests": tests, **options}
        runs = [METHODS[key] for key in methods]
        item = make_item("tests", "statistics_table", (), runs, options)
        paper.items["tests"] = {"datasets": []}
        context = context_of(
            toy_experiment(tmp_path, paper, item),
            toy_plan(item),
            frame_of(cells("a", "base", [0.5])).iloc[:0],
        )
        paths = reports.write_item(context)
        del paper.items["tests"]
        return {path.suffix: path.read_text() for path in paths}

    return written


def _rows(files):
    rows = csv.DictReader(io.StringIO(files[".csv"]))
    return {(r["dataset"], r["method"], r["metric"]): r for r in rows}


def test_statistics_follow_from_the_published_values(write):
    rows = _rows(write(by_dataset=True))
    ours = {place: float(row["reproduced"]) for place, row in rows.items()}
    assert [ours["c", name, "rank"] for name in NAMES] == [3, 1.5, 1.5]
    assert [ours["MEAN", name, "rank"] for name in NAMES] == [2.75, 1.375, 1.875]
    assert ours["MEAN", "chi", "chi2"] == pytest.approx(3.875)
    # A pair of shared ranks takes 1/2 from the sum of squares, 8 without ties.
    assert ours["MEAN", "tied", "chi2"] == pytest.approx(3.875 * 8 / 7.5)
    assert ours["MEAN", "f", "f_statistic"] == pytest.approx(3 * 3.875 / (8 - 3.875))
    assert ours["MEAN", "all", "critical_difference"] == pytest.approx(2.3437 / 2**0.5, abs=1e-3)
    assert ours["MEAN", "one", "critical_difference"] == pytest.approx(1.96 / 2**0.5, abs=1e-3)
    assert ours["MEAN", "two", "z"] == pytest.approx(1.375 * 2**0.5)
    p = ours["MEAN", "two", "p_value"]
    assert ours["MEAN", "two", "p_holm"] == pytest.approx(2 * p)
    assert ours["MEAN", "two", "p_bonferroni"] == pytest.approx(2 * p)
    assert ours["MEAN", "w", "signed_ranks"] == 0
    assert ours["MEAN", "s", "wins"] == 4


def test_each_is_judged_by_the_digits_that_it_is_published_with(write):
    verdicts = {place: row["verdict"] for place, row in _rows(write(by_dataset=True)).items()}
    assert verdicts["MEAN", "Base", "rank"] == "equal"
    assert verdicts["MEAN", "New+Base", "rank"] == "equal"
    assert verdicts["a", "Base", "rank"] == "equal"
    assert verdicts["c", "New+Base", "rank"] == "differs"
    assert verdicts["MEAN", "chi", "chi2"] == "equal"
    assert verdicts["MEAN", "chi", "p_value"] == "equal"
    assert verdicts["MEAN", "two", "z"] == "equal"
    assert verdicts["MEAN", "all", "critical_difference"] == "missing"


def test_the_page_has_a_table_of_ranks_and_one_for_each_kind_of_test(write):
    page = write()[".md"]
    assert "accuracy of values on 4 data sets" in page
    assert "| **mean** | 2.75 (2.75) ✓ | 1.38 (1.37) ✓ | 1.875 |" in page
    assert "| chi | 3.88 (3.88) ✓ | 0.14 (0.14) ✓ |" in page
    assert "| test | z | p | p, Bonferroni | p, Holm |" in page
    assert "computed from the published values alone" in page


def test_shaffers_procedure_needs_all_pairs(write):
    third = {"name": "four", "test": "ranks", "methods": ["new", "other"]}
    assert ("MEAN", "four", "p_shaffer") in _rows(write({**TESTS, "four": third}))
    assert ("MEAN", "two", "p_shaffer") not in _rows(write())


def test_published_ranks_are_taken_as_they_are(write):
    with pytest.raises(RetreeError, match="ranks Base, of which values has no rank; add it"):
        write(metric="rank")


def test_one_method_is_not_compared(write):
    with pytest.raises(RetreeError, match="tests compares methods; give it two or more"):
        write({}, methods=["base"])


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ({"test": "ranks", "methods": ["base"]}, "x of tests is a test of two methods"),
        ({"test": "nemenyi", "methods": ["base", "new"]}, "x of tests is a test of all methods"),
        ({"test": "sign", "methods": ["base", "nwe"]}, "Unknown method of tests: 'nwe'"),
    ],
)
def test_a_test_names_the_methods_that_it_compares(write, test, words):
    with pytest.raises(RetreeError, match=words):
        write({"x": {"name": "x", **test}})
