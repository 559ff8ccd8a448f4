import json
import os
import shutil

import pytest
from stress_study_folder import STUDY

from retree.errors import RetreeError
from retree_lab.cli import main
from retree_lab.experiments.verifying.preregistration import read_preregistration

KINDS = """
from retree_lab.reports.kinds.metric_table import MetricTable

class Own(MetricTable):
    takes_estimates = True

def share(y, predicted):
    return float((y == predicted).mean())
"""


def write_study(parent):
    folder = shutil.copytree(STUDY, parent / "trouble")
    (folder / "paper.yaml").write_text(
        "title: One\nauthors: Nobody\nreference: None\nitems:\n  many:\n    kind: kinds.py:Own\n"
        "    caption: Cells\n    protocol: cv2\n    metrics: [accuracy]\n    datasets: [iris]\n"
        "    methods: [quick]\n  share:\n    kind: metric_table\n    caption: Share\n"
        "    protocol: cv2\n    metrics: [kinds.py:share]\n    datasets: [iris]\n"
        "    methods: [quick]\n"
    )
    (folder / "kinds.py").write_text(KINDS)
    return folder


@pytest.fixture
def bare(tmp_path):
    return write_study(tmp_path)


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """A study that was preregistered and then computed."""
    folder = write_study(tmp_path_factory.mktemp("computed"))
    assert main(["preregister", str(folder)]) == 0
    assert main(["run", "-j", "1", "--study", str(folder), "item=all"]) == 0
    return folder


@pytest.fixture
def study(computed, tmp_path):
    return shutil.copytree(computed, tmp_path / "trouble")


def verdict(study, capsys):
    capsys.readouterr()
    code = main(["verify", "-j", "1", "--study", str(study)])
    return code, capsys.readouterr().out.splitlines()[-1]


def test_a_study_as_it_was_frozen_passes(study, capsys):
    code, word = verdict(study, capsys)
    assert word.startswith("PASS (preregistered ")
    assert "0 cells stored then" in word
    assert code == 0
    assert main(["preregister", str(study)]) == 2
    assert "is preregistered once" in capsys.readouterr().err


ERRATUM = "errata: [{table: many, metric: accuracy, reason: A slip.}]"


def edit(name, old, new):
    def change(study):
        path = study / name
        text = path.read_text() if path.exists() else ""
        path.write_text(text.replace(old, new) if old else text + new)

    return change


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (edit("paper.yaml", "title: One", "title: One\npublished_protocol: same"), "tolerances"),
        (edit("protocols/cv2.yaml", "", "seed: 7\n"), "plan"),
        (edit("paper.yaml", "title: One", f"title: One\n{ERRATUM}"), "errata"),
        (edit("paper.yaml", "title: One", "title: One\nmargins: {points: 99}"), "tolerances"),
        (edit("paper.yaml", "title: One", "title: One\nour_data: [iris]"), "data sets that"),
        (edit("paper.yaml", "title: One", "title: One\nnames: {quick: Slow}"), "names"),
        (edit("paper.yaml", "[accuracy]", "[accuracy, leaves]"), "items"),
        (edit("paper.yaml", "title: One", "title: One\nnot_judged: Others."), "not judged"),
        (edit("kinds.py", "takes_estimates = True", "takes_estimates = False"), "own kinds"),
        (edit("kinds.py", "mean()", "sum()"), "own kinds and metrics"),
        (edit("preregistration.json", '"stored_before": 0', '"stored_before": 1'), "json"),
    ],
)
def test_what_has_changed_since_is_named(study, change, named, capsys):
    change(study)
    if named in ("plan", "own kinds and metrics"):
        # Nothing of another plan, or metric, is stored, so that it is computed first.
        assert main(["run", "-j", "1", "--study", str(study), "item=all"]) == 0
    code, word = verdict(study, capsys)
    assert (code, word.startswith("CHANGED: ")) == (1, True)
    assert named in word


def test_a_cell_that_differs_fails(study, capsys, monkeypatch):
    monkeypatch.setattr("retree_lab.commands.verify._conclude", lambda *_, **__: 1)
    code, word = verdict(study, capsys)
    assert (code, word[:4]) == (1, "FAIL")


def test_a_caption_may_change(study, capsys):
    edit("paper.yaml", "caption: Cells", "caption: All cells")(study)
    assert verdict(study, capsys)[1].startswith("PASS")


WHOLE = {"written": "2026", "stored_before": 0, "frozen": {}, "seal": "0"}


@pytest.mark.parametrize(
    "text",
    [
        *map(json.dumps, ([1], 3, {}, {**WHOLE, "seal": None}, {**WHOLE, "frozen": [1]})),
        *(json.dumps({**WHOLE, key: float("nan")}) for key in WHOLE),
        "[" * 100_000,
        "{",
    ],
)
def test_a_file_that_is_none_is_a_sentence(tmp_path, text):
    (tmp_path / "preregistration.json").write_text(text)
    with pytest.raises(RetreeError, match="cannot be read"):
        read_preregistration(tmp_path)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "preregistration.json")
    with pytest.raises(RetreeError, match="is not a plain file"):
        read_preregistration(tmp_path)


def test_a_study_without_the_file_is_said_to_have_none(study, capsys):
    (study / "preregistration.json").unlink()
    code, word = verdict(study, capsys)
    assert word.startswith("Not preregistered: ")
    assert code == 0


def test_a_study_that_check_refuses_is_not_frozen(bare, capsys):
    (bare / "published.csv").write_text("table,dataset,method,metric,value\nmany,no,no,no,1\n")
    assert main(["preregister", str(bare)]) == 2
    assert "published.csv, line 2" in capsys.readouterr().err
    assert not (bare / "preregistration.json").exists()
