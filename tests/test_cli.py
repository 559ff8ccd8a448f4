import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from retree.errors import DataError
from retree_lab.cli import main

GENERATED = ["data.sources=[generator]", "execution.jobs=1", "protocol.folds=2"]
STORE = {"results/.store/cells.sqlite", "results/.store/.gitignore"}
XOR = ["dataset=xor", "method=gini", *GENERATED]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RETREE_DATA", str(tmp_path / "data"))
    return tmp_path


def files(folder):
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {str(path) for path in found if path.parts[0] != "data"}


def test_single_experiment_prints_means_and_leaves_only_the_store(folder, capsys):
    assert main(["run", *XOR]) == 0
    out = capsys.readouterr().out
    assert "xor, Gini" in out
    assert re.search(r"folds +Accuracy +Depth +Leaves", out)
    assert "nan" not in out
    assert files(folder) == STORE


SWEEP = ["-m", "dataset=xor", "method=bnm_csn_gini", "method.k=range(2,4)", *GENERATED]


def test_multirun_is_one_item_that_is_computed_once(folder, capsys):
    sweep = [*SWEEP, "method.omega2=0.01,0.02"]
    assert main(["run", *sweep]) == 0
    out = capsys.readouterr().out
    # Four points, two outer folds, and three inner folds in each.
    assert "32 cells computed, 32 planned" in out
    assert len(re.findall(r"^ +[23] +0\.0[12] ", out, re.M)) == 4
    assert files(folder) == STORE
    assert main(["run", "--report", *sweep]) == 0
    assert "0 cells computed, 32 planned" in capsys.readouterr().out
    place = "results/local/structure_purity/sweep"
    written = {f"{place}.csv", f"{place}.md", f"{place}_xor.svg"}
    assert files(folder) == STORE | written


def test_multirun_sweeps_data_sets_methods_and_protocols(folder, capsys):
    words = ["method=gini,bnm_gini", "method.max_depth=1,2", "protocol=cv5_plain,cv5"]
    assert main(["plan", "-m", "dataset=glob(iri*)", *words, "data.offline=true"]) == 0
    out = capsys.readouterr().out
    assert "sweep_cv5_plain: Gini and BNM+Gini on iris over max_depth" in out
    assert "sweep_cv5: " in out


def test_a_sweep_shows_the_metrics_that_are_asked_for(folder, capsys):
    metrics = "metrics=[error_pct,nodes,balanced_accuracy]"
    assert main(["run", "--report", *SWEEP, metrics]) == 0
    table = pd.read_csv(folder / "results" / "local" / "structure_purity" / "sweep.csv")
    assert {*table["metric"]} == {"error_pct", "nodes", "balanced_accuracy"}
    capsys.readouterr()
    # Other metrics of the same cells need no other fit.
    assert main(["run", *SWEEP, "metrics=accuracy"]) == 0
    assert "0 cells computed" in capsys.readouterr().out


def test_what_is_composed_is_printed(folder, capsys):
    assert main(["run", "--cfg", "job", *SWEEP]) == 0
    composed = yaml.safe_load(capsys.readouterr().out)
    assert composed["sweep"] == {"k": [2, 3]}
    assert composed["dataset"]["name"] == "xor"
    assert composed["method"]["key"] == "bnm_csn_gini"
    assert files(folder) == set()


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("method.k=2,foo", "method.k=2,foo: k must be an instance of int, not str."),
        ("method.k=2,-5", "method.k=2,-5: k == -5, must be >= 1."),
        ("method.kk=2,3", "Unknown parameter of BNM+CSN+Gini: 'kk'. Did you mean 'k'"),
        ("method.k=interval(1,3)", "method.k=interval(1,3): an interval has no end of points"),
        ("method.k=glob(a*)", "method.k=glob(a*): glob chooses names"),
        ("method.k.a=1,2", "method.k.a is a part of a value"),
        ("dataset=glob(zzz*)", "dataset=glob(zzz*) matches no name of dataset"),
        ("metrics=[accurracy]", "Unknown metric 'accurracy'. Did you mean 'accuracy'"),
        ("metrics=[accuracy_nested]", "accuracy_nested is shown with accuracy: name that"),
        ("metrics=[]", "metrics=[] names nothing"),
        ("item=table2 metrics=[accuracy]", "metrics are for a sweep"),
        ("hydra/launcher=joblib", "points are computed side by side: say --jobs N"),
        ("hydra/sweeper=optuna", "a sweep has all points of a grid"),
    ],
)
def test_a_wrong_sweep_is_refused_by_its_words_before_anything_runs(
    folder, capfd, override, message
):
    assert main(["run", "-m", "dataset=xor", *GENERATED, *override.split()]) == 2
    err = capfd.readouterr().err
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert files(folder) == set()


