"""A store is restored from committed cells, exactly, and from what is theirs alone."""

from __future__ import annotations

import gzip
import io
import multiprocessing
import shutil
import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from toy_benchmark import CV, WHOLE, make_datasets, make_experiment, make_plan, run

from retree.errors import RetreeError, StoreError
from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.planning import keys
from retree_lab.experiments.planning.plan import plan_item
from retree_lab.experiments.running.run_plans import run_plans
from retree_lab.experiments.storing import planned as planned_module
from retree_lab.experiments.storing.exports import export_folders, read_export
from retree_lab.experiments.storing.outcomes import (
    MOST_BYTES,
    Outcome,
    pack_predictions,
    unpack_predictions,
    unpack_tree,
)
from retree_lab.experiments.storing.planned import Planned, choose_machines
from retree_lab.experiments.storing.results import results_frame
from retree_lab.experiments.storing.store import Store, open_store
from retree_lab.reports.cells import cell_tables, provenance_content, write_cells, write_provenance


def export(experiment, plans, store):
    """Write the committed files of cells as `retree report` does."""
    entries = [(plan, results_frame(plan, store)) for plan in plans]
    write_cells(experiment, cell_tables(entries, [], store))
    write_provenance(experiment, provenance_content(entries, store))


def placed(experiment, folder):
    """The experiment with its results and a store that is not there yet in `folder`."""
    results, store = folder / "results", folder / "clone" / "cells.sqlite"
    return replace(experiment, results=results, committed=results, store=store)


def committed(folder, **options):
    """An experiment in a folder where all of its cells are committed and none is stored."""
    experiment = placed(make_experiment(**{"select": ["best_test", "nested"]} | options), folder)
    plan = make_plan(experiment)
    run(plan, folder / "origin.sqlite")
    with Store(folder / "origin.sqlite") as store:
        export(experiment, [plan], store)
    return Planned(experiment, make_datasets(), [plan])


def opened(planned, readonly=False):
    """Open the store of `planned` once and return its results frame, and what was said."""
    said = io.StringIO()
    with open_store(planned.experiment, Console(file=said, width=200), readonly=readonly) as store:
        return results_frame(planned.plans[0], store), said.getvalue()


def metrics(path, plan, committed=None):
    with Store(path, readonly=True, committed=export_folders(committed)) as store:
        found, runs = store.metrics([cell.key for cell in plan.cells]), store.runs()
    return {key: values._asdict() | {"run": runs[values.run]} for key, values in found.items()}


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    return committed(tmp_path_factory.mktemp("origin"))


@pytest.fixture
def planned(origin, tmp_path):
    shutil.copytree(origin.experiment.results.parent, tmp_path, dirs_exist_ok=True)
    return replace(origin, experiment=placed(origin.experiment, tmp_path))


@pytest.mark.parametrize("readonly", [False, True])
def test_every_cell_is_restored_once_and_with_whose_it_is(planned, readonly):
    frame, said = opened(planned, readonly)
    assert (frame["status"] == "done").all()
    assert said.startswith(f"{len(frame)} cells restored from ")
    (about,) = read_export(planned.experiment.results / "toy").runs
    for fact in (about["cpu"], about["platform"], about["started"][:10]):
        assert str(fact) in said
    # From then on the store is asked.
    assert planned.experiment.store.exists()
    again, said = opened(planned, readonly)
    assert said == ""
    assert again.equals(frame)


def test_restored_rows_are_those_of_the_origin_but_for_outputs_and_rounded_times(planned, tmp_path):
    opened(planned)
    plan = planned.plans[0]
    origin = metrics(tmp_path / "origin.sqlite", plan)
    clone = metrics(planned.experiment.store, plan, planned.experiment.committed)
    assert origin.keys() == clone.keys()
    for key, values in origin.items():
        rounded = {name: round(values[name], 4) for name in ("fit_seconds", "cpu_seconds")}
        assert clone[key] == values | rounded | {"outputs": None}


def test_what_was_restored_is_exported_as_the_same_bytes(planned, tmp_path):
    elsewhere = replace(planned.experiment, results=tmp_path / "again")
    with open_store(planned.experiment, Console(file=io.StringIO()), readonly=False) as store:
        # Runs have other numbers in another store.
        store.begin_run("1999-01-01T00:00:00+00:00", {})
        export(elsewhere, planned.plans, store)
    for path in (tmp_path / "results" / "toy").iterdir():
        assert (tmp_path / "again" / "toy" / path.name).read_bytes() == path.read_bytes()


