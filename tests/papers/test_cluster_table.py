"""Clusters against classes, and the worked example of distances, on the paper's own definitions."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import pytest
from toy_paper import cells, context_of, frame_of, toy_plan

from retree.errors import RetreeError
from retree_lab import reports
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.reports.claims.judging import judge_claims
from retree_lab.study.composing import compose

EMPTY = frame_of(cells("xor", "base", [0.5])).iloc[:0]


@pytest.fixture
def paper(tmp_path):
    folders = [f"results={tmp_path}", f"store={tmp_path}/cells.sqlite"]
    experiment = load_experiment(compose(["paper=cmdt", "item=[table1,table2,table3]", *folders]))
    return experiment, {item.name: item for item in experiment.items}


def render(experiment, item, **blanks):
    paths = reports.write_item(context_of(experiment, toy_plan(item, **blanks), EMPTY))
    return {path.suffix: path.read_text() for path in paths}


def test_errors_by_number_of_assignments(paper):
    experiment, items = paper
    plain = context_of(experiment, toy_plan(items["table1"]), EMPTY).comparisons
    errors = {c.method: (c.reproduced, c.published, c.verdict) for c in plain}
    assert errors["one assignment"] == (10, 10, "agrees")
    # A published number is judged once: after the round that the paper's number is of.
    assert errors["convergence"][0] == 17
    assert {m for m, (_, published, _) in errors.items() if published == 10} == {"one assignment"}
    weighted = context_of(experiment, toy_plan(items["table2"]), EMPTY).comparisons
    errors = {c.method: (c.reproduced, c.published) for c in weighted if c.metric == "errors"}
    assert errors["one assignment"] == (6, 6)
    assert errors["convergence"] == (6, pytest.approx(math.nan, nan_ok=True))
    weights = {c.method: c.reproduced for c in weighted if c.metric == "relief_weight"}
    assert weights["petalwidth"] > weights["petallength"] > weights["sepalwidth"] > 0.1


def test_clusters_are_shown_against_classes(paper):
    experiment, items = paper
    files = render(experiment, items["table1"])
    assert "| one assignment | 10 (10) ✓ | cluster 1 | 50 | 0 | 0 |" in files[".md"]
    assert "|  |  | cluster 3 | 0 | 3 | 36 |" in files[".md"]
    assert "Relief-F weights" not in files[".md"]
    rows = list(csv.DictReader(io.StringIO(files[".csv"])))
    assert [row["reproduced"] for row in rows] == ["10", "14", "17"]
    files = render(experiment, items["table2"])
    assert "| all rows (published) | 0.14 (0.09) ✗ |" in files[".md"]


def test_one_set_that_can_be_had_is_clustered(paper):
    experiment, items = paper
    assert render(experiment, items["table1"], iris="no network") == {}
    two = replace(items["table1"], datasets=("iris", "xor"))
    with pytest.raises(RetreeError, match="clusters one data set"):
        two.kind.check(two)


def test_distances_of_the_worked_example(paper):
    experiment, items = paper
    first, second = context_of(experiment, toy_plan(items["table3"]), EMPTY).comparisons
    assert (first.dataset, first.method, first.verdict) == ("q", "C1", "agrees")
    assert first.reproduced == pytest.approx(0.7, rel=1e-15)
    assert (second.reproduced, second.published) == (pytest.approx(1.2, rel=1e-15), 1.2)


def test_modes_decide_either_way(paper):
    experiment, items = paper
    text = render(experiment, items["table3"])[".md"]
    assert "| A | a1 | 9 | 4 |" in text
    assert "| q | shares of the values | 0.7 (0.7) ✓ | 1.2 (1.2) ✓ | C1 |" in text
    assert "| q | modes a1b1 and a1b3 | 0.0 | 1.0 | C1 |" in text
    assert "| q | modes a1b2 and a1b1 | 1.0 | 0.0 | C2 |" in text
    assert "| q | modes a1b2 and a1b3 | 1.0 | 1.0 | tied |" in text


def test_rounds_can_be_claimed_of(paper):
    experiment, _ = paper
    claims = {claim.name: claim.check for claim in experiment.paper.claims}
    assert claims["iris-unweighted"].of == ("assigned",)
    assert (claims["example-distances"].of, claims["example-distances"].datasets) == (
        ("first", "second"),
        ("q",),
    )


def test_claims_on_clusters_and_distances_are_judged(paper):
    experiment, items = paper
    compared = {
        name: context_of(experiment, toy_plan(item), EMPTY).comparisons
        for name, item in items.items()
    }
    judgements = judge_claims(experiment.paper, compared)
    found = [j for j in judgements if j.claim.check and j.claim.check.item in items]
    assert len(found) > 3
    assert [j.claim.name for j in found if j.reproduced.holds is None] == []


def test_a_draw_of_few_rows_alone_may_give_the_published_weights(paper):
    """Ours differ by more than a draw of 100 rows explains; without drawing p would be 1."""
    experiment, _ = paper
    (item,) = (
        item
        for item in load_experiment(compose(["paper=cmdt", "item=[weights]"])).items
        if item.name == "weights"
    )
    options = {**item.kind.options, "neighbours": [10], "drawn": [20, 100]}
    item = replace(item, kind=replace(item.kind, options=options))
    rows = context_of(experiment, toy_plan(item), EMPTY).rows.set_index("drawn")
    assert rows.loc[100, "p_value"] < 1e-6 < 0.01 < rows.loc[20, "p_value"]
    assert rows.loc[20, "petalwidth"] == pytest.approx(rows.loc[100, "petalwidth"], abs=0.01)
