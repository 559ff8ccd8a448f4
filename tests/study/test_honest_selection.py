"""How a study chooses parameters: inside the training rows, unless it asks for the test rows."""

import pandas as pd
import pytest

from retree.errors import RetreeError
from retree_lab.cli import main
from retree_lab.commands.check import check
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.statistics.metrics import find_metric
from retree_lab.study.composing import compose
from retree_lab.study.folders import open_study

PAPER = """\
title: Mine
authors: Me
reference: None
grid: {{max_depth: [1, 3]}}
items:
  table1:
    kind: {kind}
    caption: Accuracy
    protocol: {protocol}
    datasets: [iris, bupa, wine]
    methods: [tree, stump]
    metrics: [accuracy]
{more}
"""
METHODS = """\
tree: {name: Tree, estimator: sklearn.tree.DecisionTreeClassifier, tune: [max_depth]}
stump: {name: Stump, estimator: sklearn.tree.DecisionTreeClassifier, max_depth: 1}
"""


@pytest.fixture
def write(tmp_path):
    def written(more="", kind="metric_table", protocol="cv10", methods=METHODS):
        folder = tmp_path / "mine"
        for name in ("methods", "datasets"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        indented = "".join(f"    {line}\n" for line in more.splitlines())
        text = PAPER.format(kind=kind, protocol=protocol, more=indented)
        (folder / "paper.yaml").write_text(text)
        (folder / "methods" / "trees.yaml").write_text(methods)
        (folder / "datasets" / "wine.yaml").write_text("sklearn: load_wine\n")
        return folder

    return written


def run(folder):
    assert main(["run", "--report", "-j", "1", "--study", str(folder), "item=all"]) == 0
    results = folder / "results" / "mine"
    return pd.read_csv(results / "table1.csv"), (results / "table1.md").read_text()


def item_of(folder):
    return load_experiment(compose([f"paper={open_study(folder)}", "item=table1"])).items[0]


def test_parameters_are_chosen_inside_the_training_rows(write):
    item = item_of(write())
    assert item.select == ("nested",)
    assert not item.chosen_on_test
    assert item.protocol.inner_folds == 3


def test_the_honest_number_is_the_one_that_stands_beside_the_optimistic_one(write):
    both, page = run(write("select: [best_test, nested]"))
    assert "‡ parameters chosen on the test rows, which is optimistic" in page
    assert page.count(" ‡ |") == 3
    honest, page = run(write())
    assert "‡" not in page
    assert "Parameters are chosen inside the training rows of each fold" in page
    beside = both[both["metric"] == "accuracy_nested"].set_index(["dataset", "method"])
    shown = honest[honest["metric"] == "accuracy"].set_index(["dataset", "method"])
    assert set(honest["metric"]) == {"accuracy"}
    tree = shown.xs("Tree", level="method")["reproduced"]
    pd.testing.assert_series_equal(tree, beside.xs("Tree", level="method")["reproduced"])
    optimistic = both[(both["metric"] == "accuracy") & (both["method"] == "Tree")]
    assert (optimistic["reproduced"].to_numpy() >= tree.to_numpy() - 1e-12).all()
    assert (optimistic["reproduced"].to_numpy() > tree.to_numpy()).any()


def test_ranks_are_of_the_honest_numbers(write):
    folder = write(kind="rank_diagram")
    assert main(["run", "--report", "-j", "1", "--study", str(folder), "item=all"]) == 0
    page = (folder / "results" / "mine" / "table1.md").read_text()
    assert "Parameters chosen inside the training folds" in page
    assert "highest test accuracy" not in page


def test_selection_without_effect_is_refused(write):
    fixed = METHODS.replace("tune: [max_depth]", "max_depth: 2")
    with pytest.raises(RetreeError, match=r"line 6: select of table1 has no effect"):
        list(check(write("select: [nested]", methods=fixed)))


def test_without_test_rows_parameters_have_to_be_fixed(write):
    with pytest.raises(RetreeError, match="has no test rows, so parameters cannot be chosen"):
        list(check(write(protocol="whole")))


@pytest.mark.parametrize("kind", ["parameter_sweep"])
def test_pictures_of_test_accuracies_are_asked_for_by_name(write, kind):
    folder = write(kind=kind)
    text = (folder / "paper.yaml").read_text().replace("    metrics: [accuracy]\n", "")
    (folder / "paper.yaml").write_text(text)
    with pytest.raises(RetreeError, match=r"say select: \[best_test\]"):
        list(check(folder))


def test_the_folds_of_all_replicates_are_a_table_for_pandas(write, tmp_path, capsys):
    more = "select: [best_test, nested]\nreplicates: 4\nnested_replicates: 3"
    folder = write(more, protocol="cv5")
    file = tmp_path / "folds.csv"
    words = ["-j", "1", "--study", str(folder), "item=all", "datasets=[iris]"]
    assert main(["run", "--folds", str(file), *words]) == 0
    folds = pd.read_csv(file)
    assert str(file) in capsys.readouterr().out.replace("\n", "")
    assert set(folds["item"]) == {"table1"}
    counts = folds.groupby(["method", "chosen_on_test"])["replicate"].nunique()
    # Chosen inside the training rows in as many replicates as do so; nothing to choose in all.
    assert counts.to_dict() == {("tree", False): 3, ("stump", False): 4}
    assert folds.groupby(["method", "repeat"])["fold"].apply(list).map(len).eq(5).all()
    results = next((folder / "results").rglob("table1.csv"))
    means = pd.read_csv(results).set_index(["method", "metric"])["reproduced"]
    mean = folds.groupby("method")["accuracy"].mean()
    assert mean["stump"] == pytest.approx(means["Stump", "accuracy"])
    assert mean["tree"] == pytest.approx(means["Tree", "accuracy_nested"])
    # They are the same when nothing is computed any more, and one file is not written twice.
    assert main(["report", "--folds", str(tmp_path / "again.csv"), *words]) == 0
    assert (tmp_path / "again.csv").read_text() == file.read_text()
    assert main(["run", "-m", "--folds", str(file), *words]) == 2


@pytest.mark.parametrize("order", ["best_test, nested", "nested, best_test"])
def test_both_numbers_of_every_metric_are_shown(write, order, capsys):
    folder = write(f"select: [{order}]")
    paper = folder / "paper.yaml"
    metrics = "[error_pct, leaves, balanced_accuracy]"
    paper.write_text(paper.read_text().replace("metrics: [accuracy]", f"metrics: {metrics}"))
    table, page = run(folder)
    tree = table[(table["method"] == "Tree") & (table["dataset"] == "iris")].set_index("metric")
    for metric in ("error_pct", "leaves", "balanced_accuracy"):
        assert tree.loc[f"{metric}_nested", "reproduced"] > 0
        assert f"{find_metric(metric).label}, nested selection".lower() in page.lower()
    honest, _ = run(write("").parent / "mine")
    inside = honest[(honest["method"] == "Tree") & (honest["dataset"] == "iris")]
    error = 100 * (1 - inside["reproduced"].item())
    assert tree.loc["error_pct_nested", "reproduced"] == pytest.approx(error)


def test_what_would_show_one_selection_only_takes_one(write):
    both = "select: [best_test, nested]"
    means, digits = f"{both}\nby_method: true", f"{both}\ndigits: rounded"
    for more, kind in ((means, "metric_table"), (digits, "digits_table")):
        with pytest.raises(RetreeError, match="one selection"):
            list(check(write(more, kind)))


def test_show_says_how_parameters_were_chosen(write, capsys):
    folder = write()
    run(folder)
    capsys.readouterr()
    command = ["show", "table1", "iris", "tree", "--study", str(folder)]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "In each fold, the point with the highest mean accuracy on the inner folds" in out
    assert "test rows chose it" not in out
    folder = write("select: [best_test, nested]")
    run(folder)
    capsys.readouterr()
    assert main(command) == 0
    assert "The test rows chose it, so the number is optimistic" in capsys.readouterr().out
    assert main([*command, "--metric", "leaves_nested"]) == 0
    assert "no test row chose it" in capsys.readouterr().out
    assert main(["show", "table1", "iris", "stump", "--study", str(folder)]) == 0
    assert "chose it" not in capsys.readouterr().out
