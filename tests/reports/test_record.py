"""`reports.register`: the record of a paper, for registries of reproductions."""

from dataclasses import replace

import pandas as pd
import pytest

from retree_lab import paths
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.reports.agreement import read_comparisons
from retree_lab.reports.comparison import CSV_COLUMNS
from retree_lab.reports.register import paper_record
from retree_lab.study.available import available

RESULTS = paths.project_dir() / "results"
PAPER = replace(load_paper("structure_purity"), not_judged="")
# All that FLoRA's form takes.
COMPUTATION = ("computationally successful", "computational issues", "computation not checked")
ROBUSTNESS = ("robust", "robustness challenges", "robustness not checked")


def record(folder, verdicts=(), gap=0.0, claims=(), paper=PAPER):
    """Return the record of accuracies with these verdicts, each `gap` points from ours."""
    row = {**dict.fromkeys(CSV_COLUMNS, 0.0), "paper": PAPER.name, "metric": "accuracy"}
    rows = [row | {"verdict": v, "published": 0.5, "reproduced": 0.5 + gap / 100} for v in verdicts]
    names = ("published", "here", "ours", "replicates")
    pd.DataFrame(claims, columns=names).to_csv(folder / "claims.csv", index=False)
    return paper_record(paper, folder, pd.DataFrame(rows, columns=list(row)))


@pytest.mark.parametrize(
    ("n_agree", "gap", "outcome"),
    [
        *((20, 0, "successful"), (19, 5, "successful"), (18, 0, "partial"), (10, 5, "partial")),
        *((9, 5, "not"), (9, 1, "partial"), (0, 1, "partial"), (0, 1.1, "not")),
    ],
)
def test_the_outcome_of_the_computation_follows_from_the_counts(tmp_path, n_agree, gap, outcome):
    found = record(tmp_path, ["agrees"] * n_agree + ["differs"] * (20 - n_agree), gap)
    assert found["outcomes"]["computation"]["outcome"] == outcome
    assert found["forrt"].startswith(COMPUTATION[outcome != "successful"])


@pytest.mark.parametrize("verdicts", [[], ["missing"] * 3, ["explained"]])
def test_without_judged_numbers_nothing_is_checked(tmp_path, verdicts):
    assert record(tmp_path, verdicts)["forrt"] == f"{COMPUTATION[2]}, {ROBUSTNESS[2]}"


@pytest.mark.parametrize(
    ("claims", "counts", "outcome"),
    [
        ([("yes", "yes", "", 20)] * 2, (2, 2, 2), "robust"),
        ([("yes", "yes", "", 20), ("yes", "possible", "", 20)], (2, 2, 1), "challenges"),
        # Not of the paper; not shown by its tables; of one replicate; not to be checked.
        (
            [
                *(("yes", "no", "yes", 20), ("no", "no", "", 20), ("yes", "no", "", 1)),
                ("yes", "cannot be checked", "", 20),
            ],
            (3, 0, 0),
            "not checked",
        ),
    ],
)
def test_robustness_follows_from_the_claims(tmp_path, claims, counts, outcome):
    found = record(tmp_path, claims=claims)
    assert tuple(found["claims"].values()) == counts
    assert found["outcomes"]["robustness"]["outcome"] == outcome


def test_each_paper_has_a_record_in_the_words_of_forrt():
    cells = read_comparisons(RESULTS)
    for name in available("paper"):
        found = paper_record(load_paper(name), RESULTS / name, cells)
        computation, robustness = found["forrt"].split(", ")
        assert computation in COMPUTATION
        assert robustness in ROBUSTNESS
        assert found["original"]["title"]
