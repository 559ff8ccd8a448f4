import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from toy_benchmark import make_datasets, make_experiment, make_plan, run

from retree_lab.commands.run.run_screen import RunProgress
from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.running.batches import make_batches
from retree_lab.experiments.running.run_plans import compute_batches
from retree_lab.experiments.storing import leases as claims_module
from retree_lab.experiments.storing.leases import Claims
from retree_lab.experiments.storing.status import Forecast, pending_cells
from retree_lab.experiments.storing.store import Store


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "cells.sqlite") as store:
        yield store


def test_a_cell_is_claimed_by_one_run_until_it_gives_it_up(store):
    with store.claims([]) as first, store.claims([]) as second:
        assert first.take(["a", "b"]).mine == {"a", "b"}
        assert first.take(["a"]).mine == {"a"}
        found = second.take(["b", "c"])
        assert (found.mine, found.others, found.done) == ({"c"}, {"b": first.owner}, set())
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
        with closing(sqlite3.connect(store.path)) as db, db:
            db.executemany("INSERT INTO claims VALUES (?, ?, ?)", rows)
        found = mine.take([row[0] for row in rows])
    assert (found.mine, set(found.others)) == ({"dead", "lapsed"}, {"alive", "elsewhere"})


def test_no_lease_counts_for_longer_than_a_minute_unless_it_is_renewed(store, monkeypatch):
    """Whatever the clock of another machine says."""
    now = [1000.0]
    monkeypatch.setattr(claims_module.time, "monotonic", lambda: now[0])

    def claim(until):
        with closing(sqlite3.connect(store.path)) as db, db:
            db.execute("INSERT OR REPLACE INTO claims VALUES ('a', 'other 4242 abcd', ?)", (until,))

    claim(4e9)
    with store.claims([]) as mine:
        assert mine.take(["a"]).others == {"a": "other 4242 abcd"}
        now[0] += claims_module.LEASE_SECONDS - 1
        assert set(mine.take(["a"]).others) == {"a"}
        claim(4e9 + 15)
        now[0] += claims_module.LEASE_SECONDS - 1
        assert set(mine.take(["a"]).others) == {"a"}
        now[0] += claims_module.LEASE_SECONDS
        assert mine.take(["a"]).mine == {"a"}


@pytest.mark.parametrize("owner", ["", "one", "two words", "{machine} text x", "{machine} 9e99 x"])
@pytest.mark.parametrize("until", [4e9, "a text", b"bytes"])
def test_a_damaged_claim_is_no_traceback(store, owner, until):
    with store.claims([]) as mine:
        row = "a", owner.format(machine=mine.owner.rsplit(" ", 2)[0]), until
        with closing(sqlite3.connect(store.path)) as db, db:
            db.execute("INSERT INTO claims VALUES (?, ?, ?)", row)
        first = mine.take(["a"])
        with closing(sqlite3.connect(store.path)) as db, db:
            db.execute("UPDATE claims SET owner = ? WHERE key = 'a'", (f"{'9' * 30} {'9' * 30} x",))
        second = mine.take(["a"])
    # Each time it is either taken over or somebody's to wait for, never lost.
    assert all({*found.mine, *found.others} == {"a"} for found in (first, second))


def test_who_waits_says_so_once_for_each_run(capsys):
    with RunProgress(Forecast({}, {}, {})) as progress:
        for _ in range(3):
            progress.wait({"a": "otherhost 4242 abcd", "b": "otherhost 4242 abcd"})
    said = capsys.readouterr().err
    assert said.count("Another run (process 4242 on otherhost) is computing some of these") == 1
    assert "taken over after 60 s" in said


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
