"""A headline says what its numbers bear out, and all places say the same."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree.errors import RetreeError
from retree_lab.experiments.definition.definitions import Apart, Coverage, Numbers, Origin
from retree_lab.experiments.definition.paper_config import load_paper, papers_by_year
from retree_lab.reports.agreement import (
    count_headlines,
    is_judged_accuracy,
    near_by_chance,
    published_numbers,
    read_comparisons,
)
from retree_lab.reports.agreement.headlines import headlines, headlines_table
from retree_lab.reports.figures import seen
from retree_lab.reports.formatting import percent
from retree_lab.reports.overview import HEADLINES
from retree_lab.site.rendered_papers import PaperFiles, PaperPages
from retree_lab.site.start_page import start_page

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "results"
CHECKED = r"[\d,]+ (of \d|\(total unknown\))"


@pytest.fixture(scope="module")
def comparisons():
    return read_comparisons(RESULTS)


@pytest.fixture(scope="module")
def papers():
    return [load_paper(name) for name in papers_by_year()]


@pytest.fixture(scope="module")
def rows(comparisons, papers):
    return headlines(comparisons, papers)


def numbers(*rows, **columns):
    names = ["dataset", "method", "reproduced", "published"]
    table = pd.DataFrame(rows, columns=names).assign(metric="accuracy", steps=np.nan)
    return table.assign(**{"low": np.nan, "high": np.nan, "n_replicates": 1} | columns)


@pytest.mark.parametrize(
    ("half", "n_replicates", "expected"),
    # The interval of one replicate holds 95 %; t of 1 degree of freedom is Cauchy's distribution.
    [(0.01, 20, 0.95), (0.01, 3, 0.95), (0.02, 2, 2 * math.atan(12.7062 / 2) / math.pi)],
)
def test_an_exact_rerun_is_as_near_as_replicates_are(half, n_replicates, expected):
    ours = numbers(("a", "A", 0.8, 0.9), low=0.8 - half, high=0.8 + half, n_replicates=n_replicates)
    assert near_by_chance(ours)["possible"].tolist() == pytest.approx([expected], abs=1e-5)


def test_known_folds_are_run_again_exactly_and_one_run_tells_nothing():
    known = numbers(("a", "A", 0.8, 0.9), steps=3.0)
    assert near_by_chance(known)["possible"].tolist() == [1.0]
    assert near_by_chance(numbers(("a", "A", 0.8, 0.9)))["possible"].isna().all()


def test_a_wrong_method_is_another_one_of_the_table_and_no_twin():
    found = near_by_chance(
        numbers(
            *[("a", "A", 0.80, 0.805), ("a", "B", 0.81, 0.70), ("a", "twin of A", 0.80, 0.80)],
            *[("b", "A", 0.60, 0.60), ("b", "B", 0.70, 0.70), ("b", "twin of A", 0.60, 0.70)],
        )
    )
    assert found["n_wrong"].tolist() == [1, 1, 1, 1, 1, 1]
    assert found["wrong"].tolist() == [1, 0, 1, 0, 0, 1]


def test_the_parts_of_a_paper_are_all_of_its_numbers(comparisons, papers, rows):
    counts = count_headlines(comparisons, ["paper"]).set_index("paper")
    for paper in papers:
        own = [row for row in rows if row.paper == paper.name]
        if own:
            assert sum(row.checked for row in own) == counts.loc[paper.name, "accuracies"]
            assert sum(row.near for row in own) == counts.loc[paper.name, "near"]
            assert sum(row.strict for row in own) == counts.loc[paper.name, "strict"]
            assert sum(row.checked for row in own) <= (own[0].published or math.inf)
        # What depends on other data says nothing of the paper.
        assert not (own and paper.not_judged)


def test_what_is_apart_is_declared(comparisons, papers):
    (paper,) = (paper for paper in papers if paper.name == "latent_space")
    apart = Apart(origin=Origin.FIT, numbers=(Numbers(methods=("C4.5",)),))
    own, fitted = headlines(comparisons, [replace(paper, apart=(apart,))])
    cells = published_numbers(comparisons[comparisons["paper"] == paper.name])
    assert fitted.checked == (is_judged_accuracy(cells) & (cells["method"] == "C4.5")).sum()
    assert (own.part, fitted.part) == ("", "chosen by fit")
    wrong = replace(apart, numbers=(Numbers(methods=("Nobody",)),))
    with pytest.raises(RetreeError, match="Nobody"):
        headlines(comparisons, [replace(paper, apart=(wrong,))])


def test_the_total_of_a_paper_that_nobody_here_has_seen_is_unknown(comparisons, tmp_path):
    paper = load_paper("breiman1996")
    (row,) = headlines(comparisons, [paper])
    assert (row.published, row.coverage) == (None, "10 (total unknown)")
    assert row.sentence.endswith("Checked: 10 (total unknown).")
    assert headlines_table([row])["published"].isna().all()
    counted = replace(paper, coverage=Coverage(numbers=1234, what="all of its tables"))
    assert headlines(comparisons, [counted])[0].coverage == "10 of 1,234"
    # Of numbers that were copied from the paper itself, those are all.
    seen_by_us = tmp_path / "published.csv"
    seen_by_us.write_text(paper.published.read_text().replace("second hand", ""))
    (row,) = headlines(comparisons, [replace(paper, published=seen_by_us)])
    assert row.coverage == "10 of 10"
    assert row.sentence.endswith("Checked: 10 of 10 published.")


def cells_of(page):
    """Return the rows of Markdown tables as lists of texts without links."""
    lines = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", page.read_text()).splitlines()
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]


def test_every_place_says_what_the_function_says(comparisons, papers, rows):
    files = [PaperFiles(paper, RESULTS / paper.name, (), PaperPages()) for paper in papers]
    start = start_page(files, comparisons, [])
    readme, overview = cells_of(ROOT / "README.md"), cells_of(RESULTS / "README.md")
    picture, findings = seen(RESULTS / "overview.svg"), (ROOT / "docs/findings.md").read_text()
    of_readme = [[line[0], *line[2:]] for line in readme if line[2:] and re.match(CHECKED, line[2])]
    assert (
        of_readme
        == [
            [row.label, row.coverage, f"{row.near_words} ({row.possible_words})"]
            for row in {row.paper: row for row in reversed(rows)}.values()
        ][::-1]
    )
    of_overview = [line for line in overview if len(line) == 6 and re.match(CHECKED, line[1])]
    assert of_overview == [
        [
            *(row.label, row.coverage, f"{row.near:,} ({row.near_words})"),
            *(row.possible_words, row.wrong_words, row.strict_words),
        ]
        for row in rows
    ]
    assert (RESULTS / HEADLINES).read_text().count("\n") == 1 + len(rows)
    blank, whole = {"possible": [""], "wrong": [""], "published": [""]}, {"published": "Int64"}
    saved = pd.read_csv(RESULTS / HEADLINES, dtype=whole, keep_default_na=False, na_values=blank)
    pd.testing.assert_frame_equal(saved, headlines_table(rows), rtol=1e-9)
    place = 0
    for row in rows:
        assert row.sentence in picture
        said = f"<b>{row.near_words}</b> a rerun with other folds: {row.possible_words}"
        # In the order of the rows.
        place = start.index(said, place)
        assert row.coverage in start
        assert row.sentence in " ".join(findings.split())
        assert f"\n{row.sentence}\n" in (RESULTS / row.paper / "README.md").read_text()


def test_papers_stand_by_year(comparisons, papers):
    years = [paper.year or math.inf for paper in papers]
    assert years == sorted(years)
    assert list(comparisons["paper"].unique()) == [
        name for name in papers_by_year() if name in set(comparisons["paper"])
    ]
    # What people write has the same order, of a section on several papers by its first.
    heads = re.findall(
        r"^## [^\d\n]*(\d{4})\b", (ROOT / "docs/findings.md").read_text(), re.MULTILINE
    )
    assert heads == sorted(heads)
    guide = (ROOT / "docs/guide/papers.md").read_text()
    named = list(dict.fromkeys(re.findall(r"papers/(\w+)", guide)))
    assert [name for name in named if name in papers_by_year()] == papers_by_year()


@given(st.floats(0, 1) | st.sampled_from([1 - 1e-16, 5e-324, 2645 / 2646, 0.995, 0.004]))
def test_only_all_is_100_per_cent_and_only_none_is_0(share):
    shown = float(percent(share))
    assert (shown == 100) == (share == 1)
    assert (shown == 0) == (share == 0)
    assert shown == pytest.approx(100 * share, abs=0.5)
