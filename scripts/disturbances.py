"""What ``make stress`` does to runs, stores, reports and builds; each returns what to say of it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time

import bit_flips
from engine_builds import copy_of_the_sources, is_whole, make_engine
from processes import semaphores_of, tmpfs
from stressed_runs import STARTED, TARGETS, StressedRuns, start_retree, store_of

_REPORT = ("report", "item=table1")


def kill_runs(runs: StressedRuns, count: int) -> None:
    """Kill runs `count` times, and compare each store when it is complete."""
    number = 0
    while sum(runs.found[target] for target in TARGETS) < count:
        number += 1
        study = runs.study(f"killed{number}")
        for _ in range(4):
            if runs.kill(study) or sum(runs.found[t] for t in TARGETS) >= count:
                break
        runs.compare(study)


def two_runs(runs: StressedRuns) -> str:
    """Two runs at once on one store."""
    study = runs.study("two")
    texts = [run.communicate()[0] for run in [runs.start(study), runs.start(study)]]
    computed = [m[1] for t in texts if (m := re.search(r"(\d+) cells? computed", t))]
    runs.compare(study)
    return (
        f"Two runs at once on one store computed {' + '.join(computed)} of "
        f"{len(runs.reference)} cells."
    )


def garbage(runs: StressedRuns) -> str:
    """Try a store that is none, and one whose pages are damaged."""
    study = runs.study("pages")
    runs.finish(study)
    path = store_of(study)
    content = path.read_bytes()
    for at, aside in ((0, 0), (8192, 1)):
        path.write_bytes(content[:at] + b"\xff" * (len(content) - at))
        text = runs.start(study).communicate()[0]
        runs.look_for_tracebacks(text)
        runs.found["not set aside"] += len(list(path.parent.glob("cells.damaged-*"))) != aside
    runs.compare(study)
    return (
        "A file that is not a store is left as it is. Damaged pages are set aside, with a message."
    )


def flip_bits(runs: StressedRuns, count: int) -> str:
    """Flip single bits of a store, and go on with it."""
    n_by_fate = bit_flips.flip_bits(count, runs.random.randrange(1000), runs.folder)
    runs.found["lost or changed"] += n_by_fate[bit_flips.WRONG] + n_by_fate[bit_flips.STOPPED]
    return (
        f"{count} flips of one bit of a store: "
        f"{n_by_fate[bit_flips.STOPPED]} stopped a run for ever, "
        f"{n_by_fate[bit_flips.WRONG]} gave a wrong value."
    )


def full_disk(runs: StressedRuns) -> str:
    """Results on a full disk: a sentence, and nothing half written."""
    study = runs.study("full")
    runs.finish(study)
    with tmpfs(runs.folder / "small", "16k") as small:
        if small is None:
            return "Full disk: not tried, since it needs root."
        where = (f"results={small}", f"store={store_of(study)}")
        text = runs.start(study, *_REPORT, *where).communicate()[0]
        said = "No space left on device" in text and "Traceback" not in text
        words = ("run", "item=table1", "-j", "2", f"store={small / 'cells.sqlite'}")
        text = runs.start(study, *words).communicate()[0]
        said = said and "Cannot use the store" in text and "Traceback" not in text
    runs.found["tracebacks"] += not said
    how = "a sentence each" if said else "NOT a sentence each"
    return f"A full disk for results, and one for the store: {how}."


def kill_reports(runs: StressedRuns, count: int) -> str:
    """Kill `retree report`: no file is ever half."""
    study = runs.study("reports")
    runs.finish(study)
    runs.start(study, *_REPORT).communicate()
    folder = study / "results" / "trouble"
    whole = {path: path.read_bytes() for path in folder.iterdir()}
    for _ in range(count):
        shutil.rmtree(folder, ignore_errors=True)
        run = runs.start(study, *_REPORT)
        time.sleep(STARTED + runs.random.uniform(0, 5))
        run.kill()
        run.communicate()
        files = folder.iterdir() if folder.exists() else ()
        visible = [file for file in files if not file.name.startswith(".")]
        runs.found["half files"] += sum(f.read_bytes() != whole[f] for f in visible)
    return f"{count} kills of `retree report`."


def kill_quickstart(runs: StressedRuns, count: int) -> str:
    """Kill `retree quickstart` at random moments."""
    for _ in range(count):
        run = start_retree("quickstart", "--results", str(runs.folder / "quick"), "--jobs", "2")
        time.sleep(runs.random.uniform(1, 12))
        if run.poll() is None:
            runs.strike(run, runs.random.choice(("parent", "group", "SIGTERM")))
    return f"{count} kills of `retree quickstart`."


def kill_builds(runs: StressedRuns, count: int) -> str:
    """Kill `make engine` at random moments: what is half built is never used."""
    copy = copy_of_the_sources(runs.folder / "engine")
    for _ in range(count):
        run = make_engine(copy)
        time.sleep(runs.random.uniform(1, 60))
        if run.poll() is None:
            os.killpg(run.pid, runs.random.choice((signal.SIGKILL, signal.SIGINT)))
        run.communicate()
        runs.found["half-built engines used"] += not is_whole(copy)
    text = make_engine(copy).communicate()[0]
    runs.found["half-built engines used"] += not is_whole(copy, built=True)
    runs.look_for_tracebacks(text)
    return f"{count} kills of `make engine`, which then went on to its end."


def count_what_stays(runs: StressedRuns) -> None:
    """Count what is still there of killed groups when one more run has begun."""
    runs.finish(runs.study("last"))
    runs.found["left after one more run"] += sum(map(semaphores_of, runs.killed))
