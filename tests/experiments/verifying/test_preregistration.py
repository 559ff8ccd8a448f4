import json
import shutil

import pytest
from stress_study_folder import STUDY

from retree.cli import main


@pytest.fixture
def study(tmp_path):
    folder = shutil.copytree(STUDY, tmp_path / "trouble")
    (folder / "paper.yaml").write_text(
        "title: One\nauthors: Nobody\nreference: None\nitems:\n  many:\n    kind: metric_table\n"
        "    caption: Cells\n    protocol: cv2\n    metrics: [accuracy]\n    datasets: [iris]\n"
        "    methods: [quick]\n"
    )
    assert main(["preregister", str(folder)]) == 0
    assert main(["run", "-j", "1", "--study", str(folder), "item=all"]) == 0
    return folder


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
        (edit("protocols/cv2.yaml", "", "seed: 7\n"), "cells"),
        (edit("preregistration.json", '"stored_before": 0', '"stored_before": 1'), "json"),
    ],
)
def test_what_has_changed_since_is_named(study, change, named, capsys):
    change(study)
    if named == "cells":
        # Another plan: nothing of it is stored, so that it is computed first.
        assert main(["run", "-j", "1", "--study", str(study), "item=all"]) == 0
        named = "plan"
    code, word = verdict(study, capsys)
    assert (code, word.startswith("TAMPERED: ")) == (1, True)
    assert named in word


def test_a_cell_that_differs_fails(study, capsys, monkeypatch):
    monkeypatch.setattr("retree.commands.verify._conclude", lambda *_: 1)
    code, word = verdict(study, capsys)
    assert (code, word[:4]) == (1, "FAIL")


def test_a_file_that_is_none_is_a_sentence(study, capsys):
    (study / "preregistration.json").write_text(json.dumps([1]))
    assert main(["verify", "-j", "1", "--study", str(study)]) == 1
    assert "cannot be read" in capsys.readouterr().err
