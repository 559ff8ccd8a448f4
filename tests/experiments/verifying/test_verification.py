"""Stored cells come out again, or are named; damaged rows are found, by whatever was edited."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
import toy_benchmark
from rich.console import Console
from toy_benchmark import CV, make_datasets, make_experiment, make_plan, run

from retree.errors import RetreeError, StoreError, UnknownNameError
from retree_lab.cli import parse
from retree_lab.commands import verify as verify_module
from retree_lab.commands.verify import advice
from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.storing.outcomes import Outcome, StoredCell, pack_predictions, seal
from retree_lab.experiments.storing.planned import Planned
from retree_lab.experiments.storing.results import results_frame
from retree_lab.experiments.storing.status import done_keys
from retree_lab.experiments.storing.store import Store
from retree_lab.experiments.storing.store_tables import COLUMNS
from retree_lab.experiments.verifying.fingerprint import fingerprint
from retree_lab.experiments.verifying.verification import (
    ROUNDING,
    Grade,
    choose_cells,
    compare_cell,
    grade_values,
    verify_plans,
)
from retree_lab.experiments.verifying.verified import FILE, read_verified
from retree_lab.study.folders import open_study

ALL = ("toy", "toy_grid")
LOCAL = Execution("local", "loky", 1)
TAMPERED = ("accuracy", "leaves", "digest", "seed", "params", "fit_seconds", "run", "n_test")


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    path = tmp_path_factory.mktemp("computed") / "cells.sqlite"
    run(make_plan(make_experiment()), path)
    return path


@pytest.fixture
def path(computed, tmp_path):
    return shutil.copy(computed, tmp_path / "cells.sqlite")


def grow_another_tree(monkeypatch):
    fit = toy_benchmark.ToyTree.fit

    def edited(self, X, y):
        return fit(self, -X, y)

    monkeypatch.setattr(toy_benchmark.ToyTree, "fit", edited)


def change(path, statement, *values):
    with closing(sqlite3.connect(path)) as db, db:
        assert db.execute(statement, values).rowcount > 0


def reseal(path, key, **values):
    """Edit a row as somebody would who knows how its seal is made."""
    with closing(sqlite3.connect(path)) as db, db:
        query = f"SELECT {','.join(COLUMNS)} FROM cells WHERE key = ?"
        row = dict(zip(COLUMNS, db.execute(query, (key,)).fetchone(), strict=True)) | values
        names = ",".join(f"{name} = ?" for name in (*values, "seal"))
        sealed = seal([row[name] for name in COLUMNS])
        db.execute(f"UPDATE cells SET {names} WHERE key = ?", (*values.values(), sealed, key))


def test_a_sample_has_every_method_on_every_data_set_in_shared_folds(path):
    plan = make_plan(make_experiment())
    with Store(path) as store:
        (chosen,) = choose_cells([plan], done_keys([plan], store), ALL, 1)
        (again,) = choose_cells([plan], done_keys([plan], store), ALL, 1)
        (three,) = choose_cells([plan], done_keys([plan], store), ("toy",), 3)
        (everything,) = choose_cells([plan], done_keys([plan], store), ALL, None)
    pairs = [(cell.dataset, cell.method) for cell in chosen.cells]
    assert sorted(pairs) == [(d, m) for d in ("north", "south") for m in ("grid", "plain")]
    assert len({(cell.dataset, cell.repeat, cell.fold) for cell in chosen.cells}) == 2
    assert [cell.key for cell in again.cells] == [cell.key for cell in chosen.cells]
    assert {cell.method for cell in three.cells} == {"plain"}
    assert len({(cell.dataset, cell.repeat, cell.fold) for cell in three.cells}) == 6
    assert len(everything.cells) == len(plan.cells)


def test_only_stored_cells_are_chosen_and_each_once(tmp_path, path):
    plan = make_plan(make_experiment())
    with Store(path) as store:
        first, second = choose_cells([plan, plan], done_keys([plan, plan], store), ALL, None)
    assert len(first.cells) == len(plan.cells)
    assert not second.cells
    with Store(tmp_path / "empty.sqlite") as store:
        assert not choose_cells([plan], done_keys([plan], store), ALL, 1)[0].cells


def test_equal_cells_are_equal(path):
    plan = make_plan(make_experiment())
    with Store(path) as store:
        found = verify_plans([plan], make_datasets(), store, LOCAL)
    assert found.mismatches == ()
    assert found.compared == {"toy": 12, "toy_grid": 72}


def test_other_answers_are_named_and_overwrite_nothing(path, monkeypatch):
    plan = make_plan(make_experiment())
    with Store(path) as store:
        before = results_frame(plan, store)
        grow_another_tree(monkeypatch)
        found = verify_plans([plan], make_datasets(), store, LOCAL)
        assert results_frame(plan, store).equals(before)
    assert found.moved == ["toy", "toy_grid"]
    assert len(found.mismatches) > 60
    mismatch = found.mismatches[0]
    assert mismatch.difference.old["digest"] != mismatch.difference.new["digest"]
    assert mismatch.difference.old.keys() == mismatch.difference.new.keys()


def test_without_a_stored_digest_the_rest_is_compared(path, monkeypatch):
    plan = make_plan(make_experiment())
    for cell in plan.cells:
        reseal(path, cell.key, digest=None)
    with Store(path) as store:
        found = verify_plans([plan], make_datasets(), store, LOCAL)
        assert (found.mismatches, found.undigested) == ((), len(plan.cells))
        grow_another_tree(monkeypatch)
        moved = verify_plans([plan], make_datasets(), store, LOCAL).mismatches
    assert not any("digest" in mismatch.difference.old for mismatch in moved)
    assert any("predictions" in mismatch.difference.old for mismatch in moved)


def test_an_error_is_a_mismatch(path, monkeypatch):
    monkeypatch.setattr(toy_benchmark.ToyTree, "predict", None)
    with Store(path) as store:
        found = verify_plans([make_plan(make_experiment())], make_datasets(), store, LOCAL)
    assert "error" in found.mismatches[0].difference.new
    assert found.grades("toy") == {Grade.DIFFERENT: 12}


@pytest.mark.parametrize("column", TAMPERED)
def test_an_edited_column_is_found_named_set_aside_and_computed_again(path, column, capsys):
    plan = make_plan(make_experiment())
    key = plan.cells[5].key
    with Store(path) as store:
        before = results_frame(plan, store).drop(columns=["fit_seconds", "cpu_seconds"])
    change(path, f"UPDATE cells SET {column} = 7.5 WHERE key = ?", key)
    with Store(path, readonly=True) as store:
        assert results_frame(plan, store)["status"].value_counts().to_dict() == {
            "done": 83,
            "absent": 1,
        }
    assert "1 damaged cell left out: grid on north" in capsys.readouterr().err
    assert run(plan, path).computed == 1
    assert "set aside, to be computed again: grid on north" in capsys.readouterr().err
    with Store(path) as store:
        after = results_frame(plan, store).drop(columns=["fit_seconds", "cpu_seconds"])
    assert after.equals(before)
    assert capsys.readouterr().err == ""
    with closing(sqlite3.connect(path)) as db, db:
        assert db.execute("SELECT key, flaw FROM damaged").fetchall() == [(key, "it was edited")]


def test_deleted_outputs_are_found_and_computed_again(path, capsys):
    plan = make_plan(make_experiment())
    change(path, "DELETE FROM outputs WHERE key = ?", plan.cells[5].key)
    assert run(plan, path).computed == 1
    assert "its predictions were deleted" in capsys.readouterr().err


@pytest.mark.parametrize("changed", [None, "text"])
def test_edited_outputs_are_not_given_out_but_computed_again(path, changed, capsys):
    plan = make_plan(make_experiment())
    key = plan.cells[5].key
    with Store(path) as store:
        blob = pack_predictions(1 - store.predictions(key))
    change(path, "UPDATE outputs SET predictions = ? WHERE key = ?", changed or blob, key)
    with Store(path) as store:
        with pytest.raises(StoreError, match="were edited: run its item again"):
            store.predictions(key)
        assert store.metrics([key]) == {}
    assert "1 damaged cell set aside" in capsys.readouterr().err
    assert run(plan, path).computed == 1


@pytest.fixture
def verify(path, tmp_path, monkeypatch):
    """Return ``retree verify`` on the throw-away benchmark, as a function of its arguments."""
    experiment = replace(make_experiment(CV), store=path, committed=tmp_path)
    planned = Planned(experiment, make_datasets(), [make_plan(experiment)])
    monkeypatch.setattr(verify_module, "_experiments", lambda overrides: iter([experiment]))
    monkeypatch.setattr(verify_module, "plan_all", lambda experiment: planned)
    return lambda *arguments: verify_module.run(
        *parse(["verify", *arguments]), Console(width=200, highlight=False)
    )


def test_verified_estimators_are_noted(verify, tmp_path, capsys):
    assert verify("toy", "--all") == 0
    assert "toy, 12 cells: 12 equal" in capsys.readouterr().out
    noted = read_verified(tmp_path / FILE)
    assert noted.keys() == {"toy"}
    assert (noted["toy"].cells, noted["toy"].version, noted["toy"].papers) == (12, 1, ["toy"])
    assert verify() == 0
    assert read_verified(tmp_path / FILE)["toy_grid"].cells == 2


def test_moved_estimators_are_not_noted_but_named(verify, tmp_path, monkeypatch, capsys):
    grow_another_tree(monkeypatch)
    assert verify("--all") == 1
    out = capsys.readouterr().out
    assert "toy: it was never verified" in out
    assert "toy_grid: it was never verified" in out
    assert "more" in out
    assert not (tmp_path / FILE).exists()


def test_a_version_is_to_be_raised_only_where_sources_have_changed(
    verify, tmp_path, monkeypatch, capsys
):
    assert verify("toy") == 0
    grow_another_tree(monkeypatch)
    capsys.readouterr()
    assert verify("toy") == 1
    out = capsys.readouterr().out
    assert "so its version stays. The differences come from the processor or the libraries" in out
    assert "raise" not in out
    path = tmp_path / FILE
    path.write_text(path.read_text().replace(fingerprint("toy").sources, "0" * 16))
    assert verify("toy") == 1
    out = capsys.readouterr().out
    assert "toy: its sources have changed since it was verified on 2" in out
    assert "raise the version that it declares" in out


def test_in_a_study_the_version_stands_beside_the_method(tmp_path):
    study = tmp_path / "mine"
    study.mkdir()
    for name in ("paper.yaml", "estimators.py"):
        (study / name).write_text("")
    open_study(study)
    assert "raise version: of its methods in methods/*.yaml" in advice("estimators.py:Tree", None)
    text = advice("sklearn.tree.DecisionTreeClassifier", None)
    assert "install the version of sklearn that the cells come from" in text


def test_it_is_said_where_stored_cells_come_from_and_where_this_is(verify, capsys):
    assert verify() == 0
    stored, here = capsys.readouterr().out.splitlines()[:2]
    assert stored.startswith("Stored: 4 cells computed on ")
    assert f"numpy {np.__version__}" in stored
    assert here.removeprefix("Here: ") == stored.partition(" computed on ")[2]


def test_cells_that_differ_in_the_last_bits_only_are_told_apart(path, verify, capsys):
    keys = [cell.key for cell in make_plan(make_experiment()).cells if cell.method == "plain"]
    reseal(path, keys[0], digest="0" * 16)
    reseal(path, keys[1], digest="0" * 16, leaves=99.0, nodes=197.0)
    assert verify("toy", "--all") == 1
    out = capsys.readouterr().out
    grades = "10 equal; 1 equal in accuracy and sizes, but not in the last bits; 1 different"
    assert f"toy, 12 cells: {grades}\n" in out
    lines = [line for line in out.splitlines() if "0000000" in line]
    assert "leaves 99.0" in lines[0]


STORED = {
    "accuracy": 0.5, "depth": 2.0, "leaves": 3.0, "nodes": 5.0, "digest": "ab", "scores": {},
}  # fmt: skip
SAME = {name: value for name, value in STORED.items() if name != "scores"}
CLASSES, NUMBERS = np.array([0, 1, 1]), np.array([0.5, -1.0, np.nan])


@pytest.mark.parametrize(
    ("stored", "computed", "before", "now", "grade"),
    [
        ({}, {}, None, CLASSES, Grade.EQUAL),
        ({"digest": None}, {"digest": "cd"}, CLASSES, CLASSES, Grade.EQUAL),
        ({}, {"digest": "cd"}, None, CLASSES, Grade.LAST_BITS),
        ({}, {"digest": "cd"}, CLASSES, CLASSES, Grade.LAST_BITS),
        ({}, {"digest": "cd"}, CLASSES, CLASSES[::-1], Grade.DIFFERENT),
        ({}, {"digest": "cd"}, NUMBERS, NUMBERS + 1e-13, Grade.LAST_BITS),
        ({}, {"digest": "cd"}, NUMBERS, NUMBERS + 1e-6, Grade.DIFFERENT),
        ({}, {"digest": "cd"}, NUMBERS, NUMBERS[:2], Grade.DIFFERENT),
        ({}, {"leaves": 4.0}, None, CLASSES, Grade.DIFFERENT),
        ({}, {"accuracy": 0.5 + 1e-12}, None, CLASSES, Grade.DIFFERENT),
        ({"depth": None}, {}, None, CLASSES, Grade.DIFFERENT),
        ({"scores": {"r2": 0.3}}, {"scores": {"r2": 0.3}}, None, NUMBERS, Grade.EQUAL),
        ({"scores": {"r2": np.nan}}, {"scores": {"r2": np.nan}}, None, NUMBERS, Grade.EQUAL),
        ({"scores": {"r2": 0.3}}, {"scores": {"r2": 0.3 + 1e-14}}, None, NUMBERS, Grade.LAST_BITS),
        ({"scores": {"r2": 0.3}}, {"scores": {"r2": 0.31}}, None, NUMBERS, Grade.DIFFERENT),
        ({}, {"error": "Traceback\nValueError: no"}, None, CLASSES, Grade.DIFFERENT),
    ],
)
def test_grades(stored, computed, before, now, grade):
    again = Outcome("k", **{**SAME, **computed}, predictions=pack_predictions(now))
    packed = None if before is None else pack_predictions(before)
    cell = StoredCell(**dict.fromkeys(StoredCell._fields) | STORED | stored)
    found = compare_cell(cell, again, packed)
    assert found.grade == grade
    assert bool(found.new) == (grade != Grade.EQUAL)


@pytest.mark.parametrize(
    ("old", "new", "grade"),
    [
        (100.0, 100.0 * (1 + ROUNDING), Grade.LAST_BITS),
        (100.0, 100.0 * (1 + 1.1 * ROUNDING), Grade.DIFFERENT),
        (0.1, 0.1 + ROUNDING, Grade.LAST_BITS),
        (0.1, 0.1 + 1.1 * ROUNDING, Grade.DIFFERENT),
        (np.nan, np.nan, Grade.EQUAL),
        (np.nan, 0.1, Grade.DIFFERENT),
        (np.inf, 0.1, Grade.DIFFERENT),
        (np.nan, "text", Grade.DIFFERENT),
        ("text", "text", Grade.EQUAL),
        ("1.0", "1.00", Grade.DIFFERENT),
        (3, 3.0, Grade.EQUAL),
        (3, 4, Grade.DIFFERENT),
        (None, 0.0, Grade.DIFFERENT),
        (np.array([0.1, np.nan]), np.array([0.1 + 1e-13, np.nan]), Grade.LAST_BITS),
        (np.array([0.1, np.nan]), np.array([0.1, 0.2]), Grade.DIFFERENT),
    ],
)
def test_grades_of_values(old, new, grade):
    assert grade_values(old, new) == grade


def test_what_is_not_stored_is_said_not_to_be_verified(verify, path, capsys):
    change(path, "DELETE FROM cells WHERE method = 'plain' AND dataset = 'north'")
    assert verify() == 0
    out = capsys.readouterr().out
    assert (
        "toy: 1 of 4 pairs of a method and a data set are not stored, so they were not verified"
        in out
    )


def test_usage(verify):
    with pytest.raises(UnknownNameError, match="'toy'"):
        verify("toyy")
    with pytest.raises(UnknownNameError, match="override of retree verify: 'protocol'"):
        verify("protocol=cv5")
    with pytest.raises(UnknownNameError, match="at least 1"):
        verify("--sample", "0")
    with pytest.raises(RetreeError, match="nothing to verify"):
        verify("c45")


def test_a_method_under_two_names_is_verified_once_for_both(path, tmp_path, monkeypatch, capsys):
    experiment = replace(make_experiment(CV), store=path, committed=tmp_path)
    item = experiment.items[0]
    again = replace(item.methods[1], key="again", name="Again")
    experiment = replace(experiment, items=(replace(item, methods=(*item.methods, again)),))
    planned = Planned(experiment, make_datasets(), [make_plan(experiment)])
    monkeypatch.setattr(verify_module, "_experiments", lambda overrides: iter([experiment]))
    monkeypatch.setattr(verify_module, "plan_all", lambda experiment: planned)
    assert verify_module.run(*parse(["verify", "--all"]), Console(width=200, highlight=False)) == 0
    out = capsys.readouterr().out
    assert "toy, 12 cells: 12 equal" in out
    assert "not verified" not in out
