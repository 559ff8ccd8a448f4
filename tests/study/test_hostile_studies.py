"""Studies of YAML alone that try to run code, to delete, or never to end: each one sentence."""

import os
import pickle
import shutil
import signal

import pytest

from retree_lab import paths
from retree_lab.cli import main

PAPER, METHODS, WINE = "paper.yaml", "methods/mine.yaml", "datasets/wine.yaml"
# Whatever runs it, this file is then there.
SENTINEL = "touched"
TOUCH = f"command: touch {SENTINEL}"


class _Touches:
    """Unpickling it makes the sentinel."""

    def __reduce__(self):
        return os.system, (f"touch {SENTINEL}",)


@pytest.fixture(autouse=True)
def no_endless_wait():
    """Let a test fail that waits for a pipe."""

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def yaml_alone(tmp_path, monkeypatch):
    """The study of ``retree init`` without its Python, in the working folder."""
    folder = shutil.copytree(paths.conf_dir() / "template", tmp_path / "my_study")
    (folder / "estimators.py").unlink()
    (folder / "claims.yaml").unlink()
    (folder / METHODS).write_text("forest: {name: Forest, estimator: cart}\n")
    replace(folder / PAPER, "forest, small_forest, stump]", "forest]")
    (folder / "evil.py").write_text(f"open('{SENTINEL}', 'w').close()\nclass Tree: ...\n")
    (folder / "evil_package").mkdir()
    shutil.copyfile(folder / "evil.py", folder / "evil_package" / "tree.py")
    (tmp_path / "outside.py").write_text((folder / "evil.py").read_text())
    (folder / "precious").mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    return folder