def test_only_what_is_new_is_computed(planned):
    plan = planned.plans[0]
    new = replace(plan.item.methods[1], key="new", name="New", params={"depth": 4})
    item = replace(plan.item, methods=(*plan.item.methods, new))
    experiment = replace(planned.experiment, items=(item,))
    plans = [make_plan(experiment)]
    with open_store(experiment, Console(quiet=True), readonly=False) as store:
        report = run_plans(plans, make_datasets(), store, Execution("local", "loky", 1))
    assert report.computed == sum(cell.method == "new" for cell in plans[0].cells) > 0


def test_other_papers_are_taken_in_once_a_cell_is_not_among_the_papers_own(planned):
    own = planned.experiment.results / "toy"
    shutil.copytree(own, own.with_name("other"))
    assert str(own.with_name("other")) not in opened(planned)[1]
    for readonly in (True, False):
        shutil.rmtree(planned.experiment.store.parent)
        lacking = pd.read_csv(own / "cells.csv.gz", dtype=str, keep_default_na=False).iloc[1:]
        lacking.to_csv(own / "cells.csv.gz", index=False)
        frame, said = opened(planned, readonly)
        assert (frame["status"] == "done").all()
        assert f"restored from {own}: " in said
        assert f"restored from {own.with_name('other')}: " in said


@pytest.mark.parametrize("readonly", [False, True])
def test_a_store_with_its_committed_cells_in_an_earlier_order_is_read(planned, readonly):
    frame, _ = opened(planned)
    with closing(sqlite3.connect(planned.experiment.store)) as db:
        (made,) = db.execute("SELECT sql FROM sqlite_master WHERE name = 'committed'").fetchone()
        db.executescript(
            "ALTER TABLE committed RENAME TO later;"
            f"{made.replace('PRIMARY KEY (folder, file, key)', 'PRIMARY KEY (key, folder, file)')};"
            "INSERT INTO committed SELECT * FROM later; DROP TABLE later;"
            "CREATE INDEX committed_by_folder ON committed (folder, file, dataset, method);"
        )
    again, said = opened(planned, readonly)
    assert again.equals(frame)
    # What is only looked at stays.
    assert ("restored" in said) != readonly
    assert [path.name for path in planned.experiment.store.parent.glob("*.damaged*")] == []
    assert opened(planned, readonly=False)[0].equals(frame)


def test_own_cells_stay_and_the_rest_is_restored(planned):
    own = make_plan(make_experiment())
    run(own, planned.experiment.store)
    before = metrics(planned.experiment.store, own)
    frame, said = opened(planned)
    assert said.startswith(f"{len(frame)} cells restored")
    assert metrics(planned.experiment.store, own) == before


def test_a_restored_cell_has_no_predictions_until_it_is_computed(planned, tmp_path):
    opened(planned)
    with (
        open_store(planned.experiment, readonly=False) as store,
        Store(tmp_path / "origin.sqlite") as origin,
    ):
        cell = planned.plans[0].cells[0]
        with pytest.raises(StoreError, match="has no predictions"):
            store.predictions(cell.key)
        codes = origin.predictions(cell.key)
        restored = store.metrics([cell.key])[cell.key]
        values = restored._asdict()
        del values["run"], values["outputs"]
        outcome = Outcome(cell.key, **values, predictions=pack_predictions(codes))
        store.record(store.begin_run("now", {}), [(cell, outcome)])
        assert store.predictions(cell.key).tolist() == codes.tolist()


def test_other_data_or_parameters_are_not_restored(planned):
    datasets = make_datasets()
    loaded = {name: replace(d, sha256="other") for name, d in datasets.loaded.items()}
    other = replace(planned.plans[0].item.methods[1], params={"depth": 5})
    item = replace(planned.plans[0].item, methods=(other,))
    for some, data in ((planned.plans[0].item, replace(datasets, loaded=loaded)), (item, datasets)):
        plan = plan_item(planned.experiment, some, data)
        frame, _ = opened(Planned(planned.experiment, data, [plan]))
        assert set(frame["status"]) == {"absent"}


