"""Published landmarkers beside the learners of their names and the default ones."""

import numpy as np
import pandas as pd
import pytest
from paper_code import PAPERS
from sklearn.metrics import cohen_kappa_score

from retree import DecisionStumpClassifier
from retree_lab.datasets import load
from retree_lab.experiments.definition.method import load_method
from retree_lab.papers.landmarkers import estimators, kinds
from retree_lab.study.registry import make_estimator

FOLDER = PAPERS / "landmarkers"


def scores(key, name):
    """Return error rate, kappa and Weka's weighted AUC of a landmarker, by their definitions."""
    method = load_method(key, FOLDER)
    X, y = load(name, sources=["bundled"])
    labels = np.asarray(y)
    model = make_estimator(method.registered.target, method.params, method.home).fit(X, y)
    predicted = model.predict(X)
    return {
        "error_rate": (predicted != labels).sum() / len(labels),
        "kappa": cohen_kappa_score(labels, predicted),
        "auc": estimators.weighted_auc(model, X, y),
    }


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (11, kinds.DEFAULT),
        (15, kinds.DEFAULT),
        (21, kinds.DEFAULT),
        (37, kinds.DEFAULT),
        (2, kinds.NAMED),
    ],
)
def test_published_scores_are_those_of_the_default_learners_or_of_the_names(number, expected):
    table = pd.read_csv(FOLDER / "published.csv")
    table = table[table["dataset"].str.startswith(f"{number} ")]
    published = table.set_index(["method", "metric"])["value"]
    for learner, named, default in (
        ("J48.00001", "landmarker_j48_00001", "landmarker_j48"),
        ("REPTreeDepth1", "landmarker_rep_tree_1", "landmarker_rep_tree"),
        ("RandomTreeDepth1", "landmarker_random_tree_1", "landmarker_random_tree"),
    ):
        pairs = [scores(key, f"openml-{number}") for key in (named, default)]
        for metric in kinds.METRICS:
            ours = [pair[metric] for pair in pairs]
            assert kinds.whose(published[learner, metric], *ours) == expected
    for metric, value in scores("landmarker_stump", f"openml-{number}").items():
        assert kinds.whose(published["DecisionStump", metric], value, value) == kinds.BOTH


def test_a_landmarker_predicts_the_rows_of_fit_alone():
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 1] * 2)
    model = estimators.Landmarker(DecisionStumpClassifier()).fit(X, y)
    assert model.predict_proba(X).shape == (8, 2)
    with pytest.raises(ValueError, match="and no others"):
        model.predict(X[:3])


def test_whose_tells_all_four_cases():
    assert kinds.whose(0.1, 0.1, 0.1) == kinds.BOTH
    assert kinds.whose(0.1, 0.1, 0.2) == kinds.NAMED
    assert kinds.whose(0.1, 0.2, 0.1) == kinds.DEFAULT
    assert kinds.whose(0.1, 0.2, 0.3) == kinds.NEITHER


def test_the_draft_of_an_issue_has_the_numbers_of_the_results():
    sets = pd.read_csv(PAPERS.parents[1] / "results" / "landmarkers" / "sets.csv")
    as_named = sets[sets["default"] + sets["neither"] == 0]["dataset"]
    issue = PAPERS.parents[1] / "docs" / "guide" / "papers" / "landmarkers_issue.md"
    text = " ".join(issue.read_text(encoding="utf-8").split())
    assert f"on {len(sets)} data sets" in text
    assert f"on {len(sets) - len(as_named)} all values are those of the default learners" in text
    assert all(name.partition(" ")[2] in text for name in as_named)
    assert sets["neither"].sum() == 0
