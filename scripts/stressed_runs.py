"""Runs that ``make stress`` strikes, and what it counts when it looks at what they left."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from processes import in_session, semaphores_of, start, workers_of

TARGETS = ("parent", "worker", "group", "SIGTERM", "SIGINT")
# What is not retree's: a Python that starts may be killed before its first line.
STARTED = 0.3
_STUDY = Path(__file__).resolve().parents[1] / "tests" / "stress_study"
_COMMAND = "import sys; from retree.start import main; sys.exit(main())"
# A cell as it was computed, without times and without what is known about its run.
_CELLS = (
    "SELECT cells.key, error, accuracy, depth, leaves, nodes, digest, hex(predictions) FROM cells "
    "LEFT JOIN outputs ON outputs.key = cells.key ORDER BY cells.key"
)
# How long processes may outlive their parent, and a command a signal.
_SECONDS = 3.0

Cells = list[tuple[object, ...]]


class StressedRuns:
    """Runs of copies of the study in tests/stress_study, and what was found.

    Attributes
    ----------
    found : Counter
        How often each target was struck, and each fault seen.
    slowest : float
        Seconds that the slowest command took to leave after a signal.
    killed : list of int
        The sessions that were killed whole.
    reference : list of tuple
        The cells of an undisturbed run.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, random.Random(seed)
        self.found: Counter[str] = Counter()
        self.slowest, self.killed = 0.0, list[int]()
        self.reference = self.finish(self.study("reference"))

    def study(self, name: str) -> Path:
        """Return a copy of the study."""
        return shutil.copytree(_STUDY, self.folder / name / "trouble")

    def start(self, study: Path, *arguments: str) -> subprocess.Popen[str]:
        """Start a command on a study, by default a run with two workers."""
        words = arguments or ("run", "item=table1", "-j", "2")
        return start_retree(words[0], "--study", str(study), *words[1:])

    def finish(self, study: Path) -> Cells:
        """Run a study to its end and return its cells."""
        text = self.start(study).communicate()[0]
        assert "Traceback" not in text, text
        return _read(study)

    def kill(self, study: Path) -> bool:
        """Start a run, disturb it at a random moment, and return whether it had ended before."""
        run = self.start(study)
        time.sleep(STARTED)
        with_cells = self.random.random() < 0.7
        began, wanted = time.monotonic(), len(_read(study)) + self.random.randint(1, 8)
        moment = self.random.uniform(0, 6)
        while run.poll() is None and time.monotonic() - began < 60:
            time.sleep(0.05)
            if len(_read(study)) >= wanted if with_cells else time.monotonic() - began > moment:
                break
        if run.poll() is not None:
            run.communicate()
            return True
        target = self.random.choice(TARGETS)
        self.found[target] += 1
        self.strike(run, target)
        return False

    def strike(self, run: subprocess.Popen[str], target: str) -> None:
        """Send the signal, and look for what is left behind."""
        workers = workers_of(run.pid)
        began = time.monotonic()
        if target == "group":
            os.killpg(run.pid, signal.SIGKILL)
            self.killed.append(run.pid)
        elif target == "worker":
            if workers:
                os.kill(self.random.choice(workers), signal.SIGKILL)
        else:
            run.send_signal(getattr(signal, target, signal.SIGKILL))
        text = run.communicate()[0]
        if target.startswith("SIG"):
            self.slowest = max(self.slowest, time.monotonic() - began)
            self.look_for_tracebacks(text)
            self.found["sentences missing"] += "run the command again to continue" not in text
        end = time.monotonic() + _SECONDS
        while in_session(run.pid) and time.monotonic() < end:
            time.sleep(0.05)
        self.found["orphans"] += len(in_session(run.pid))
        # Where a whole group is killed, nobody is left to tidy up until the next run.
        left = "left by a killed group" if target == "group" else "leaks"
        self.found[left] += semaphores_of(run.pid)

    def look_for_tracebacks(self, text: str) -> None:
        """Count and show what was printed with a traceback."""
        if "Traceback" in text:
            self.found["tracebacks"] += 1
            print(text, file=sys.stderr)

    def compare(self, study: Path) -> None:
        """Let a run go on to its end, and count the cells that are not as in the reference."""
        cells = self.finish(study)
        self.found["stores"] += 1
        self.found["cells"] += len(self.reference)
        self.found["lost or changed"] += len(set(self.reference) ^ set(cells))
        with closing(sqlite3.connect(store_of(study))) as db:
            self.found["integrity"] += db.execute("PRAGMA integrity_check").fetchone() != ("ok",)


def start_retree(*arguments: str) -> subprocess.Popen[str]:
    """Start a command of retree in a session of its own."""
    return start([sys.executable, "-c", _COMMAND, *arguments])


def store_of(study: Path) -> Path:
    """Return where the cells of a study are."""
    return study / "results" / ".store" / "cells.sqlite"


def _read(study: Path) -> Cells:
    """Return the cells of a study; none while there is no store."""
    try:
        with closing(sqlite3.connect(f"file:{store_of(study)}?mode=ro", uri=True)) as db:
            return db.execute(_CELLS).fetchall()
    except sqlite3.Error:
        return []
