"""Check that the wheels of retree are enough for a study: no command needs the repository.

Usage: python check_wheel.py [WHEEL ...]. Without wheels they are built, from the objects in
build/engine. Their files are checked. They are installed into an environment of their own, which
sees the packages of this Python, but not a retree among them; then each command is called in an
empty folder, and five users do their work (`replays`). How long it takes from the installation to
the first table of one's own is printed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from check_archive import check
from replays import REPLAYS, User, require

ROOT = Path(__file__).resolve().parents[1]
LAB = ROOT / "src" / "retree_lab"
STUDY = "my_study"
# What a study may show besides a table: figures, in files for each data set too.
FIGURES = """
  ranks:
    kind: rank_diagram
    caption: Mean ranks
    protocol: cv5
    metrics: [accuracy]
    datasets: [iris, wine, xor]
    methods: [c45_pruned, forest, stump]
  heat:
    kind: parameter_sweep
    caption: Accuracy by number of cases
    protocol: cv5
    datasets: [iris]
    methods: [tuned]
    select: [best_test]
"""
GRID = "grid: {min_cases: [2, 5, 10], confidence: [0.1, 0.25]}\n\nitems:"
TUNED = "\ntuned:\n  name: Tuned\n  base: c45_pruned\n  tune: [min_cases, confidence]\n"


def main(*wheels: Path) -> None:
    """Install the wheels and call each command."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch).resolve()
        wheels, folder = wheels or _build(home), home / "empty"
        for wheel in wheels:
            check(wheel)
        folder.mkdir()
        started = time.monotonic()
        user = User(_install(wheels, home / "environment"), folder)
        _make_table(user)
        seconds = time.monotonic() - started
        print(f"From pip install to the first table of one's own: {seconds:.0f} s.", flush=True)
        _check_origin(user, home)
        _check_commands(user)
        _check_site(folder)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(partial(_replay, user), REPLAYS))


def _replay(user: User, replay: Callable[[User], None]) -> None:
    """Let another user do their work in a folder of their own, and print how long it took."""
    other, started = User(user.programs, user.folder.parent / replay.__name__), time.monotonic()
    other.folder.mkdir()
    replay(other)
    print(f"{replay.__name__}: {time.monotonic() - started:.0f} s", flush=True)


def _check_origin(user: User, home: Path) -> None:
    """Check that what is imported is what was installed."""
    program = "import retree, retree_lab; print(retree.__file__, retree_lab.__file__)"
    for file in user.call("python", "-c", program).split():
        require(Path(file).is_relative_to(home), f"{file} is of {home}")


def _make_table(user: User) -> None:
    """Write a study and compute and render its table."""
    user.retree("init", STUDY)
    item = ["--study", STUDY, "item=table1"]
    user.retree("run", "--report", "--jobs", "1", *item, says="table1.md")


def _check_commands(user: User) -> None:
    """Call the commands one after the other, each of which must succeed."""
    study = ["--study", STUDY]
    _extend(user.folder / STUDY)
    user.retree("check", STUDY, says="Methods fitted and scored")
    user.retree("plan", *study, "item=all")
    user.retree("run", "--report", "--jobs", "1", *study, "item=all", says="table1.md")
    user.retree("diff", *study, says=f"of {STUDY}.")
    user.retree("show", *study, "table1", "wine", "stump", says="the mean of 5 folds")
    user.retree("verify", *study, "--jobs", "1", says="Noted in")
    user.retree("site", *study, says="index.html")


def _extend(study: Path) -> None:
    """Add figures to the study that ``retree init`` wrote."""
    paper, methods = study / "paper.yaml", study / "methods" / "mine.yaml"
    paper.write_text(paper.read_text().replace("items:", GRID, 1).rstrip("\n") + FIGURES)
    methods.write_text(methods.read_text() + TUNED)


def _check_site(folder: Path) -> None:
    """Check that the site has the study's pictures and commands, and no path of the machine."""
    site = folder / "site"
    results = folder / STUDY / "results" / STUDY
    pages = {path: path.read_text() for path in site.rglob("*.html")}
    for path in (*pages, *site.rglob("*.js"), *(site / "files").rglob("*")):
        if path.is_file() and str(folder).encode() in path.read_bytes():
            raise SystemExit(f"{path.relative_to(site)} has a path of the machine.")
    on_pages = {Path(name).stem for text in pages.values() for name in _images(text)}
    pictures = {path.stem for path in results.glob("*.svg")}
    if not pictures or pictures - on_pages:
        raise SystemExit(f"The site does not show {sorted(pictures - on_pages) or 'any picture'}.")
    folds = (site / "studies" / STUDY / "folds" / "wine.html").read_text()
    if f"retree show --study {STUDY} table1 wine stump" not in re.sub("<[^>]+>", "", folds):
        raise SystemExit("The page of folds has no command with --study.")
    print(f"Pages of the site: {len(pages)}. Pictures of the study: {len(pictures)}.")


def _images(page: str) -> list[str]:
    return re.findall(r'<img src="([^"]+)"', page)


def _build(folder: Path) -> tuple[Path, ...]:
    """Build the wheels of the estimators and of the laboratory, and return them."""
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", "pip", "wheel", *options, str(ROOT), str(LAB)]
    subprocess.run(command, check=True, env={**os.environ, "PATH": path})
    return tuple(folder.glob("*.whl"))


def _install(wheels: Iterable[Path], environment: Path) -> Path:
    """Install wheels into an environment that sees this Python's packages; return its programs."""
    builder = venv.EnvBuilder(with_pip=False)
    builder.create(environment)
    places = builder.ensure_directories(environment)
    # Of a folder that is named in a file of paths, such files are not read: an editable retree
    # is not found there.
    site_packages = sysconfig.get_path("purelib", vars={"base": places.env_dir})
    Path(site_packages, "present.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    pip = [sys.executable, "-m", "pip", "--python", places.env_exe, "install"]
    options = ["--quiet", "--no-deps", "--force-reinstall", "--disable-pip-version-check"]
    subprocess.run([*pip, *options, *map(str, wheels)], check=True)
    return Path(places.bin_path)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
