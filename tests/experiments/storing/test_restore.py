"""A store is restored from committed cells, exactly, and from what is theirs alone."""

from __future__ import annotations

import gzip
import io
import multiprocessing
import shutil
import sqlite3
import zlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from toy_benchmark import CV, WHOLE, make_datasets, make_experiment, make_plan, run

from retree.errors import RetreeError, StoreError
from retree.experiments.definition.definitions import Execution
from retree.experiments.planning import keys
from retree.experiments.planning.plan import plan_item
from retree.experiments.running.run_plans import run_plans
from retree.experiments.storing import machines
from retree.experiments.storing.exports import read_export
from retree.experiments.storing.machines import choose_machines
from retree.experiments.storing.outcome import (
    MOST_BYTES,
    Outcome,
    pack_predictions,
    unpack_predictions,
    unpack_tree,
)
from retree.experiments.storing.planned import Planned
from retree.experiments.storing.restore import open_store
from retree.experiments.storing.results import results_frame
from retree.experiments.storing.store import Store
from retree.reports.cells import cell_tables, write_cells
from retree.reports.run_sentences import provenance_content, write_provenance


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
    with open_store(planned, Console(file=said, width=200), readonly=readonly) as store:
        return results_frame(planned.plans[0], store), said.getvalue()


def metrics(path, plan):
    with Store(path, readonly=True) as store:
        found, runs = store.metrics([cell.key for cell in plan.cells]), store.runs()
    return {key: values | {"run": runs[values["run"]]} for key, values in found.items()}


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
    # To look at committed cells needs no store.
    assert planned.experiment.store.exists() is not readonly
    assert opened(planned, readonly)[1] == (said if readonly else "")


def test_restored_rows_are_those_of_the_origin_but_for_outputs_and_rounded_times(planned, tmp_path):
    opened(planned)
    plan = planned.plans[0]
    origin, clone = (
        metrics(path, plan) for path in (tmp_path / "origin.sqlite", planned.experiment.store)
    )
    assert origin.keys() == clone.keys()
    for key, values in origin.items():
        rounded = {name: round(values[name], 4) for name in ("fit_seconds", "cpu_seconds")}
        assert clone[key] == values | rounded | {"outputs": None}


def test_what_was_restored_is_exported_as_the_same_bytes(planned, tmp_path):
    elsewhere = replace(planned.experiment, results=tmp_path / "again")
    with open_store(planned, Console(file=io.StringIO())) as store:
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
    with open_store(Planned(experiment, make_datasets(), plans), Console(quiet=True)) as store:
        report = run_plans(plans, make_datasets(), store, Execution("local", "loky", 1))
    assert report.computed == sum(cell.method == "new" for cell in plans[0].cells) > 0


def test_own_cells_stay_and_the_rest_is_restored(planned):
    own = make_plan(make_experiment())
    run(own, planned.experiment.store)
    before = metrics(planned.experiment.store, own)
    frame, said = opened(planned)
    assert said.startswith(f"{len(frame) - len(own.cells)} cells restored")
    assert metrics(planned.experiment.store, own) == before


def test_a_restored_cell_has_no_predictions_until_it_is_computed(planned, tmp_path):
    opened(planned)
    with Store(planned.experiment.store) as store, Store(tmp_path / "origin.sqlite") as origin:
        cell = planned.plans[0].cells[0]
        with pytest.raises(StoreError, match="has no predictions"):
            store.predictions(cell.key)
        codes = origin.predictions(cell.key)
        restored = store.metrics([cell.key])[cell.key]
        names = {name: restored[name] for name in restored.keys() - {"run", "outputs"}}
        outcome = Outcome(cell.key, **names, predictions=pack_predictions(codes))
        store.record(store.begin_run("now", {}), [(cell, outcome)])
        assert store.predictions(cell.key).tolist() == codes.tolist()