def test_plan_counts_and_computes_nothing(folder, capsys):
    figure = ["item=figure1", *GENERATED[:2]]
    assert main(["plan", *figure]) == 0
    assert "16 cells, 16 to compute" in capsys.readouterr().out
    assert files(folder) == set()
    assert main(["run", "-j", "1", *figure, "methods=[gini]"]) == 0
    assert main(["plan", *figure]) == 0
    assert "16 cells, 12 to compute" in capsys.readouterr().out


def test_report_renders_what_is_stored(folder, capsys):
    assert main(["run", "--report", "item=figure1", *GENERATED[:2], "results=mine"]) == 0
    written = files(folder / "mine" / "structure_purity")
    assert {"figure1.svg", "README.md"} <= written
    assert "figure1.svg" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["paper=structure"], "Unknown paper 'structure'. Did you mean 'structure_purity'"),
        (["item=tabel2"], "Unknown item of structure_purity: 'tabel2'. Did you mean 'table2'"),
        (["dataset=sonnar"], "Unknown data set 'sonnar'. Did you mean 'sonar'"),
        (["-m", "dataset=sonar,sonnar"], "Unknown data set 'sonnar'. Did you mean 'sonar'"),
        (["item=table2", "datasets=[sonar,sonnar]"], "Unknown data set 'sonnar'."),
        (["dataset=sonar", "method=ginni"], "Unknown method 'ginni'. Did you mean 'gini'"),
        (["dataset=sonar", "protocol=cv55"], "Unknown protocol 'cv55'. Did you mean 'cv5'"),
        (["preset=quick"], "Unknown preset 'quick'. Did you mean 'quickstart_"),
        (["dataset=sonar", "data.sources=[mirrow]"], "Unknown source 'mirrow'."),
        (["dataset=sonar", "method.kk=2"], "Unknown parameter of BNM+CSN+Gini: 'kk'."),
        (["dataset=sonar", "+resluts=x"], "Unknown key 'resluts'. Did you mean 'results'"),
        (["dataset=sonar", "++resluts=x"], "Unknown key 'resluts'. Did you mean 'results'"),
        (["dataset=sonar", "+protocol.fold=3"], "Unknown key of protocol: 'fold'. Did you mean"),
    ],
)
@pytest.mark.parametrize("command", ["run", "plan", "report"])
def test_unknown_names_are_one_sentence_and_code_2(command, overrides, message, capfd):
    assert main([command, *overrides]) == 2
    err = capfd.readouterr().err
    assert message in err
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ([], "Say what to run"),
        (["dataset=[sonar,bupa]"], "say datasets=[NAME,NAME]"),
        (["dataset=null"], "dataset needs a name"),
        (["dataset.title=x"], "dataset.title cannot be overridden"),
        (["item=table2", "method=gini"], "restrict the item with methods=[NAME]"),
        (["dataset="], "needs a name"),
        (["dataset=[sonar"], "Cannot read the override"),
        (["item=table2", "datasets=[bupa,iris]"], "table2 has no data set iris: leave it out"),
        (["item=table2", "methods=[gini,oc1]"], "table2 has no method oc1: leave it out"),
        (["item=table2", "datasets=[]"], "datasets=[] names nothing"),
        (["item=table2", "methods=[]"], "methods=[] names nothing"),
        (["item=[]"], "item=[] names nothing"),
        (["dataset=sonar", "protocol.folds=209"], "sonar cannot be split by cv5 (Cannot have"),
        (["dataset=sonar", "protocol.folds=100000"], "sonar cannot be split by cv5 (Cannot have"),
        (["dataset=sonar", "protocol.inner_folds=200"], "sonar cannot be split by cv5 (Cannot"),
        (["dataset=sonar", "protocol.repeats=1000000"], "protocol.repeats must be at most 10,000"),
        (["dataset=sonar", "protocol.seed=99999999999"], "protocol.seed must be at most"),
        (["dataset=sonar", "hydra.run.dir=x"], "hydra.run.dir is of Hydra's own command line"),
        (["dataset=sonar", "store=null"], "store needs a path"),
        (["dataset=sonar", "results=null"], "results needs a path"),
        (["dataset=sonar", "~method"], "method cannot be removed"),
        (["dataset=sonar", "~protocol.folds"], "protocol.folds cannot be removed"),
    ],
)
def test_other_mistakes_are_messages_and_code_2(overrides, message, capfd):
    assert main(["run", *overrides]) == 2
    err = capfd.readouterr().err
    assert message in err
    assert "Traceback" not in err