def replace(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def refused(study, capsys):
    """Return the sentence by which check and plan refuse a study that must not have run."""
    sentences = set()
    for command in (["check", str(study)], ["plan", "--study", str(study), "item=all"]):
        assert main(command) in (1, 2)
        sentences.add(capsys.readouterr().err)
        assert not (study / SENTINEL).exists()
        assert (study / "precious").is_dir()
    (sentence,) = sentences
    assert sentence.count("\n") == 1
    assert len(sentence.replace(str(study), "")) < 700
    return sentence


def test_the_study_itself_is_in_order(yaml_alone):
    assert main(["check", str(yaml_alone)]) == 0


METHOD_TRIES = [
    (f"os.system, {TOUCH}", "os is not a module of an installed package"),
    (f"subprocess.Popen, args: touch {SENTINEL}", "subprocess is not a module"),
    (f"builtins.exec, object: open('{SENTINEL}')", "builtins is not a module"),
    ("evil.Tree", "evil is not a module"),
    ("evil_package.tree.Tree", "evil_package.tree is not a module"),
    ("IPython.__main__.Tree", "IPython.__main__ is not a module"),
    ("../outside.py:Tree", "outside of the study's folder"),
    ("../../outside.py:Tree", "outside of the study's folder"),
    (f"retree_lab.cli.main, {TOUCH}", "retree_lab.cli:main is not an estimator"),
    (f"sklearn.base.os.system, {TOUCH}", "sklearn.base.os:system cannot be imported"),
    ("sklearn.datasets.clear_data_home, data_home: precious", "is not an estimator"),
    ("sklearn.utils.Bunch", "is not an estimator"),
    (f"cart, criterion: {{_target_: os.system, {TOUCH}}}", "os is not a module"),
    (f"cart, criterion: [{{_target_: evil.Tree, {TOUCH}}}]", "evil is not a module"),
    (
        "sklearn.pipeline.Pipeline, steps: [[a, {_target_: joblib.Memory, location: precious}]]",
        "joblib:Memory is not an estimator",
    ),
    (
        "sklearn.pipeline.Pipeline, memory: precious, steps: [[a, {_target_: cart}]]",
        "memory cannot be 'precious', a folder of pickles",
    ),
    (
        "sklearn.pipeline.Pipeline, steps: [[b, {_target_: "
        "sklearn.model_selection.GridSearchCV, param_grid: {a__memory: [precious]}, "
        "estimator: {_target_: cart}}]]",
        "a__memory cannot be 'precious'",
    ),
]


@pytest.mark.parametrize(("estimator", "message"), METHOD_TRIES)
def test_no_method_runs_code(yaml_alone, capsys, estimator, message):
    (yaml_alone / METHODS).write_text(f"forest: {{name: Forest, estimator: {estimator}}}\n")
    assert message in refused(yaml_alone, capsys)


DATA_TRIES = [
    ("sklearn: clear_data_home\narguments: {data_home: precious}", "Unknown function"),
    ("sklearn: fetch_california_housing\narguments: {data_home: precious}", "Unknown function"),
    ("sklearn: load_svmlight_file\narguments: {f: /dev/zero}", "Unknown function"),
    ("sklearn: load_files\narguments: {container_path: /}", "Unknown function"),
    (f"function: os.system\narguments: {{{TOUCH}}}", "function must be estimators.py:NAME"),
    ("function: sklearn.datasets.clear_data_home", "function must be estimators.py:NAME"),
    ("function: ../outside.py:Tree", "outside of the study's folder"),
]


@pytest.mark.parametrize(("text", "message"), DATA_TRIES)
def test_no_data_set_runs_code(yaml_alone, capsys, text, message):
    (yaml_alone / "precious" / "cal_housing_py3.pkz").write_bytes(pickle.dumps(_Touches()))
    (yaml_alone / WINE).write_text(text + "\n")
    assert message in refused(yaml_alone, capsys)


ITEM_TRIES = [
    ("kind: metric_table", "kind: 'evil:Tree'", "evil is not a module"),
    ("kind: metric_table", "kind: 'os:system'", "os is not a module"),
    ("kind: metric_table", "kind: '../outside.py:Tree'", "outside of the study's folder"),
    ("roc_auc_ovr]", "'os:system']", "There is no metric os:system"),
    ("roc_auc_ovr]", "'evil:Tree']", "There is no metric evil:Tree"),
    ("roc_auc_ovr]", "'../outside.py:Tree']", "outside of the study's folder"),
]


@pytest.mark.parametrize(("old", "new", "message"), ITEM_TRIES)
def test_no_item_runs_code(yaml_alone, capsys, old, new, message):
    replace(yaml_alone / PAPER, old, new)
    assert message in refused(yaml_alone, capsys)


ODD = {
    "digits": ("shared: " + "1" * 5_000, "a value that cannot be read"),
    "empty number": ('shared: !!int ""', "a value that cannot be read"),
    "bytes": ("shared: !!binary aGk=", "could not determine a constructor for the tag"),
    "set": ("shared: !!set {a, b}", "could not determine a constructor for the tag"),
    "day": ("shared: !!timestamp 2026-01-01", "could not determine a constructor for the tag"),
}


@pytest.mark.parametrize(
    ("file", "name"), [*((PAPER, name) for name in ODD), (METHODS, "set"), (WINE, "digits")]
)
def test_yaml_of_other_values_is_refused(yaml_alone, capsys, file, name):
    text, message = ODD[name]
    (yaml_alone / file).write_text((yaml_alone / file).read_text() + text)
    sentence = refused(yaml_alone, capsys)
    assert message in sentence
    assert file in sentence


@pytest.mark.parametrize("file", [METHODS, "mine.csv", "published.csv", "data.lock"])
@pytest.mark.parametrize("what", ["pipe", "device"])
def test_what_never_ends_is_not_opened(yaml_alone, capsys, file, what):
    (yaml_alone / WINE).write_text("file: mine.csv\ntarget: c\n")
    (yaml_alone / "mine.csv").write_text("a,c\n" + "1,x\n2,y\n" * 10)
    (yaml_alone / file).unlink(missing_ok=True)
    if what == "pipe":
        os.mkfifo(yaml_alone / file)
    else:
        (yaml_alone / file).symlink_to("/dev/zero")
    is_data_elsewhere = (file, what) == ("mine.csv", "device")
    why = "outside of the" if is_data_elsewhere else "not a plain file"
    assert f"{file} is {why}" in refused(yaml_alone, capsys)


def test_a_pipe_is_no_code(yaml_alone, capsys):
    os.mkfifo(yaml_alone / "estimators.py")
    (yaml_alone / METHODS).write_text("forest: {name: Forest, estimator: 'estimators.py:Tree'}\n")
    assert "estimators.py is not a file" in refused(yaml_alone, capsys)
