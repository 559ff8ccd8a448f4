"""What a run survives: signals, dead workers, limits, a second run on its store."""

import errno
import os
import pickle
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import closing
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from stress_study_folder import STUDY

from retree import start
from retree_lab.cli import main
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.definition.method import Limits
from retree_lab.experiments.running.compute import LimitError, enforced
from retree_lab.experiments.running.workers import Workers, in_workers
from retree_lab.study.composing import compose
from retree_lab.study.folders import open_study
from retree_lab.study.importing import OWN_CODE

pytestmark = pytest.mark.slow

COMMAND = "import sys; from retree.start import main; sys.exit(main())"


@pytest.fixture
def study(tmp_path):
    return shutil.copytree(STUDY, tmp_path / "trouble")


def run_process(study, *arguments, **options):
    """Start ``retree run`` in a process group of its own."""
    command = [sys.executable, "-c", COMMAND, "run", "--study", str(study), *arguments]
    return subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True, **options
    )


def in_session(pid):
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


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def stored(study):
    return (study / "results").rglob("*.sqlite")


def count_cells(study):
    """How many cells of a study are stored."""
    for path in stored(study):
        try:
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
                return db.execute("SELECT COUNT(*) FROM cells").fetchone()[0]
        except sqlite3.Error:
            return 0
    return 0


def wait_for_cells(study, least=3, seconds=60):
    wait_until(lambda: count_cells(study) >= least, seconds)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_a_signal_to_the_parent_alone(study, number):
    run = run_process(study, "item=table1", "-j", "2")
    wait_for_cells(study)
    semaphores = set(Path("/dev/shm").glob(f"*loky-{run.pid}-*"))
    assert semaphores
    run.send_signal(number)
    text = run.communicate()[1]
    wait_until(lambda: not in_session(run.pid))
    wait_until(lambda: not any(path.exists() for path in semaphores))
    if number == signal.SIGTERM:
        assert run.returncode == 128 + number
        assert text.count("run the command again to continue") == 1
        assert "Stopped after" in text
        assert "Traceback" not in text


def test_a_signal_while_modules_are_imported_ends_with_a_sentence(study):
    run = run_process(study, "item=table1", preexec_fn=lambda: signal.signal(2, signal.SIG_IGN))
    # From then on it catches the signal.
    caught = Path(f"/proc/{run.pid}/status")
    wait_until(lambda: "SigCgt:\t0000000000000000" not in caught.read_text())
    wait_until(lambda: int(caught.read_text().split("SigCgt:")[1].split()[0], 16) & 1 << 14)
    run.terminate()
    text = run.communicate()[1]
    assert (run.returncode, text.count("Interrupted")) == (128 + signal.SIGTERM, 1)
    assert "Traceback" not in text


def test_where_unwinding_hangs_the_process_ends_anyway():
    code = (
        "import os, signal, time; from retree import start; start.SECONDS = 0.1\n"
        "signal.signal(signal.SIGTERM, start._stop)\n"
        "try: os.kill(os.getpid(), signal.SIGTERM)\n"
        "except KeyboardInterrupt: time.sleep(60)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 128 + signal.SIGTERM
    assert done.stderr == f"{start.INTERRUPTED}\n"


def test_a_locale_without_utf8_does_not_matter(study):
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    (study / "claims.yaml").write_text("# Größe\n[]\n", encoding="utf-8")
    run = run_process(study, "item=many", "methods=[quick]", "datasets=[iris]", "-j", "1", env=env)
    assert run.communicate()[1] == ""
    assert run.returncode == 0


def test_a_full_disk_is_a_sentence(study, monkeypatch, capsys):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    arguments = ["--study", str(study), "item=many", "methods=[quick]", "datasets=[iris]"]
    assert main(["run", "-j", "1", *arguments]) == 0
    capsys.readouterr()
    monkeypatch.setattr(Path, "replace", full)
    assert main(["report", *arguments]) == 1
    assert "cannot be written (No space left on device)" in capsys.readouterr().err
    assert not list((study / "results").rglob(".many*"))


def test_an_interrupted_build_is_a_sentence(tmp_path):
    script = STUDY.parents[1] / "scripts" / "set_up.py"
    run = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "venv")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert run.stdout.readline(6) == "Making"
    run.terminate()
    _, text = run.communicate()
    assert text == "\nInterrupted: run make again, it goes on with what is missing.\n"


def test_cells_over_their_limits_and_of_dead_workers_are_marked_and_the_others_go_on(study):
    assert main(["run", "--report", "-j", "2", "--study", str(study), "item=troubled"]) == 1
    table = pd.read_csv(study / "results" / "trouble" / "troubled.csv").set_index("method")
    assert table["reproduced"].notna().to_dict() == {
        "Quick": True,
        "Sleeps": False,
        "Dies": False,
        "Dies once": True,
    }
    page = (study / "results" / "trouble" / "troubled.md").read_text()
    assert "2 of 2 cells: took longer than 0.5 s (timeout)" in page
    assert "2 of 2 cells: its process died twice (exit code 1)" in page


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("execution.timeout=0", "execution.timeout must be a number of seconds above 0, not 0"),
    ],
)
def test_limits_that_are_none_are_refused(study, override, message, capsys):
    assert main(["plan", "--study", str(study), "item=many", override]) == 2
    assert message in capsys.readouterr().err


