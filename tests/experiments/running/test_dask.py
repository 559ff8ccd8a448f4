"""Cells computed by a dask cluster of real processes on this machine."""

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest
from stress_study_folder import STUDY
from toy_benchmark import make_datasets, make_experiment, make_plan, run

import retree
from retree.errors import RetreeError
from retree_lab.cli import main
from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.running import pools
from retree_lab.experiments.running.run_plans import run_plans
from retree_lab.experiments.storing.results import results_frame
from retree_lab.experiments.storing.store import Store

pytestmark = pytest.mark.slow

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
RETREE = [sys.executable, "-c", "import sys; from retree.start import main; sys.exit(main())"]
TIMES = ["fit_seconds", "cpu_seconds"]


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as cluster:
        yield cluster


def frame_of(plan, path):
    with Store(path, readonly=True) as store:
        return results_frame(plan, store).drop(columns=TIMES)


def test_cells_are_equal_bit_by_bit_and_data_travel_once_to_a_worker(cluster, tmp_path):
    plan = make_plan(make_experiment())
    run(plan, tmp_path / "here.sqlite")
    there = Execution("dask", "dask", 1, cluster.scheduler_address)
    with Store(tmp_path / "there.sqlite") as store:
        report = run_plans([plan], make_datasets(), store, there)
    assert report.computed == len(plan.cells)
    assert not report.failed
    assert frame_of(plan, tmp_path / "there.sqlite").equals(
        frame_of(plan, tmp_path / "here.sqlite")
    )


def test_a_killed_worker_costs_nothing(cluster, tmp_path):
    plan = make_plan(make_experiment(wait=0.05))
    there = Execution("dask", "dask", 1, cluster.scheduler_address)
    with distributed.Client(cluster) as client, Store(tmp_path / "there.sqlite") as store:
        killer = client.run(_leave_soon, workers=[next(iter(client.nthreads()))])
        assert killer
        report = run_plans([plan], make_datasets(), store, there)
    assert (report.computed, report.failed) == (len(plan.cells), [])


def _leave_soon():
    import os
    import threading

    threading.Timer(0.5, os._exit, [1]).start()
    return True


@pytest.mark.parametrize("address", ["nonsense", "tcp://127.0.0.1:1"])
def test_no_scheduler_is_one_sentence(address, tmp_path, monkeypatch):
    monkeypatch.setattr(pools, "CONNECT_SECONDS", 0.5)
    began = time.monotonic()
    execution = Execution("dask", "dask", 1, address)
    with Store(tmp_path / "cells.sqlite") as store, pytest.raises(RetreeError, match="answers at"):
        run_plans([make_plan()], make_datasets(), store, execution)
    assert time.monotonic() - began < 60


# Without the finder of an installation in place, which comes before PYTHONPATH.
NO_FINDER = "import sys\nsys.meta_path[:] = [f for f in sys.meta_path if isinstance(f, type)]\n"


def copy_package(folder, file, old, new):
    """Copy retree into `folder`, with a text of one of its files replaced."""
    sources = Path(retree.__file__).parents[1]
    left_out = shutil.ignore_patterns("__pycache__", "testing")
    for package in ("retree", "retree_lab"):
        shutil.copytree(sources / package, folder / package, ignore=left_out)
    for name in ("conf", "data", "docs"):
        (folder.parent / name).symlink_to(sources.parent / name)
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    (folder / "sitecustomize.py").write_text(NO_FINDER)
    return folder


@contextmanager
def scheduler_with(*, protocol="tcp", **environment):
    """Start the processes of a cluster, as one does by hand; yield its address and its worker."""
    port = free_port()
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    command += ["--protocol", protocol]
    address = f"{protocol}://127.0.0.1:{port}"
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", address]
    worker += ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = os.environ | environment
    started = [subprocess.Popen(each, env=environment, **quiet) for each in (command, worker)]
    try:
        with distributed.Client(address, timeout=60) as client:
            client.wait_for_workers(1, timeout=60)
        yield address, started[1]
    finally:
        for process in started:
            process.kill()
            process.wait()


def free_port():
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return some.getsockname()[1]


def runs_of(path):
    with Store(path, readonly=True) as store:
        return list(store.runs().values())


