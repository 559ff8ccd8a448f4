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
    "retree/site/assets/retree.css",
]
WHEEL = [
    *PACKAGE,
    "retree/_engine/include/retree.h",
    r"retree/_engine/(lib)?retree_engine\.(so|dylib|dll)",
    "retree/_project/conf/paper/pruning/paper.yaml",
    "retree/_project/data/checksums.csv",
    "retree/_project/data/sets/adult.csv.gz",
    "retree/_project/data/sets/LICENSES.md",
    "retree/_project/docs/guide/studies.md",
    r"retree-[^/]+\.dist-info/licenses/LICENSE",
]
SOURCES = [
    *(f"src/{name}" for name in PACKAGE),
    "src/engine/include/retree.h",
    *("CMakeLists.txt", "pyproject.toml", "CITATION.cff", "codemeta.json", "LICENSE"),
    *("CHANGELOG.md", "README.md", "PKG-INFO", "data/sets/adult.csv.gz"),
]
# Of the folders of the repository; a wheel has what the package needs of them in _project.
NOT_IN_WHEEL = r"(retree/_project/)?(tests|results|benchmarks|examples|scripts|docs/growth.*)/.*"
NOT_IN_SOURCES = r"(results|benchmarks|build|\.github|\.venv)/.*"
NEVER = r"(.*/)?(__pycache__|\.store|_engine/testing)/.*|.*\.pyc"


def check(archive: Path) -> None:
    """Exit with a message if a file is missing or is one too many."""
    names, is_wheel = _names(archive), archive.suffix == ".whl"
    wanted, banned = (WHEEL, NOT_IN_WHEEL) if is_wheel else (SOURCES, NOT_IN_SOURCES)
    missing = [each for each in wanted if not any(re.fullmatch(each, name) for name in names)]
    extra = [name for name in names if re.fullmatch(f"{banned}|{NEVER}", name)]
    if missing or extra:
        raise SystemExit(f"{archive.name} lacks {missing} and should not have {extra[:5]}.")
    print(f"{archive.name}: {len(names)} files, {archive.stat().st_size / 1e6:.1f} MB.", flush=True)


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
