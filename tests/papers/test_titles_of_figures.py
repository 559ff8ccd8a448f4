"""The title of a figure says what its numbers bear out."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

from retree_lab import paths
from retree_lab.reports.agreement import pictures
from retree_lab.reports.agreement.headlines import Headline

RESULTS = paths.project_dir() / "results"


@pytest.mark.parametrize(
    ("without_failed", "title"),
    [
        ([1.0, 2.0], "a is first by all 2 choices of runs"),
        (
            [2.5, 2.0],
            "a and b share the first place: 0.5 to 1.0 ranks apart, each first by some of 2 "
            "choices of runs",
        ),
    ],
)
def test_who_is_first_under_some_choices_shares_the_place(without_failed, title):
    from retree_lab.papers.hundreds import published_table as module

    rows = pd.DataFrame({"classifier": ["a", "b"], "all": [1.0, 2.0], "rest": without_failed})
    assert module._first(rows, ["all", "rest"])[0] == title


def test_regions_name_who_solves_the_problem_in_how_many_splits():
    from retree_lab.papers.structure_purity import regions as module

    shares = {"A": [0.5, 1.0], "B": [0.5, 0.995], "C": [0.5, 0.57]}
    frame = pd.DataFrame(
        [
            {"method": key, "point": point, "accuracy": share, "leaves": 2 + 2 * point}
            for key, own in shares.items()
            for point, share in enumerate(own)
        ]
    )
    methods = [SimpleNamespace(key=key, name=key) for key in shares]
    title, seen = module._words(frame, methods)
    assert title == "Solved by A and B in 3 splits; not by C in up to 3"
    assert "B 50, 99.5; C 50, 57" in seen


def test_a_ratio_of_scatter_is_called_so():
    from retree_lab.papers.latent_space import kinds as module

    title = module.scatter_finding(1.064, 1.657)
    assert "scatter ratio is 1.06 in the original space and 1.66 in the latent one" in title
    assert "times" not in title


@pytest.mark.parametrize(
    ("published", "said"),
    [
        ((5.0, 9.0), "On our data no setting reaches any of the 2 published gains"),
        ((1.5, 9.0), "On our data some setting reaches 1 of the 2 published gains"),
    ],
)
def test_settings_that_do_not_reach_a_published_gain_do_not_explain_it(published, said):
    from retree_lab.papers.cmdt import gains as module

    gains = pd.DataFrame(
        [("a", "k", 1.0), ("a", "k", 2.0), ("b", "k", 3.0), ("b", "k", 3.5)],
        columns=["name", "parameter", "mean"],
    )
    title = module._finding(gains, dict(zip("ab", published, strict=True)))
    assert title == f"{said}; none moves a gain by more than 1.0 points"


def test_a_thinned_forest_is_told_with_its_range_and_the_published_gain():
    from retree_lab.papers.forest_thinning import curves as module

    kind = SimpleNamespace(metrics=("accuracy_pct",), axis="trees", published_at=30, reference="C")
    gains = pd.DataFrame(
        [("A", "x", 30, 1.0), ("A", "y", 30, 2.0), ("B", "x", 30, 9.0), ("A", "x", 200, 7.0)],
        columns=["label", "dataset", "place", "gain"],
    )
    title, seen = module._words(kind, gains, {"A": 0.5})
    assert title == (
        "With 30 trees A gains +1.50 points on average including the new vote (+1.00 to +2.00 on "
        "2 data sets); published +0.50"
    )
    assert "B +9.00" in seen


def test_the_title_of_pruned_paths_is_counted_from_the_cells():
    cells = pd.read_csv(RESULTS / "pruning" / "cells.csv.gz", low_memory=False)
    cells = cells[cells["items"].str.split().map(lambda items: "figure1" in items)]
    near = total = 0
    for _, path in cells.groupby(["dataset", "method"]):
        means = path.groupby("params")[["leaves", "accuracy"]].mean()
        unpruned = means.loc[means["leaves"].idxmax()]
        halved = means.loc[means["leaves"] * 2 <= unpruned["leaves"], "accuracy"]
        total += 1
        near += halved.max() > unpruned["accuracy"] - 0.01
    assert f"<title>On {near} of {total} paths" in (RESULTS / "pruning/figure1.svg").read_text()


@pytest.mark.parametrize(
    ("parts", "title"),
    [
        ([("", 3, 0.9), ("", 1, 0.5)], "Where folds are unknown, 25 to 75 % of a paper's own "
         "accuracies are within 1 point of ours; an exact rerun would reach 50 to 90 %"),
        # Neither other programs nor folds that are known.
        ([("", 3, 0.9), ("other programs", 1, 0.5), ("", 2, 1.0)], "Where folds are unknown, 75 % "
         "of a paper's own accuracies are within 1 point of ours; an exact rerun would reach 90 %"),
        ([("", 3, 1.0), ("", 4, 1.0)], "7 of 8 accuracies within 1 point"),
    ],
)  # fmt: skip
def test_the_overview_spans_the_papers_whose_folds_are_drawn(parts, title):
    rows = [
        Headline("a", "A", part, 4, 4, near, possible, 0.1, near, by_digits=False)
        for part, near, possible in parts
    ]
    assert pictures._finding(rows) == title
