"""Pages in words: their numbers are read from the results by name."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from retree.errors import RetreeError
from retree_lab.reports.page_template import fill

ROOT = Path(__file__).parents[2]
PAPER = "latent_space"


@pytest.fixture
def results(tmp_path):
    shutil.copytree(
        ROOT / "results" / PAPER, tmp_path / PAPER, ignore=shutil.ignore_patterns("*.gz")
    )
    return tmp_path


def test_a_changed_result_changes_the_page(results):
    page = ROOT / "conf" / "paper" / PAPER / "page.md"
    before = fill(page.read_text(), results, PAPER)
    assert "76 % agree with the right method" in " ".join(before.split())
    path = results / PAPER / "power.csv"
    power = pd.read_csv(path)
    power.loc[power["metric"] == "error_pct", "right"] = 0.5
    power.to_csv(path, index=False)
    assert "50 % agree with the right method" in " ".join(
        fill(page.read_text(), results, PAPER).split()
    )


def test_a_sentence_that_is_no_longer_so_is_an_error(results):
    page = ROOT / "conf" / "paper" / PAPER / "page.md"
    path = results / PAPER / "table2.csv"
    table = pd.read_csv(path)
    table.loc[(table["method"] == "GSODT") & (table["metric"] == "error_pct"), "verdict"] = (
        "differs"
    )
    table.to_csv(path, index=False)
    with pytest.raises(RetreeError, match=r"page\.md:\d+: .*no single error of C4\.5"):
        fill(page.read_text(), results, PAPER, page)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ('{{ value("table9", "published") }}', "Unknown table 'table9'"),
        ('{{ value("table2", "printed") }}', "Unknown column of table2: 'printed'"),
        ('{{ counts(method="GSDT") }}', "no row with method 'GSDT'"),
        ('{{ value("table2", "published", dataset="bupa") }}', r"\d+ values of published"),
        ('{{ claim("no-such") }}', "no row with claim 'no-such'"),
        ("{{ agree }}", "'agree' is undefined"),
        ("{{ counts().agreed | word }}", "'agreed'"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("a\n{{ counts( }}", ":2"),
    ],
)
def test_a_wrong_name_is_an_error(results, words, message):
    with pytest.raises(RetreeError, match=message):
        fill(words, results, PAPER)


def test_numbers_are_written_as_readers_expect():
    words = (
        "{{ 3 | word }} {{ 40 | word }} {{ 1234.567 | fixed(1) }} {{ -0.5 | signed }} "
        "{{ 2 | ordinal }} {{ 0.756 | percent }} {{ 0.996 | percent }} {{ 1.0 | percent }}"
    )
    assert fill(words, ROOT) == "three 40 1,234.6 −0.50 second 76 99.6 100"


def test_lines_that_only_compute_leave_no_room():
    assert fill("a\n\n{% set x = 1 %}\n{{ only_if(x == 1) }}\n\nb\n", ROOT) == "a\n\nb\n"


def test_every_method_of_the_page_of_peers_has_every_set():
    scores = pd.read_csv(ROOT / "docs" / "guide" / "peers" / "scores.csv")
    counts = scores[scores["dataset"] != "MEAN"].groupby(["method", "metric"])["reproduced"].count()
    assert set(counts) == {20}