def test_limits_of_the_execution_count_where_a_method_has_none(study, capsys):
    limits = ["item=table1", "methods=[waits_longer]", "datasets=[iris]", "execution.timeout=0.01"]
    assert main(["run", "-j", "1", "--study", str(study), *limits]) == 1
    assert "5 cells: took longer than 0.01 s (timeout)" in capsys.readouterr().err


@pytest.mark.parametrize("error", [None, ValueError("not a valid format string")])
def test_a_limit_counts_where_compiled_code_hides_it(error):
    def compiled():
        try:
            time.sleep(5)
        except LimitError:
            if error is not None:
                raise error from None

    with (
        pytest.raises(LimitError, match=r"took longer than 0\.01 s"),
        enforced(Limits(timeout=0.01), cells=1),
    ):
        compiled()


def test_environment_of_workers_has_one_thread_for_each():
    assert list(in_workers(os.getenv, ["OMP_NUM_THREADS", "MKL_NUM_THREADS"], 2)) == ["1"] * 2


def test_large_items_are_begun_first_and_come_in_order():
    begun = []

    def submit(function, *arguments):
        begun.append(arguments[-1])
        future = Future()
        future.set_result(function(*arguments))
        return future

    found = in_workers(abs, [-1, -5, -3], 2, SimpleNamespace(submit=submit), size=abs)
    assert list(found) == [1, 5, 3]
    assert begun == [-5, -3, -1]


def test_workers_end_without_an_error_while_tasks_wait(monkeypatch):
    errors = []
    monkeypatch.setattr(threading, "excepthook", errors.append)
    with closing(Workers(1)) as workers:
        workers.submit(os.getpid).result()
        for _ in range(10):
            workers.submit(time.sleep, 60)
        # As when a worker has just taken a task, so that there is room for another one.
        monkeypatch.setattr(workers._executor._call_queue, "full", lambda: False)
    assert not errors


KIND = """\
from dataclasses import dataclass

import pandas as pd

from retree_lab.reports.document import Document
from retree_lab.reports.kinds import FrameKind


@dataclass(frozen=True, kw_only=True)
class Nothing(FrameKind):
    def compare(self, context):
        return pd.DataFrame()

    def document(self, context, rows):
        return Document([], [])
"""
ITEM = "kind: kinds.py:Nothing, caption: Nothing, protocol: cv5, datasets: [iris], methods: [gini]"


def test_workers_know_the_kinds_of_tables_that_a_study_has_of_its_own(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "kinds.py").write_text(KIND)
    about = "title: Mine\nauthors: Me\nreference: Not published\nitems:\n"
    (tmp_path / "mine" / "paper.yaml").write_text(f"{about}  table1: {{{ITEM}}}\n")
    experiment = load_experiment(compose([f"paper={open_study(tmp_path / 'mine')}", "item=all"]))
    assert OWN_CODE.encode() in pickle.dumps(experiment)
    found = list(in_workers(attrgetter("items"), [experiment, experiment], 2))
    assert found == [experiment.items, experiment.items]


@pytest.fixture
def scheduler(tmp_path):
    """A scheduler in a process of its own with a worker, and its address."""
    distributed = pytest.importorskip("distributed")
    file = tmp_path / "scheduler.json"
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    about = ["--scheduler-file", str(file), "--no-dashboard"]
    with (
        subprocess.Popen(_dask("scheduler", "--port", "0", *about), **options) as scheduler,
        subprocess.Popen(_dask("worker", "--nthreads", "1", *about), **options) as worker,
    ):
        try:
            with distributed.Client(scheduler_file=str(file), timeout=60) as client:
                client.wait_for_workers(1)
                address = client.scheduler.address
            yield scheduler, address
        finally:
            scheduler.kill()
            worker.kill()


def _dask(what, *options):
    return [sys.executable, "-m", f"distributed.cli.dask_{what}", *options]


def test_a_scheduler_that_is_killed_is_one_sentence_and_the_next_run_goes_on(scheduler, study):
    process, address = scheduler
    run = run_process(study, "item=table1", "execution=dask", f"execution.address={address}")
    wait_for_cells(study, seconds=600)
    process.kill()
    text = run.communicate()[1]
    assert run.returncode == 1
    assert "Traceback" not in text
    assert text.strip().splitlines()[-1].startswith(f"The dask scheduler {address} is gone")
    assert count_cells(study) >= 3
    assert main(["run", "-j", "1", "--study", str(study), "item=table1"]) == 0
    assert count_cells(study) == 30


def test_a_run_renders_though_nobody_reads_on(study):
    command = [sys.executable, "-c", COMMAND, "run", "--report", "--study", str(study)]
    command += ["item=troubled", "methods=[quick]"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        said = process.stderr.read().decode()
    assert process.returncode == 0, said
    assert "rror" not in said
    assert (study / "results" / "local" / "trouble" / "troubled.csv").is_file()
