"""Check what a wheel or a source archive of retree has in it, and what it must not have.

Usage: python check_archive.py ARCHIVE ...
"""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from pathlib import Path

# Files that are read at run time and that no import would miss.
PACKAGE = [
    "retree/py.typed",
    "retree/__init__.pyi",
    "retree/trees/interchange/schema.json",
    "retree/trees/export/page/tree.js",
    "retree/trees/export/page/tree.css",
]
WHEEL = [
    *PACKAGE,
    "retree/_engine/include/retree.h",
    r"retree/_engine/(lib)?retree_engine\.(so|dylib|dll)",
    r"retree-[^/]+\.dist-info/licenses/LICENSE",
]
LAB = [
    "retree_lab/__init__.py",
    "retree_lab/site/assets/retree.css",
    "retree_lab/project/conf/paper/pruning/paper.yaml",
    "retree_lab/project/data/checksums.csv",
    "retree_lab/project/data/sets/adult.csv.gz",
    "retree_lab/project/data/sets/LICENSES.md",
    "retree_lab/project/docs/guide/studies.md",
    "retree_lab/project/results/pruning/cells.csv.gz",
    "retree_lab/project/results/pruning/provenance.json",
]
# What the estimators' wheel may weigh: the laboratory and its data are in the other one.
MEGABYTES = 1.5
SOURCES = [
    *(f"src/{name}" for name in PACKAGE),
    "src/engine/include/retree.h",
    *("src/retree_lab/pyproject.toml", "src/retree_lab/paths.py"),
    *("CMakeLists.txt", "pyproject.toml", "CITATION.cff", "codemeta.json", "LICENSE"),
    *("CHANGELOG.md", "README.md", "PKG-INFO", "data/sets/adult.csv.gz"),
]
NOT_IN_WHEEL = r"(tests|results|benchmarks|examples|scripts|conf|data|docs)/.*"
NOT_IN_LAB = r"(?!retree_lab[/-]).*|retree_lab/project/results/.*\.(csv|md|svg|png)"
NOT_IN_SOURCES = r"(results|benchmarks|build|\.github|\.venv)/.*"
NEVER = r"(.*/)?(__pycache__|\.store|_engine/testing)/.*|.*\.pyc"


def check(archive: Path) -> None:
    """Exit with a message if a file is missing or is one too many."""
    names, megabytes = _names(archive), archive.stat().st_size / 1e6
    wanted, banned = SOURCES, NOT_IN_SOURCES
    if archive.name.startswith("retree_lab-"):
        wanted, banned = LAB, NOT_IN_LAB
    elif archive.suffix == ".whl":
        wanted, banned = WHEEL, NOT_IN_WHEEL
        if megabytes > MEGABYTES:
            raise SystemExit(f"{archive.name} has {megabytes:.1f} MB, more than {MEGABYTES}.")
    missing = [each for each in wanted if not any(re.fullmatch(each, name) for name in names)]
    extra = [name for name in names if re.fullmatch(f"{banned}|{NEVER}", name)]
    if missing or extra:
        raise SystemExit(f"{archive.name} lacks {missing} and should not have {extra[:5]}.")
    print(f"{archive.name}: {len(names)} files, {megabytes:.1f} MB.", flush=True)


def _names(archive: Path) -> list[str]:
    """Return the names of the files."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.namelist()
    with tarfile.open(archive) as sources:
        # All is in a folder with the name of the archive.
        return [name.partition("/")[2] for name in sources.getnames()]


if __name__ == "__main__":
    for each in sys.argv[1:]:
        check(Path(each))