@pytest.mark.parametrize("readonly", [False, True])
def test_a_protocol_that_does_not_split_is_restored_with_its_outputs(tmp_path, readonly):
    planned = committed(tmp_path, protocol=WHOLE)
    with (
        Store(tmp_path / "origin.sqlite") as origin,
        open_store(planned.experiment, Console(quiet=True), readonly=readonly) as clone,
    ):
        for cell in planned.plans[0].cells:
            assert clone.blobs(cell.key) == origin.blobs(cell.key)
            assert clone.blobs(cell.key)[0]


def test_where_the_store_cannot_be_written_it_knows_the_same(planned, tmp_path):
    keys = [cell.key for cell in planned.plans[0].cells]
    with open_store(planned.experiment) as store:
        written = store.metrics(keys)
    aside = replace(planned.experiment, store=tmp_path / "no" / "folder" / "cells.sqlite")
    (tmp_path / "no").write_text("a file where the folder should be")
    with open_store(aside) as store:
        assert store.metrics(keys) == written


def test_an_edited_export_takes_the_place_of_the_earlier_one(planned):
    opened(planned)
    path = planned.experiment.results / "toy" / "cells.csv.gz"
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table.loc[0, "accuracy"], other = "0", table.loc[0, "accuracy"]
    assert float(other) > 0
    table[:-1].to_csv(path, index=False)
    frame, said = opened(planned, readonly=True)
    assert said.startswith(f"{len(table) - 1} cells restored")
    assert frame["status"].tolist().count("absent") == 1
    (moved,) = frame.loc[frame["key"].str.startswith(table.loc[0, "key"]), "accuracy"]
    assert moved == 0


@pytest.mark.parametrize("readonly", [False, True])
def test_damaged_rows_of_committed_cells_are_read_anew(planned, readonly, capsys):
    before = opened(planned)[0]
    with closing(sqlite3.connect(planned.experiment.store)) as db, db:
        key = planned.plans[0].cells[0].key[:16]
        db.execute("UPDATE committed SET accuracy = 0.99 WHERE key = ?", (key,))
        db.execute("UPDATE committed SET digest = CAST(x'f4ff' AS TEXT) WHERE method = 'Plain'")
    frame, _ = opened(planned, readonly)
    assert frame.equals(before)
    assert "are read again" in capsys.readouterr().err
    assert opened(planned, readonly)[0].equals(before)
    assert capsys.readouterr().err == ""


def test_where_nothing_is_committed_any_more_no_committed_cell_counts(planned):
    opened(planned)
    without = replace(planned, experiment=replace(planned.experiment, committed=None))
    assert set(opened(without)[0]["status"]) == {"absent"}


def test_looking_needs_no_folder_that_can_be_written(planned, tmp_path):
    (tmp_path / "clone").write_text("a file where the folder should be")
    frame, said = opened(planned, readonly=True)
    assert (frame["status"] == "done").all()
    assert "cells restored" in said


def test_nothing_is_restored_without_committed_results(planned):
    experiment = replace(planned.experiment, committed=None)
    frame, said = opened(replace(planned, experiment=experiment))
    assert set(frame["status"]) == {"absent"}
    assert said == ""


@pytest.mark.parametrize(
    ("column", "value"),
    [("accuracy", "0.999"), ("accuracy", "7.5"), ("n_test", "0"), ("depth", "-1"), ("run", "9")],
)
def test_an_edited_row_is_refused(planned, column, value):
    path = planned.experiment.results / "toy" / "cells.csv.gz"
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table.loc[0, column] = value
    table.to_csv(path, index=False)
    with pytest.raises(RetreeError, match=r"was edited .* git checkout"):
        opened(planned)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("provenance.json", b"[1]"),
        ("provenance.json", b'{"runs": 3}'),
        ("provenance.json", b'{"runs": [1]}'),
        ("provenance.json", b'{"runs": [], "metrics": [1]}'),
        ("provenance.json", b"[" * 100_000),
        ("provenance.json", b"\xff"),
        ("cells.csv.gz", b"no archive"),
        ("cells.csv.gz", gzip.compress(b"dataset,method\n1,2\n", mtime=0)),
        ("cells.csv.gz", None),
    ],
    ids=["list", "no list", "number", "metrics", "deep", "text", "no archive", "no key", "bomb"],
)
def test_a_damaged_file_is_a_sentence(planned, name, content):
    content = gzip.compress(bytes(2**28 + 1), 1) if content is None else content
    (planned.experiment.results / "toy" / name).write_bytes(content)
    with pytest.raises(RetreeError, match=rf"{name} cannot be read .* git checkout"):
        opened(planned)