def test_a_worker_with_changed_code_is_refused_before_a_cell_is_stored(tmp_path):
    right = "np.asarray(estimator.predict(X))"
    file = "retree_lab/experiments/running/compute.py"
    copy = copy_package(tmp_path / "copy" / "src", file, right, f"{right}[::-1]")
    study = shutil.copytree(STUDY, tmp_path / "trouble")
    with scheduler_with(PYTHONPATH=str(copy)) as (address, _):
        command = ["run", "--study", str(study), "item=troubled", "methods=[quick]"]
        where = ["execution=dask", f"execution.address={address}"]
        done = subprocess.run([*RETREE, *command, *where], capture_output=True, text=True)
    assert done.returncode == 1
    assert "runs another retree" in done.stderr
    assert "Traceback" not in done.stderr
    (store,) = study.rglob("cells.sqlite")
    assert runs_of(store) == []


def test_other_versions_are_said_and_kept(tmp_path):
    other = tmp_path / "sitecustomize.py"
    other.write_text("import platform\nplatform.python_version = lambda: '3.99.0'\n")
    study = shutil.copytree(STUDY, tmp_path / "trouble")
    with scheduler_with(PYTHONPATH=str(tmp_path)) as (address, _):
        command = ["run", "--study", str(study), "item=troubled", "methods=[quick]"]
        where = ["execution=dask", f"execution.address={address}"]
        done = subprocess.run([*RETREE, *command, *where], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "python 3.99.0 instead of" in done.stderr
    (store,) = study.rglob("cells.sqlite")
    assert {run["python"] for run in runs_of(store)} == {"3.99.0"}


def test_that_the_last_worker_died_is_said(tmp_path):
    study = shutil.copytree(STUDY, tmp_path / "trouble")
    with scheduler_with() as (address, worker):
        command = [*RETREE, "run", "--study", str(study), "item=table1", "methods=[waits_longer]"]
        command += ["execution=dask", f"execution.address={address}"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            late = threading.Timer(120, process.kill)
            late.start()
            while process.poll() is None and not any(map(runs_of, study.rglob("cells.sqlite"))):
                time.sleep(0.1)
            worker.kill()
            said = next((line for line in process.stderr if "waits for one" in line), "")
            process.kill()
            late.cancel()
    assert f"dask worker {address}" in said


@pytest.mark.skipif(shutil.which("openssl") is None, reason="it makes the certificate")
def test_an_encrypted_cluster_is_reached_with_the_certificates_of_dask(tmp_path, capsys):
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-keyout", key, "-out", cert], check=True, capture_output=True)
    files = {"distributed.comm.tls.ca-file": str(cert)}
    # A machine with much else to do takes its time to shake hands.
    files |= {f"distributed.comm.timeouts.{of}": "180s" for of in ("connect", "tcp")}
    for role in ("client", "scheduler", "worker"):
        part = f"distributed.comm.tls.{role}"
        files |= {f"{part}.cert": str(cert), f"{part}.key": str(key)}
    names = {name: name.upper().replace(".", "__").replace("-", "_") for name in files}
    environment = {f"DASK_{names[name]}": path for name, path in files.items()}
    study = shutil.copytree(STUDY, tmp_path / "trouble")
    command = ["run", "--study", str(study), "item=troubled", "methods=[quick]", "execution=dask"]
    with (
        dask.config.set(files),
        scheduler_with(protocol="tls", **environment) as (address, _),
    ):
        assert address.startswith("tls:")
        assert main([*command, f"execution.address={address}"]) == 0
        assert "2 cells computed" in capsys.readouterr().out
        with dask.config.set(dict.fromkeys(files)):
            store = f"store={tmp_path / 'other.sqlite'}"
            assert main([*command, store, f"execution.address={address}"]) == 1
    assert "distributed.comm.tls" in capsys.readouterr().err


def test_limits_hold_on_workers_of_dask(cluster, tmp_path):
    study = shutil.copytree(STUDY, tmp_path / "trouble")
    command = ["run", "--report", "--study", str(study), "item=troubled", "execution=dask"]
    where = f"execution.address={cluster.scheduler_address}"
    assert main([*command, where, "methods=[quick,sleeps]"]) == 1
    table = pd.read_csv(study / "results" / "local" / "trouble" / "troubled.csv")
    assert table["reproduced"].notna().tolist() == [True, False]
