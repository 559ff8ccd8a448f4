"""An engine is installed whole or not at all, whenever the installation is interrupted."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from retree_lab import paths

BUILT = paths.project_dir() / "build" / "engine"
CMAKE = shutil.which("cmake", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.skipif(
    CMAKE is None or not (BUILT / "cmake_install.cmake").exists(),
    reason="needs CMake, and what `make engine` has built",
)
def test_an_interrupted_installation_leaves_no_half_engine(tmp_path):
    def install():
        env = {**os.environ, "DESTDIR": str(tmp_path)}
        return subprocess.Popen(
            [CMAKE, "--install", str(BUILT)], env=env, stdout=subprocess.DEVNULL
        )

    def content():
        (folder,) = tmp_path.rglob("_engine") if list(tmp_path.rglob("_engine")) else (None,)
        files = folder.rglob("*") if folder else ()
        return {str(f.relative_to(folder)): f.read_bytes() for f in files if f.is_file()}

    began = time.monotonic()
    assert install().wait() == 0
    whole, seconds = content(), time.monotonic() - began
    assert {"sources.txt", "include/retree.h"} <= whole.keys()
    choose = random.Random(0)
    for _ in range(8):
        run = install()
        time.sleep(choose.uniform(0, seconds))
        run.send_signal(signal.SIGKILL)
        run.wait()
        assert content() in ({}, whole)
    assert install().wait() == 0
    assert content() == whole
    assert [path.name for path in tmp_path.rglob("_engine*")] == ["_engine"]
