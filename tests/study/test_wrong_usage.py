"""Wrong command lines and studies that must fail: one sentence that names the fix, and code 2."""

import subprocess
import sys

import pytest

import retree
from retree_lab.cli import main

PAPER, METHODS = "paper.yaml", "methods/mine.yaml"
COMMANDS = [
    ("plan", "item=tabel1", "'tabel1'"),
    ("plan", "items=table1", "'items'"),
    ("plan", "+items=table1", "'items'"),
    ("plan", "item=[]", "item=[]"),
    ("plan", "item=", "item"),
    ("plan", "item=table1 datasets=[]", "datasets=[]"),
    ("plan", "item=table1 methods=[]", "methods=[]"),
    ("plan", "item=table1 datasets=[bupa]", "bupa"),
    ("plan", "item=table1 datasets=[iris,bupa]", "bupa"),
    ("plan", "item=table1 datasets=[irris]", "'irris'"),
    ("plan", "item=table1 methods=[cart]", "cart"),
    ("plan", "item=table1 methods=[stumpp]", "'stumpp'"),
    ("plan", "item=table1 +resluts=x", "'resluts'"),
    ("plan", "item=table1 resluts=x", "'resluts'"),
    ("plan", "item=table1 results=", "results"),
    ("plan", "item=table1 store=", "store"),
    ("plan", "item=table1 protocol=cv11", "'cv11'"),
    ("plan", "item=table1 protocol.fold=3", "'fold'"),
    ("plan", "item=table1 protocol.folds=0", "protocol.folds"),
    ("plan", "item=table1 protocol.folds=many", "protocol.folds"),
    ("plan", "item=table1 protocol.repeats=1000000", "protocol.repeats"),
    ("plan", "item=table1 protocol.seed=-1", "protocol.seed"),
    ("plan", "item=table1 protocol.inner_folds=1", "protocol.inner_folds"),
    ("plan", "item=table1 protocol.shuffle=maybe", "protocol.shuffle"),
    ("plan", "item=table1 execution.jobs=0", "execution.jobs"),
    ("plan", "item=table1 execution=clowd", "'clowd'"),
    (
        "plan",
        "item=table1 execution.backend=threads",
        "Valid ones are: dask, loky, multiprocessing",
    ),
    (
        "plan",
        "dataset=iris method=c45 method.min_cases=foo",
        "method.min_cases=foo: min_cases must",
    ),
    ("run", "dataset=iris method=c45 method.min_cases=0", "method.min_cases=0: min_cases"),
    ("plan", "item=table1 method.max_depth=3", "method.max_depth"),
    ("plan", "item=table1 method=stump", "method=stump"),
    ("plan", "item=table1 data.sources=[mirrow]", "'mirrow'"),
    ("plan", "item=table1 dataset.x=1", "dataset.x"),
    ("plan", "item=table1 dataset=[iris,wine]", "dataset"),
    ("plan", "item=table1 --jbos=1", "--jbos"),
    ("plan", "item=table1 hydra.job.name=x", "hydra"),
    ("plan", "item=table1 a{b", "a{b"),
    ("plan", "item=table1 ~results", "results"),
    ("plan", "item=table1 paper.foo=1", "foo"),
    ("plan", "item=table1 +paper.foo=1", "foo"),
    ("plan", "", "item=NAME"),
    ("plan", "dataset=iris method=stumpp", "'stumpp'"),
    ("plan", "dataset=iris method.max_deepth=3", "'max_deepth'"),
    ("plan", "dataset=iris method.k=0", "k == 0"),
    ("plan", "dataset=iris method.omega2=-1", "omega2 == -1"),
    ("plan", "dataset=iris method.k=two", "k must be an instance of int"),
    ("plan", "dataset=iris protocol.folds=151", "iris cannot be split"),
    ("plan", "item=table1 protocol.inner_folds=4", "set their own protocol (cv5)"),
    ("plan", "item=table1 committed=nowhere", "committed=nowhere is not a folder"),
    ("show", "table1 iris stump committed=nowhere", "committed=nowhere is not a folder"),
    ("data verify", "--sourc openml", "--sourc"),
    ("run", "item=tabel1", "'tabel1'"),
    ("run", "-m item=table1 datasets=[iris],[irris]", "irris"),
    ("report", "item=tabel1", "'tabel1'"),
    ("diff", "item=table1 --recompte", "--recompte"),
    ("diff", "resluts=x", "'resluts'"),
    ("verify", "stumpp", "'stumpp'"),
    ("verify", "--sample=0", "--sample"),
    ("show", "table1 iris", "SHOW"),
    ("show", "tabel1 iris stump", "'tabel1'"),
    ("show", "table1 irris stump", "'irris'"),
    ("show", "table1 iris stumpp", "'stumpp'"),
    ("show", "table1 iris stump --metric acuracy", "'acuracy'"),
]
STUDIES = [
    (PAPER, "kind: metric_table", "kind: parameter_sweep", "line 8"),
    (PAPER, "protocol: cv5", "protocol: {folds: 3}", "line 12"),
    (PAPER, "protocol: cv5", "protocol: cv6", "line 12"),
    (PAPER, "protocol: cv5", "protocol: cv5\n    tolerance: {acuracy: 1}", "'acuracy'"),
    (PAPER, "protocol: cv5", "protocol: cv5\n    tolerance: {accuracy: -1}", "at least 0"),
    (PAPER, "protocol: cv5", "protocol: cv5\n    published_protocol: sane", "'sane'"),
    (PAPER, "protocol: cv5", "protocol: cv5\n    select: [nested]", "select of table1"),
    (PAPER, "protocol: cv5", "protocol: cv5\n    replicates: 0", "replicates"),
    (PAPER, "datasets: [iris, wine]", "datasets: []", "datasets of table1 is empty"),
    (PAPER, "datasets: [iris, wine]", "datasets: [iris, iris]", "iris appears twice"),
    (PAPER, "stump]", "stump, stumpp]", "'stumpp'"),
    (PAPER, "  table1:", "  readme:", "readme is a file that reports write"),
    (PAPER, "  table1:", "  Cells:", "Cells is a file that reports write"),
    (METHODS, "n_estimators: 20", "n_estimator: 20", "'n_estimator'"),
    (METHODS, "n_estimators: 20", "n_estimators: 0", "n_estimators"),
    (METHODS, "n_estimators: 20", "n_estimators: two", "n_estimators"),
    (METHODS, "n_estimators: 20", "n_estimators: 20\n  limits: {timeout: 0}", "of seconds above 0"),
    (METHODS, "n_estimators: 20", "n_estimators: 20\n  version: 0", "at least 1"),
    (METHODS, "base: forest", "base: forrest", "'forrest'"),
    (METHODS, "estimators.py:Stump", "estimators.py:Stumpp", "'Stumpp'"),
    (METHODS, "estimators.py:Stump", "estimator.py:Stump", "estimator.py"),
    (METHODS, "sklearn.ensemble.RandomForestClassifier", "os.system", "os is not a module"),
]


