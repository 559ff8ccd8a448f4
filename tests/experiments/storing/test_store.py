import runpy
import sqlite3
from contextlib import closing, suppress

import numpy as np
import pytest
from toy_benchmark import make_experiment, make_plan, run

from retree.errors import StoreError
from retree_lab import paths
from retree_lab.experiments.storing.outcomes import Outcome, pack_predictions
from retree_lab.experiments.storing.results import read_cells, results_frame
from retree_lab.experiments.storing.store import Store
from retree_lab.reports.cells import number_runs, run_sentences


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "cells.sqlite"


@pytest.mark.parametrize("readonly", [False, True])
def test_a_file_that_never_was_a_store_stays_as_it_is(path, readonly):
    path.parent.mkdir()
    for content in (b"My thesis\n" * 500, b"\xff" * 9000, b"x"):
        path.write_bytes(content)
        with pytest.raises(
            StoreError, match="is not a store of retree, and is left as it is: move it"
        ):
            Store(path, readonly=readonly)
        assert [file.read_bytes() for file in path.parent.iterdir()] == [content]


def test_the_folder_of_the_store_alone_keeps_itself_out_of_git(tmp_path):
    for folder, files in ((".store", {".gitignore", "cells.sqlite"}), ("mine", {"cells.sqlite"})):
        with Store(tmp_path / folder / "cells.sqlite"):
            pass
        left = {file.name for file in (tmp_path / folder).iterdir()}
        assert {name for name in left if not name.endswith(("-wal", "-shm"))} == files
    assert (tmp_path / ".store" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("readonly", [False, True])
def test_the_database_of_another_program_stays_as_it_is(path, readonly):
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE places (url TEXT)")
    content = path.read_bytes()
    with pytest.raises(StoreError, match="is not a store of retree, and is left as it is"):
        Store(path, readonly=readonly)
    assert path.read_bytes() == content


def test_damage_inside_the_file_is_found_and_what_can_be_read_is_kept(path, capsys):
    plan = make_plan(make_experiment())
    run(plan, path)
    content = bytearray(path.read_bytes())
    content[-8192:] = b"\xff" * 8192
    path.write_bytes(content)
    capsys.readouterr()
    computed = run(plan, path).computed
    assert 0 < computed < len(plan.cells)
    (aside,) = path.parent.glob("cells.damaged-*.sqlite")
    assert aside.read_bytes() == content
    said = capsys.readouterr().err
    assert f"is set aside as {aside.name}; {len(plan.cells) - computed} rows" in said
    assert run(plan, path).computed == 0


def change(path, *statements):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            assert db.execute(statement).rowcount > 0


@pytest.mark.parametrize(
    ("statement", "computed"),
    [
        ("UPDATE cells SET seal = CAST(x'f4ff' AS TEXT) WHERE key = '{key}'", 1),
        ("UPDATE cells SET params = x'00' WHERE key = '{key}'", 1),
        ("UPDATE runs SET provenance = '{{'", 0),
        ("UPDATE runs SET provenance = '[1]'", 0),
        ("UPDATE runs SET started = CAST(x'f4ff' AS TEXT)", 0),
        ("DELETE FROM runs", 0),
        ("UPDATE sqlite_master SET sql = REPLACE(sql, 'key', 'kez') WHERE name = 'outputs'", 84),
        ("UPDATE sqlite_master SET sql = 'CREATE TABBE' WHERE name = 'outputs'", 84),
    ],
)
def test_damaged_texts_stop_no_command(path, statement, computed, capsys):
    plan = make_plan(make_experiment())
    run(plan, path)
    with Store(path) as store:
        before = results_frame(plan, store)["accuracy"]
    change(path, statement.format(key=plan.cells[5].key))
    with suppress(StoreError), Store(path, readonly=True) as store:
        frame, stored = results_frame(plan, store), read_cells([plan], store)
        assert run_sentences(number_runs([frame], stored)[0])
    assert run(plan, path).computed == computed
    with Store(path, readonly=True) as store:
        assert results_frame(plan, store)["accuracy"].equals(before)


def test_a_broken_index_is_found_and_built_anew(path):
    plan = make_plan(make_experiment())
    run(plan, path)
    index = "SELECT rootpage FROM sqlite_master WHERE name = 'cells_by_place'"
    with closing(sqlite3.connect(path)) as db:
        (page,), (size,) = db.execute(index).fetchone(), db.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    at = content.index(b"plain", (page - 1) * size)
    assert at < page * size
    content[at] ^= 1
    path.write_bytes(content)
    assert "row" in integrity(path)
    assert run(plan, path).computed == 0
    assert integrity(path) == "ok"
    assert list(path.parent.glob("cells.damaged-*")) == []


def integrity(path):
    with closing(sqlite3.connect(path)) as db:
        return db.execute("PRAGMA integrity_check").fetchone()[0]


@pytest.mark.slow
def test_no_flipped_bit_stops_a_command_or_gives_a_wrong_value(tmp_path):
    script = runpy.run_path(str(paths.project_dir() / "scripts" / "bit_flips.py"))
    found = script["flip_bits"](8, 3, tmp_path)
    assert [found[name] for name in (script["STOPPED"], script["WRONG"])] == [0, 0]


def test_a_damaged_cell_is_named_once(path, capsys):
    plan = make_plan(make_experiment())
    run(plan, path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE cells SET accuracy = 0.5")
    capsys.readouterr()
    for _ in range(2):
        with Store(path, readonly=True) as store:
            results_frame(plan, store)
    assert capsys.readouterr().err.count("damaged cells left out") == 1


def test_file_in_place_of_the_folder(path):
    path.parent.write_text("a file")
    with pytest.raises(StoreError, match=r"writable file with store=PATH"):
        Store(path)


def test_newer_schema(path):
    Store(path).__exit__(None, None, None)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA user_version = 99")
    # Its tables are as they were: a later retree would have others.
    Store(path).__exit__(None, None, None)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA user_version = 99")
        db.execute("ALTER TABLE cells ADD COLUMN more TEXT")
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
    monkeypatch.setattr("retree_lab.experiments.storing.store_file.BUSY_SECONDS", 0.05)
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
        assert (found.error, found.accuracy) == (expected["error"], expected["accuracy"])
        assert store.blobs(cell.key)[0] == expected.get("predictions")


def test_what_a_readonly_store_is_told_stays_in_memory(path):
    plan = make_plan(make_experiment())
    run(plan, path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE cells SET accuracy = 0.99 WHERE key = ?", (plan.cells[0].key,))
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
        store._db.set_trace_callback(None)
        queries = [query for query in asked if " IN (" in query]
        plans = [store._db.execute(f"EXPLAIN QUERY PLAN {query}").fetchall() for query in queries]
    assert len(plans) >= 2
    assert not [step for steps in plans for *_, step in steps if step.startswith("SCAN")]
