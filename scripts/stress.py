"""Disturb runs in every way, and write what they survived: ``make stress``.

Usage: python stress.py [--kills N] [--seed N] [--output FILE]. The study in tests/stress_study is
run again and again, killed at random moments, resumed, and its store compared bit by bit with that
of an undisturbed run. Linux only; the full disk needs root.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from overhead import measure

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "import sys; from retree.start import main; sys.exit(main())"
# A cell as it was computed, without times and without what is known about its run.
CELLS = (
    "SELECT cells.key, error, accuracy, depth, leaves, nodes, digest, hex(predictions) FROM cells "
    "LEFT JOIN outputs ON outputs.key = cells.key ORDER BY cells.key"
)
# Where worker processes have their semaphores.
SHARED = Path("/dev/shm")
FIT = (
    "from sklearn.datasets import load_iris; from retree import CartClassifier; "
    "print(CartClassifier().fit(*load_iris(return_X_y=True)).get_n_leaves())"
)
TARGETS = ("parent", "worker", "group", "SIGTERM", "SIGINT")
# How long processes may outlive their parent, and a command a signal.
SECONDS = 3.0
# What is not retree's: a Python that starts may be killed before its first line.
STARTED = 0.3


class Stress:
    """The disturbances, and what was found."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, random.Random(seed)
        self.found: Counter[str] = Counter()
        self.slowest, self.lines, self.killed = 0.0, list[str](), list[int]()
        self.reference = self.finish(self.study("reference"))

    def study(self, name: str) -> Path:
        """Return a copy of the study."""
        return shutil.copytree(ROOT / "tests" / "stress_study", self.folder / name / "trouble")

    def start(self, study: Path, *arguments: str) -> subprocess.Popen[str]:
        """Start a command on a study in a session of its own."""
        words = arguments or ("run", "item=table1", "-j", "2")
        command = [sys.executable, "-c", COMMAND, words[0], "--study", str(study), *words[1:]]
        return subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def finish(self, study: Path) -> list[tuple[object, ...]]:
        """Run a study to its end and return its cells."""
        text = self.start(study).communicate()[0]
        assert "Traceback" not in text, text
        return read(study)

    def kill(self, study: Path) -> bool:
        """Start a run, disturb it at a random moment, and return whether it had ended before."""
        run = self.start(study)
        time.sleep(STARTED)
        with_cells = self.random.random() < 0.7
        began, wanted = time.monotonic(), len(read(study)) + self.random.randint(1, 8)
        moment = self.random.uniform(0, 6)
        while run.poll() is None and time.monotonic() - began < 60:
            time.sleep(0.05)
            if len(read(study)) >= wanted if with_cells else time.monotonic() - began > moment:
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
        workers = [pid for pid in in_session(run.pid) if pid != run.pid and is_worker(pid)]
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
            self.found["sentences missing"] += "run again to go on" not in text
        end = time.monotonic() + SECONDS
        while in_session(run.pid) and time.monotonic() < end:
            time.sleep(0.05)
        self.found["orphans"] += len(in_session(run.pid))
        left = len(list(SHARED.glob(f"*loky-{run.pid}-*")))
        # Where a whole group is killed, nobody is left to tidy up until the next run.
        self.found["left by a killed group" if target == "group" else "leaks"] += left

    def look_for_tracebacks(self, text: str) -> None:
        """Count and show what was printed with a traceback."""
        if "Traceback" in text:
            self.found["tracebacks"] += 1
            print(text, file=sys.stderr)

    def kills(self, count: int) -> None:
        """Kill runs `count` times, and compare each store when it is complete."""
        number = 0
        while sum(self.found[target] for target in TARGETS) < count:
            number += 1
            study = self.study(f"killed{number}")
            for _ in range(4):
                if self.kill(study) or sum(self.found[t] for t in TARGETS) >= count:
                    break
            self.compare(study)

    def compare(self, study: Path) -> None:
        """Let a run go on to its end, and count the cells that are not as in the reference."""
        cells = self.finish(study)
        self.found["stores"] += 1
        self.found["cells"] += len(self.reference)
        self.found["lost or changed"] += len(set(self.reference) ^ set(cells))
        with sqlite3.connect(store_of(study)) as db:
            self.found["integrity"] += db.execute("PRAGMA integrity_check").fetchone() != ("ok",)

    def two_runs(self) -> None:
        """Two runs at once on one store."""
        study = self.study("two")
        texts = [run.communicate()[0] for run in [self.start(study), self.start(study)]]
        computed = [int(m[1]) for t in texts if (m := re.search(r"(\d+) cells? computed", t))]
        self.compare(study)
        self.lines.append(
            f"Two runs at once on one store computed {' + '.join(map(str, computed))} of "
            f"{len(self.reference)} cells."
        )

    def garbage(self) -> None:
        """Try a store that is none, and one whose pages are damaged."""
        for name, at in (("garbage", 0), ("pages", 8192)):
            study = self.study(name)
            self.finish(study)
            path = store_of(study)
            content = path.read_bytes()
            path.write_bytes(content[:at] + b"\xff" * (len(content) - at))
            text = self.start(study).communicate()[0]
            self.look_for_tracebacks(text)
            self.found["not set aside"] += not list(path.parent.glob("cells.damaged-*"))
            self.compare(study)
        self.lines.append("A store of garbage and one of damaged pages: set aside and said.")

    def reports(self, count: int) -> None:
        """Kill `retree report`: no file is ever half."""
        study = self.study("reports")
        self.finish(study)
        words = ("report", "item=table1")
        self.start(study, *words).communicate()
        whole = {p: p.read_bytes() for p in (study / "results" / "trouble").iterdir()}
        for _ in range(count):
            shutil.rmtree(study / "results" / "trouble", ignore_errors=True)
            run = self.start(study, *words)
            time.sleep(STARTED + self.random.uniform(0, 5))
            run.kill()
            run.communicate()
            folder = study / "results" / "trouble"
            files = folder.iterdir() if folder.exists() else ()
            visible = [file for file in files if not file.name.startswith(".")]
            self.found["half files"] += sum(f.read_bytes() != whole[f] for f in visible)
        self.lines.append(f"{count} kills of `retree report`.")

    def full_disk(self) -> None:
        """Results on a full disk: a sentence, and nothing half written."""
        study = self.study("full")
        self.finish(study)
        with tmpfs(self.folder / "small", "16k") as small:
            if small is None:
                self.lines.append("Full disk: not tried, since it needs root.")
                return
            words = ("report", "item=table1", f"results={small}", f"store={store_of(study)}")
            text = self.start(study, *words).communicate()[0]
            said = "No space left on device" in text and "Traceback" not in text
            words = ("run", "item=table1", "-j", "2", f"store={small / 'cells.sqlite'}")
            text = self.start(study, *words).communicate()[0]
            said = said and "Cannot use the store" in text and "Traceback" not in text
        self.found["tracebacks"] += not said
        how = "a sentence each" if said else "NOT a sentence each"
        self.lines.append(f"A full disk for results, and one for the store: {how}.")

    def quickstart(self, count: int) -> None:
        """Kill `retree quickstart` at random moments."""
        words = ["quickstart", "--results", str(self.folder / "quick"), "--jobs", "2"]
        for _ in range(count):
            run = subprocess.Popen(
                [sys.executable, "-c", COMMAND, *words],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            time.sleep(self.random.uniform(1, 12))
            if run.poll() is None:
                self.strike(run, self.random.choice(("parent", "group", "SIGTERM")))
        self.lines.append(f"{count} kills of `retree quickstart`.")

    def engine(self, count: int) -> None:
        """Kill `make engine` at random moments: what is half built is never used."""
        copy = copy_of_the_sources(self.folder / "engine")
        for _ in range(count):
            run = make_engine(copy)
            time.sleep(self.random.uniform(1, 60))
            if run.poll() is None:
                os.killpg(run.pid, self.random.choice((signal.SIGKILL, signal.SIGINT)))
            run.communicate()
            self.found["half-built engines used"] += not is_whole(copy)
        text = make_engine(copy).communicate()[0]
        self.found["half-built engines used"] += not is_whole(copy, built=True)
        self.look_for_tracebacks(text)
        self.lines.append(f"{count} kills of `make engine`, which then went on to its end.")

    def last_run(self) -> None:
        """Count what is still there of killed groups when one more run has begun."""
        self.finish(self.study("last"))
        left = [path for pid in self.killed for path in SHARED.glob(f"*loky-{pid}-*")]
        self.found["left after one more run"] += len(left)

    def page(self, kills: int, overhead: str) -> str:
        """Return what was found as Markdown."""
        found = self.found
        names = (
            "orphans",
            "leaks",
            "left by a killed group",
            "left after one more run",
            "tracebacks",
            "sentences missing",
            "half files",
            "half-built engines used",
        )
        by_target = ", ".join(f"{found[target]} {target}" for target in TARGETS)
        lines = [
            f"{found['stores']} stores were completed after these and compared with that of an "
            f"undisturbed run: {found['cells']:,} cells, of which {found['lost or changed']} were "
            "lost, doubled or changed in any bit.",
            f"The slowest command left {self.slowest:.1f} s after SIGTERM or SIGINT.",
            *self.lines,
            f"{found['integrity']} stores failed SQLite's own check, {found['not set aside']} "
            "damaged ones were not set aside.",
        ]
        rows = [f"| {name} | {found[name]} |" for name in names]
        table = ["| left behind | count |", "| :-- | --: |", *rows]
        head = ["# Reliability", "", "Generated by `make stress`.", "", "## Faults", ""]
        kinds = f"- {kills} random kills: {by_target} (the parent, worker and group by SIGKILL)."
        body = [
            kinds,
            *(f"- {line}" for line in lines),
            "",
            *table,
            "",
            "## Overhead",
            "",
            overhead,
        ]
        return "\n".join([*head, *body]) + "\n"


def copy_of_the_sources(folder: Path) -> Path:
    """Return a folder in which `make engine` builds, with the packages of this environment."""
    ignored = shutil.ignore_patterns("_engine", "__pycache__")
    for name in ("src", "scripts"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("CMakeLists.txt", "Makefile", "README.md", "LICENSE", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    for name in ("requirements.lock", "requirements-dev.lock"):
        shutil.copy(ROOT / name, folder)
    subprocess.run([sys.executable, "-m", "venv", str(folder / ".venv")], check=True)
    (site,) = (folder / ".venv").glob("lib/*/site-packages")
    (site / "packages.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    (folder / ".venv" / ".packages").touch()
    return folder


def make_engine(folder: Path) -> subprocess.Popen[str]:
    """Start `make engine` in a session of its own, with this environment's CMake and Ninja."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.Popen(
        ["make", "engine"],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def is_whole(folder: Path, *, built: bool = False) -> bool:
    """Whether the engine in `folder` grows the right tree or, unless `built`, is missing."""
    env = {**os.environ, "RETREE_ENGINE": str(folder / "src" / "retree" / "_engine")}
    run = subprocess.run([sys.executable, "-c", FIT], env=env, capture_output=True, text=True)
    if run.returncode == 0:
        return run.stdout.strip() == "9"
    return not built and "run `make" in run.stderr.splitlines()[-1]


def store_of(study: Path) -> Path:
    """Return where the cells of a study are."""
    return study / "results" / ".store" / "cells.sqlite"


def read(study: Path) -> list[tuple[object, ...]]:
    """Return the cells of a study; none while there is no store."""
    try:
        with sqlite3.connect(f"file:{store_of(study)}?mode=ro", uri=True) as db:
            return db.execute(CELLS).fetchall()
    except sqlite3.Error:
        return []


def in_session(pid: int) -> Iterator[int] | list[int]:
    """Return the processes of a session that are alive."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[3] == str(pid) and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def is_worker(pid: int) -> bool:
    """Whether a process computes cells."""
    try:
        return b"popen_loky" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@contextmanager
def tmpfs(folder: Path, size: str) -> Iterator[Path | None]:
    """Yield a small file system, None where it cannot be mounted."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if os.getuid() or subprocess.run(command, capture_output=True).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def main() -> int:
    """Try all, write the page, and return 0 if nothing was lost and nothing left behind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "reliability.md")
    args = parser.parse_args()
    os.environ["RETREE_OFFLINE"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        stress = Stress(Path(folder), args.seed)
        stress.kills(args.kills)
        stress.two_runs()
        stress.garbage()
        stress.full_disk()
        stress.reports(max(1, args.kills // 5))
        stress.quickstart(max(1, args.kills // 10))
        stress.engine(max(1, args.kills // 10))
        stress.last_run()
        page = stress.page(args.kills, measure())
    args.output.write_text(page, encoding="utf-8")
    print(page)
    bad = (
        "orphans",
        "leaks",
        "left after one more run",
        "tracebacks",
        "half files",
        "half-built engines used",
        "lost or changed",
        "not set aside",
    )
    return int(any(stress.found[name] for name in bad))


if __name__ == "__main__":
    sys.exit(main())