def test_lost_data_are_a_message(monkeypatch, capfd):
    def lost(name, sources=None):
        raise DataError(f"{name} cannot be had.")

    monkeypatch.setattr("retree_lab.datasets.load_dataset", lost)
    assert main(["run", *XOR]) == 1
    assert capfd.readouterr().err == "xor cannot be had.\n"


def test_unusable_store_is_a_message(folder, capfd):
    Path("results").write_text("a file where the folder should be")
    assert main(["run", *XOR]) == 1
    assert "choose a writable file with store=PATH" in capfd.readouterr().err


def test_sweep_works_where_results_cannot_be_written(folder, capfd):
    Path("results").write_text("a file where the folder should be")
    store = f"store={folder / 'elsewhere.sqlite'}"
    assert main(["run", "-m", *XOR, "method.max_depth=1,2", store]) == 0
    assert "Traceback" not in capfd.readouterr().err


def test_failed_cells_are_shown_and_code_1(monkeypatch, capfd):
    def refuse(*args, **options):
        raise ValueError("no idea")

    monkeypatch.setattr("retree.StructurePurityClassifier.fit", refuse)
    assert main(["run", *XOR]) == 1
    err = capfd.readouterr().err
    assert "2 cells failed" in err
    assert "gini on xor, 2 cells: ValueError: no idea" in err


def test_a_value_that_a_parameter_cannot_have_is_refused_before_a_cell_is_computed(capfd):
    assert main(["run", *XOR, "method.criterion=gnii"]) == 2
    assert "Invalid criterion 'gnii'" in capfd.readouterr().err


def test_interrupt_ends_with_130(monkeypatch, capfd):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("retree_lab.commands.run.carry_out.run_plans", interrupted)
    assert main(["run", *XOR]) == 130
    assert "run the command again to continue" in capfd.readouterr().err


@pytest.mark.parametrize("command", [[], ["run"], ["plan"], ["report"], ["data"]])
def test_help(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([*command, "--help"])
    assert end.value.code == 0
    assert "retree" in capsys.readouterr().out


def test_data_is_delegated(capsys):
    assert main(["data", "list"]) == 0
    assert "sonar" in capsys.readouterr().out


@pytest.mark.parametrize(("command", "code"), [("list", 2), ("verify", 1)])
def test_data_refuses_overrides(command, code, capsys):
    assert main(["data", command, "dataset=sonar"]) == code
    assert "'dataset=sonar'" in "".join(capsys.readouterr())


@pytest.mark.slow
def test_installed_command_returns_the_code():
    code = "import sys; from retree_lab.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "run", "dataset=sonnar"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stdout == ""
