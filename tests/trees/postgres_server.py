"""A PostgreSQL server of the tests' own, which listens on a socket in a folder only."""

from __future__ import annotations

import atexit
import csv
import io
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest


def program(name):
    """Return the path of a program of the newest PostgreSQL, or None."""
    folders = Path("/usr/lib/postgresql").glob("*/bin")  # of Debian and Ubuntu, not on the PATH
    newest = sorted(folders, key=lambda folder: float(folder.parent.name), reverse=True)
    return shutil.which(name, path=os.pathsep.join([*map(str, newest), os.environ["PATH"]]))


@cache
def server():
    """Start a server and return the folder of its socket."""
    if not program("initdb"):
        pytest.skip("PostgreSQL is not there: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # a short path, as sockets want
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    data = str(folder / "data")
    _run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale")
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    _run("pg_ctl", "-D", data, "-o", options, "-l", str(folder / "log"), "-w", "start")
    atexit.register(_run, "pg_ctl", "-D", data, "-m", "immediate", "stop")
    return folder


def answer(script):
    """Execute a script and return the names and rows of what its query finds, as texts."""
    place = ["-h", str(server()), "-U", "postgres"]
    command = [program("psql"), *place, "-X", "-q", "--csv", "-v", "ON_ERROR_STOP=1", "-f", "-"]
    done = subprocess.run(command, input=script, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
    names, *rows = csv.reader(io.StringIO(done.stdout))
    return names, rows


def _run(name, *arguments):
    # A server refuses to be run by root, and keeps the pipes of who started it.
    user = "postgres" if os.geteuid() == 0 else None
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    subprocess.run([program(name), *arguments], check=True, user=user, cwd="/tmp", **quiet)
