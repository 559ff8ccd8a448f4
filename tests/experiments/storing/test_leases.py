import os
import sqlite3
import subprocess
import sys
import threading

import pytest
from toy_benchmark import make_datasets, make_experiment, make_plan, run

from retree.experiments.definition.definitions import Execution
from retree.experiments.running.batches import make_batches
from retree.experiments.running.run_plans import compute_batches
from retree.experiments.storing import leases as claims_module
from retree.experiments.storing.leases import Claims
from retree.experiments.storing.pending import pending_cells
from retree.experiments.storing.store import Store


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "cells.sqlite") as store:
        yield store


def test_a_cell_is_claimed_by_one_run_until_it_gives_it_up(store):
    with store.claims([]) as first, store.claims([]) as second:
        assert first.take(["a", "b"]).mine == {"a", "b"}
        assert first.take(["a"]).mine == {"a"}
        found = second.take(["b", "c"])
        assert (found.mine, found.others, found.done) == ({"c"}, {"b"}, set())
        first.__exit__()
        assert second.take(["b"]).mine == {"b"}


def test_claims_of_a_process_that_is_gone_or_of_a_lapsed_lease_are_taken_over(store):
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    with store.claims([]) as mine:
        machine = mine.owner.rsplit(" ", 2)[0]
        far, soon = 4e9, 1.0
        rows = [
            ("dead", f"{machine} {process.pid} x", far),
            ("alive", f"{machine} {os.getpid()} x", far),
            ("lapsed", f"{machine} {os.getpid()} x", soon),
            ("elsewhere", f"another {process.pid} x", far),
        ]
        with sqlite3.connect(store.path) as db:
            db.executemany("INSERT INTO claims VALUES (?, ?, ?)", rows)
        found = mine.take([row[0] for row in rows])
    assert (found.mine, found.others) == ({"dead", "lapsed"}, {"alive", "elsewhere"})


def test_a_lease_is_renewed(store, monkeypatch):
    monkeypatch.setattr(claims_module, "LEASE_SECONDS", 0.04)
    renewed = threading.Event()

    def connect():
        db = sqlite3.connect(store.path)
        db.set_trace_callback(lambda text: renewed.set() if text.startswith("UPDATE") else None)
        return db

    with Claims(connect, {}) as claims:
        claims.take(["a"])
        assert renewed.wait(30)


def test_what_another_run_is_computing_is_waited_for_and_not_computed_again(tmp_path):
    plan, path = make_plan(make_experiment()), tmp_path / "cells.sqlite"
    half = {cell.key: cell for cell in plan.cells[::2]}
    begun, go_on = threading.Event(), threading.Event()

    def other():
        with Store(path) as store, store.claims(list(half)) as claims:
            claims.take(half)
            begun.set()
            go_on.wait(60)
            number, batches = store.begin_run("now", {}), make_batches([(plan, half.values())])
            execution = Execution("local", "loky", 1)
            for outcomes in compute_batches(batches, make_datasets(), store, execution):
                store.record(number, [(half[o.key], o) for o in outcomes])

    thread = threading.Thread(target=other)
    thread.start()
    assert begun.wait(60)
    threading.Timer(0.3, go_on.set).start()
    report = run(plan, path)
    thread.join()
    assert report.computed + report.elsewhere == len(plan.cells)
    assert report.elsewhere == len(half)
    with Store(path, readonly=True) as store:
        assert len(store.metrics([cell.key for cell in plan.cells])) == len(plan.cells)


def test_what_was_stored_between_looking_and_claiming_is_not_computed_again(tmp_path):
    plan, path = make_plan(make_experiment()), tmp_path / "cells.sqlite"
    with Store(path) as store:
        missing = [cell.key for cell in pending_cells([plan], store)]
        assert run(plan, path).computed == len(missing) == len(plan.cells)
        with store.claims(missing) as claims:
            assert claims.take(missing).done == set(missing)
