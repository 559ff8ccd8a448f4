"""Metrics of one's own of which less is better, in all that ranks, tests and tunes by them."""

import pandas as pd
import pytest
from sklearn.metrics import log_loss

from retree.errors import RetreeError
from retree_lab.cli import main
from retree_lab.commands.check import check
from retree_lab.statistics.metrics import declare_directions, find_metric
from retree_lab.study.scorers import find_scorer

PAPER = """\
title: Mine
authors: Me
reference: None
grid: {{max_depth: [1, 6]}}
{said}
items:
  table1:
    kind: metric_table
    caption: Worst classes
    protocol: cv5
    datasets: [iris, wine]
    methods: [none, tree]
    metrics: ["{metric}"]
    baseline: none
    select: [{select}]
  ranks:
    kind: rank_diagram
    caption: Ranks
    protocol: cv5
    datasets: [iris, wine]
    methods: [none, tree]
    metrics: ["{metric}"]
"""
METHODS = """\
none: {name: Guess, estimator: sklearn.dummy.DummyClassifier}
tree:
  name: Tree
  estimator: sklearn.tree.DecisionTreeClassifier
  random_state: 0
  tune: [max_depth]
"""
CODE = """\
import numpy as np
from sklearn.metrics import make_scorer


def worst(y, predicted):
    return max(np.mean(predicted[y == c] != c) for c in np.unique(y))


def worst_error(y, predicted):
    return worst(y, predicted)


gain_loss = make_scorer(worst, greater_is_better=False)
"""
KEY = 'smaller_is_better: {"estimators.py:worst": true}'


@pytest.fixture
def write(tmp_path):
    def written(metric, said="", select="best_test, nested"):
        folder = tmp_path / "mine"
        (folder / "methods").mkdir(parents=True, exist_ok=True)
        (folder / "datasets").mkdir(exist_ok=True)
        (folder / "paper.yaml").write_text(PAPER.format(metric=metric, said=said, select=select))
        (folder / "methods" / "trees.yaml").write_text(METHODS)
        (folder / "datasets" / "wine.yaml").write_text("sklearn: load_wine\n")
        (folder / "estimators.py").write_text(CODE)
        return folder

    return written


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("estimators.py:worst", KEY),
        ("estimators.py:worst_error", ""),
        ("sklearn.metrics:hamming_loss", ""),
    ],
)
def test_what_follows_the_direction_of_a_loss(write, metric, said, capsys):
    folder = write(metric, said)
    assert f"  smaller is better: {metric}" in list(check(folder))
    assert main(["run", "--report", "-j", "1", "--study", str(folder), "item=all"]) == 0
    results = folder / "results" / "mine"
    page = (results / "table1.md").read_text()
    assert f"smaller is better for {find_metric(metric).label}" in page
    assert f"the lowest mean test {find_metric(metric).label}" in page
    ranks = pd.read_csv(results / "ranks.csv").set_index("method")
    # The tree errs less on each of the sets.
    assert ranks["average_rank"].to_dict() == {"Tree": 1.0, "Guess": 2.0}
    assert pd.isna(ranks.loc["Tree", "wilcoxon_p"])  # by default the best one is the control
    assert "Rank 1 is the lowest" in (results / "ranks.md").read_text()
    table = pd.read_csv(results / "table1.csv")
    tree = table[(table["method"] == "Tree") & (table["dataset"] == "wine")].set_index("metric")
    # A stump has no leaf for the third class.
    assert tree.loc[metric, "params"] == '{"max_depth": 6}'
    assert tree.loc[f"{metric}_nested", "params"].count('"max_depth": 6') == 5
    capsys.readouterr()
    command = ["show", "table1", "wine", "tree", "--study", str(folder)]
    assert main(command) == 0
    assert f"the lowest mean test {find_metric(metric).label}" in " ".join(
        capsys.readouterr().out.split()
    )


def test_a_scorer_says_its_direction_itself(write):
    folder = write("estimators.py:gain_loss")
    assert "  greater is better: estimators.py:gain_loss" in list(check(folder))
    folder = write("estimators.py:gain_loss", KEY.replace("worst", "gain_loss"))
    with pytest.raises(RetreeError, match="gain_loss is a scorer, so greater is better"):
        list(check(folder))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "smaller_is_better: {accuracy: false}",
            "line 5: retree knows whether a smaller accuracy is better",
        ),
        ('smaller_is_better: {"estimators.py:wurst": true}', "Did you mean 'estimators.py:worst'"),
    ],
)
def test_a_direction_is_of_a_metric_that_is_used(write, said, words):
    with pytest.raises(RetreeError, match=words):
        list(check(write("estimators.py:worst", said)))


def test_the_words_of_scikit_learn_say_the_direction():
    losses = ("hamming_loss", "log_loss", "mean_squared_error", "mean_poisson_deviance")
    assert all(find_metric(f"sklearn.metrics:{name}").smaller_is_better for name in losses)
    gains = ("neg_log_loss", "accuracy", "sklearn.metrics:cohen_kappa_score", "a.py:neg_my_error")
    assert not any(find_metric(name).smaller_is_better for name in gains)
    declare_directions([], {"a.py:f_loss": False, "a.py:g": True})
    assert not find_metric("a.py:f_loss").smaller_is_better
    assert find_metric("a.py:g").smaller_is_better
    declare_directions(["a.py:f_loss", "a.py:g"], {})
    assert find_metric("a.py:f_loss").smaller_is_better
    assert not find_metric("a.py:g").smaller_is_better


def test_a_function_of_probabilities_gets_probabilities():
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X, y)
    score = find_scorer("sklearn.metrics:log_loss")(model, X, y)
    assert score == pytest.approx(log_loss(y, model.predict_proba(X)))
    assert score == pytest.approx(-find_scorer("neg_log_loss")(model, X, y))
    two = GaussianNB().fit(X, y == 1)
    area = find_scorer("sklearn.metrics:roc_auc_score")(two, X, y == 1)
    assert area == pytest.approx(find_scorer("roc_auc")(two, X, y == 1))