def test_what_unpacks_to_too_much_is_not_unpacked():
    bomb = zlib.compress(bytes(MOST_BYTES + 1), 1)
    with pytest.raises(ValueError, match="larger than"):
        unpack_predictions(bomb)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, feature=np.zeros(MOST_BYTES // 8 + 1))
    with pytest.raises(ValueError, match="larger than"):
        unpack_tree(buffer.getvalue())


def members(path):
    """The members of a gz archive, as text and packed."""
    content, found = path.read_bytes(), []
    while content:
        unpack = zlib.decompressobj(wbits=31)
        text = unpack.decompress(content).decode()
        packed, content = content[: len(content) - len(unpack.unused_data)], unpack.unused_data
        found.append((text, packed))
    return found


def test_cells_computed_again_change_only_the_bytes_of_their_method_and_data_set(planned):
    opened(planned)
    path = planned.experiment.results / "toy" / "cells.csv.gz"
    before = members(path)
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    assert len(before) == 1 + len(table[["dataset", "method"]].drop_duplicates())
    moved = (table["dataset"] == table["dataset"][0]) & (table["method"] == table["method"][0])
    assert 0 < moved.sum() < len(table)
    # Another run, which began before all others, computed them.
    other = table.assign(run=table["run"].mask(moved, "0123abcd"))
    write_cells(planned.experiment, {"cells.csv.gz": other})
    after = members(path)
    assert [i for i, pair in enumerate(after) if pair != before[i]] == [1]
    assert "".join(text for text, _ in after) == other.to_csv(index=False)


def test_an_export_whose_runs_are_counted_is_read(planned):
    path = planned.experiment.results / "toy" / "cells.csv.gz"
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    (name,) = set(table["run"])
    assert len(name) == 8
    before = opened(planned)[0]
    table.assign(run="0").to_csv(path, index=False)
    after, said = opened(planned)
    assert "cells restored" in said
    assert after.equals(before)


def test_a_failed_cell_is_restored_as_such_and_tried_again(tmp_path):
    planned = committed(tmp_path, vary={"shift": [-1.0]})
    frame = opened(planned)[0]
    failed = frame[frame["method"] == "grid"]
    assert set(failed["status"]) == {"failed"}
    assert set(failed["reason"]) == {"ValueError: shift is negative"}
    assert opened(planned)[1] == ""
    with open_store(planned.experiment, Console(quiet=True), readonly=False) as store:
        report = run_plans(planned.plans, planned.datasets, store, Execution("local", "loky", 1))
    assert len(report.failed) == report.computed > 0


def _open(planned):
    opened(planned)


def test_processes_restore_at_once_without_harm(planned):
    spawn = multiprocessing.get_context("fork")
    others = [spawn.Process(target=_open, args=(planned,)) for _ in range(3)]
    for process in others:
        process.start()
    for process in others:
        process.join()
    assert [process.exitcode for process in others] == [0, 0, 0]
    with Store(planned.experiment.store) as store:
        assert len(store.runs()) == 1
    assert (opened(planned)[0]["status"] == "done").all()


def test_times_of_another_machine_are_restored_and_shown_until_this_one_has_all(
    tmp_path, monkeypatch
):
    planned = committed(tmp_path, protocol=replace(CV, timed=True, repeats=1))
    for module in (keys, planned_module):
        monkeypatch.setattr(module, "this_machine", lambda: "Z80, 1 cores")
    here = replace(planned, plans=[make_plan(planned.experiment)])
    assert not {c.key for c in here.plans[0].cells} & {c.key for c in planned.plans[0].cells}
    with open_store(here.experiment, Console(quiet=True), readonly=False) as store:
        (chosen,) = choose_machines(here, store)
        assert chosen.cells == planned.plans[0].cells
        assert (results_frame(chosen, store)["status"] == "done").all()
        run_plans(here.plans, here.datasets, store, Execution("local", "loky", 1))
        assert choose_machines(here, store)[0].cells == here.plans[0].cells