@pytest.mark.parametrize(("command", "words", "named"), COMMANDS)
def test_a_wrong_command_line_is_one_sentence(study, capsys, command, words, named):
    try:
        code = main([*command.split(), "--study", str(study), *words.split()])
    except SystemExit as stopped:
        code = stopped.code
    error = capsys.readouterr().err
    assert code == 2, error
    named = "retree show" if named == "SHOW" else named
    assert named in error
    assert "Traceback" not in error
    assert not (study / "results" / study.name).exists()


@pytest.mark.parametrize(("file", "old", "new", "named"), STUDIES)
def test_a_wrong_study_is_refused_by_check_and_plan(study, capsys, file, old, new, named):
    text = (study / file).read_text()
    assert old in text
    (study / file).write_text(text.replace(old, new, 1))
    for words in (["check", str(study)], ["plan", "--study", str(study), "item=all"]):
        assert main(words) == 2
        error = capsys.readouterr().err
        assert named in error
        assert str(study) in error
        assert len(error.splitlines()) == 1


def test_a_failing_item_leaves_the_others(study, capsys):
    (study / "kinds.py").write_text(
        "from dataclasses import dataclass\n"
        "from retree_lab.reports.kinds import Kind\n\n\n"
        "@dataclass(frozen=True, kw_only=True)\nclass Broken(Kind):\n"
        "    def draw(self, context, rows):\n        raise ValueError('no room')\n"
    )
    text = (study / PAPER).read_text()
    broken = "  bad:\n    kind: kinds.py:Broken\n    caption: Bad\n"
    (study / PAPER).write_text(text.replace("items:\n", f"items:\n{broken}"))
    assert main(["run", "--report", "-j", "1", "--study", str(study), "item=all"]) == 1
    error = capsys.readouterr().err
    assert "kinds.py, line 8: ValueError: no room" in error
    assert "The other items were rendered." in error
    assert (study / "results" / "my_study" / "table1.md").exists()
    assert (study / "results" / "my_study" / "README.md").exists()


def test_a_new_study_has_a_workflow_and_no_caches(tmp_path):
    assert main(["init", str(tmp_path / "mine")]) == 0
    files = {path.name for path in (tmp_path / "mine").rglob("*")}
    assert {".gitignore", "check.yml"} <= files
    assert "__pycache__" not in files
    workflow = tmp_path / "mine" / ".github" / "workflows" / "check.yml"
    assert "retree check mine" in workflow.read_text()


def test_a_folder_without_a_study_is_wrong_usage(tmp_path, capsys):
    assert main(["run", "--study", str(tmp_path / "nothing"), "item=all"]) == 2
    assert "name the folder of a study, or make one with retree init" in capsys.readouterr().err


@pytest.mark.slow
def test_who_reads_no_further_is_not_answered_by_a_traceback(study):
    words = ["check", str(study)]
    script = f"import sys; from retree_lab.cli import main; sys.exit(main({words!r}))"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_the_version_is_said(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"retree {retree.__version__}\n"