def test_other_data_or_parameters_are_not_restored(planned):
    datasets = make_datasets()
    loaded = {name: replace(d, sha256="other") for name, d in datasets.loaded.items()}
    other = replace(planned.plans[0].item.methods[1], params={"depth": 5})
    item = replace(planned.plans[0].item, methods=(other,))
    for some, data in ((planned.plans[0].item, replace(datasets, loaded=loaded)), (item, datasets)):
        plan = plan_item(planned.experiment, some, data)
        frame, said = opened(Planned(planned.experiment, data, [plan]))
        assert set(frame["status"]) == {"absent"}
        assert said == ""


@pytest.mark.parametrize("readonly", [False, True])
def test_a_protocol_that_does_not_split_is_restored_with_its_outputs(tmp_path, readonly):
    planned = committed(tmp_path, protocol=WHOLE)
    with (
        Store(tmp_path / "origin.sqlite") as origin,
        open_store(planned, Console(quiet=True), readonly=readonly) as clone,
    ):
        for cell in planned.plans[0].cells:
            assert clone.blobs(cell.key) == origin.blobs(cell.key)
            assert clone.blobs(cell.key)[0]


@pytest.mark.parametrize("options", [{}, {"protocol": WHOLE}])
def test_in_memory_or_written_the_store_knows_the_same(tmp_path, options):
    planned = committed(tmp_path, **options)
    keys = [cell.key for cell in planned.plans[0].cells]
    pairs = {(cell.dataset, cell.method) for cell in planned.plans[0].cells}

    def known(readonly):
        with open_store(planned, Console(quiet=True), readonly=readonly) as store:
            runs = store.runs()
            metrics = store.metrics(keys).items()
            rows = {key: values | {"run": runs[values["run"]]} for key, values in metrics}
            relatives = {pair: store.relatives(*pair) for pair in pairs}
            speeds = {pair: np.round(speed, 9).tolist() for pair, speed in store.speeds().items()}
        return rows, relatives, speeds

    in_memory = known(readonly=True)
    assert in_memory == known(readonly=False)
    assert all(map(len, in_memory))


def test_a_damaged_row_of_a_store_that_is_only_read_is_restored_in_memory(planned, capsys):
    opened(planned)
    path = planned.experiment.store
    key = planned.plans[0].cells[0].key
    with sqlite3.connect(path) as db:
        db.execute("UPDATE cells SET accuracy = 0.99 WHERE key = ?", (key,))
    db.close()
    frame, said = opened(planned, readonly=True)
    assert (frame["status"] == "done").all()
    assert said.startswith("1 cell restored")
    assert "1 damaged cell left out" in capsys.readouterr().err
    with sqlite3.connect(path) as db:
        (accuracy,) = db.execute("SELECT accuracy FROM cells WHERE key = ?", (key,)).fetchone()
    db.close()
    assert accuracy == 0.99


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
        ("cells.csv.gz", gzip.compress(b"dataset,method\n", mtime=0)),
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


def test_a_failed_cell_is_restored_as_such_and_tried_again(tmp_path):
    planned = committed(tmp_path, vary={"shift": [-1.0]})
    frame = opened(planned)[0]
    failed = frame[frame["method"] == "grid"]
    assert set(failed["status"]) == {"failed"}
    assert set(failed["reason"]) == {"ValueError: shift is negative"}
    assert opened(planned)[1] == ""
    with open_store(planned, Console(quiet=True)) as store:
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
    for module in (keys, machines):
        monkeypatch.setattr(module, "this_machine", lambda: "Z80, 1 cores")
    here = replace(planned, plans=[make_plan(planned.experiment)])
    assert not {c.key for c in here.plans[0].cells} & {c.key for c in planned.plans[0].cells}
    with open_store(here, Console(quiet=True)) as store:
        (chosen,) = choose_machines(here, store)
        assert chosen.cells == planned.plans[0].cells
        assert (results_frame(chosen, store)["status"] == "done").all()
        run_plans(here.plans, here.datasets, store, Execution("local", "loky", 1))
        assert choose_machines(here, store)[0].cells == here.plans[0].cells
