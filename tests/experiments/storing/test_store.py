import sqlite3

import pytest
from toy_benchmark import make_experiment, make_plan, run

from retree.errors import StoreError
from retree.experiments.storing.results import results_frame
from retree.experiments.storing.store import Store


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "cells.sqlite"


def test_damaged_file_is_not_deleted(path):
    path.parent.mkdir()
    path.write_bytes(b"not a database at all " * 500)
    with pytest.raises(StoreError, match=r"is damaged .* move it away or delete it"):
        Store(path)
    assert path.read_bytes().startswith(b"not a database")


def test_damage_inside_the_file_is_found(path):
    plan = make_plan(make_experiment())
    run(plan, path)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged"), Store(path) as store:
        results_frame(plan, store)


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
    monkeypatch.setattr("retree.experiments.storing.store.BUSY_SECONDS", 0.05)
    with Store(path) as store:
        holder = sqlite3.connect(path)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="in use by another run"):
            store.begin_run("now", {})
        holder.rollback()
        holder.close()
