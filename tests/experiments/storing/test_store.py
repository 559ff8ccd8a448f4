import sqlite3

import numpy as np
import pytest
from toy_benchmark import make_experiment, make_plan, run

from retree.errors import StoreError
from retree.experiments.storing.outcome import Outcome, pack_predictions
from retree.experiments.storing.results import results_frame
from retree.experiments.storing.store import Store


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "cells.sqlite"


def test_a_file_that_is_no_store_is_set_aside_and_said(path, capsys):
    path.parent.mkdir()
    path.write_bytes(b"not a database at all " * 500)
    with pytest.raises(StoreError, match=r"is damaged .* retree run sets it aside"):
        Store(path, readonly=True)
    assert path.read_bytes().startswith(b"not a database")
    plan = make_plan(make_experiment())
    assert run(plan, path).computed == len(plan.cells)
    (aside,) = path.parent.glob("cells.damaged-*.sqlite")
    assert aside.read_bytes().startswith(b"not a database")
    assert f"is set aside as {aside.name}; the cells are computed anew" in capsys.readouterr().err


def test_damage_inside_the_file_is_found_and_the_file_set_aside(path):
    plan = make_plan(make_experiment())
    run(plan, path)
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"set aside as cells.damaged-.*; run again"):
        run(plan, path)
    assert run(plan, path).computed == len(plan.cells)


def test_a_damaged_cell_is_named_once(path, capsys):
    plan = make_plan(make_experiment())
    run(plan, path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE cells SET accuracy = 0.5")
    capsys.readouterr()
    for _ in range(2):
        with Store(path, readonly=True) as store:
            results_frame(plan, store)
    assert capsys.readouterr().err.count("damaged cells left out") == 1


def test_file_in_place_of_the_folder(path):
    path.parent.write_text("a file")
    with pytest.raises(StoreError, match=r"place you can write with store=PATH"):
        Store(path)


def test_newer_schema(path):
    Store(path).__exit__(None, None, None)
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(StoreError, match=r"newer retree .*schema 99"):
        Store(path)


def test_looking_makes_no_file(path):
    with Store(path, readonly=True) as store:
        frame = results_frame(make_plan(), store)
    assert set(frame["status"]) == {"absent"}
    assert not path.parent.exists()


def test_missing_output_is_explained(path):
    with Store(path) as store, pytest.raises(StoreError, match="run its item first"):
        store.predictions("0" * 64)


def test_runs_have_provenance(path):
    run(make_plan(make_experiment()), path)
    with Store(path) as store:
        (found,) = store.runs().values()
    assert found["started"]
    assert found["numpy"]
    assert {"commit", "dirty", "python", "platform", "cpu"} <= set(found)


def test_two_stores_on_one_file_do_not_disturb_each_other(path):
    plan = make_plan(make_experiment())
    with Store(path) as first, Store(path) as second:
        assert first.begin_run("now", {}) == 1
        assert second.begin_run("now", {}) == 2
        run(plan, path)
        assert (results_frame(plan, first)["status"] == "done").all()
        assert results_frame(plan, first).equals(results_frame(plan, second))


def test_store_in_use_is_explained(path, monkeypatch):
    monkeypatch.setattr("retree.experiments.storing.store_file.BUSY_SECONDS", 0.05)
    with Store(path) as store:
        holder = sqlite3.connect(path)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="in use by another run"):
            store.begin_run("now", {})
        holder.rollback()
        holder.close()


PREDICTED = pack_predictions(np.zeros(4, np.intp))
FAILED = {"error": "ValueError: no"}
BARE = {"accuracy": 0.5, "n_test": 4, "digest": "d"}
WHOLE = {**BARE, "predictions": PREDICTED}


@pytest.mark.parametrize("readonly", [False, True])
@pytest.mark.parametrize(
    ("first", "second", "wins"),
    [
        (FAILED, {"error": "ValueError: again"}, "second"),
        (FAILED, BARE, "second"),
        (FAILED, WHOLE, "second"),
        (BARE, FAILED, "first"),
        (BARE, {**BARE, "accuracy": 0.25}, "first"),
        (BARE, {**WHOLE, "accuracy": 0.25}, "second"),
        (WHOLE, FAILED, "first"),
        (WHOLE, {**BARE, "accuracy": 0.25}, "first"),
        (WHOLE, {**WHOLE, "accuracy": 0.25}, "first"),
    ],
)
def test_which_of_two_results_of_a_cell_is_kept(path, readonly, first, second, wins):
    cell = make_plan(make_experiment()).cells[0]
    expected = {"error": None, "accuracy": None} | (first if wins == "first" else second)
    with Store(path, readonly=readonly) as store:
        for fields in (first, second):
            store.record(store.begin_run("now", {}), [(cell, Outcome(cell.key, **fields))])
        found = store.metrics([cell.key])[cell.key]
        assert {name: found[name] for name in ("error", "accuracy")} == {
            name: expected[name] for name in ("error", "accuracy")
        }
        assert store.blobs(cell.key)[0] == expected.get("predictions")


def test_of_two_failures_that_of_the_earlier_run_is_not_restored(path):
    cell = make_plan(make_experiment()).cells[0]
    run = {"started": "then"}
    with Store(path) as store:
        assert store.restore([(run, cell, Outcome(cell.key, error="then"))]) == 1
        store.record(store.begin_run("now", {}), [(cell, Outcome(cell.key, error="now"))])
        assert store.restore([(run, cell, Outcome(cell.key, error="then"))]) == 0
        assert store.metrics([cell.key])[cell.key]["error"] == "now"


def test_what_a_readonly_store_is_told_stays_in_memory(path):
    plan = make_plan(make_experiment())
    run(plan, path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE cells SET accuracy = 0.99 WHERE key = ?", (plan.cells[0].key,))
    db.close()
    before = path.read_bytes()
    with Store(path, readonly=True) as store:
        frame = results_frame(plan, store)
        assert frame["status"].tolist().count("absent") == 1
        again = [(c, Outcome(c.key, error="again")) for c in plan.cells[:1]]
        store.record(store.begin_run("now", {}), again)
        assert len(store.runs()) == 2
        assert results_frame(plan, store)["status"].tolist().count("failed") == 1
    assert path.read_bytes() == before


def test_cells_are_found_by_their_keys_without_going_through_all(path):
    plan, asked = make_plan(make_experiment()), []
    run(plan, path)
    keys = [cell.key for cell in plan.cells]
    with Store(path, readonly=True) as store:
        store._db.set_trace_callback(asked.append)
        assert store.metrics(keys).keys() == set(keys)
        assert {stored.row["key"] for stored in store.rows_with_outputs(keys)} == set(keys)
        store._db.set_trace_callback(None)
        queries = [query for query in asked if " IN (" in query]
        plans = [store._db.execute(f"EXPLAIN QUERY PLAN {query}").fetchall() for query in queries]
    assert len(plans) >= 3
    assert not [step for steps in plans for *_, step in steps if step.startswith("SCAN")]
