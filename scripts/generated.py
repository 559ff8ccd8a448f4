"""Write the files that follow from the sources: generated.py [--check] [NAME ...].

Each is written whole or not at all. With --check nothing is written: those that are not as they
should be are named, and the exit code is 1. Without names all are made, each by a process of its
own, since what one writes another reads.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from retree_lab.plain_files import write_atomically

ROOT = Path(__file__).resolve().parents[1]
# Each is a script beside this one, whose function `files` yields paths and what they should say.
GENERATORS = {
    "declared": "the names of retree, and docs/estimators.md",
    "names": "what a study can name, in docs/guide/names",
    "reference": "every key of a study, in docs/guide/studies.md",
    "checksums": "data/checksums.csv",
    "golden": "the digests of small fits, tests/golden/cells.csv",
    "notebook": "the notebooks of examples",
    "pages": "README, the findings and the pages of the papers",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check, and return the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--write", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", choices=[[], *GENERATORS], metavar="NAME")
    options = parser.parse_args(argv)
    if len(options.names) != 1:
        command = [sys.executable, __file__, *["--check"] * options.check]
        codes = [subprocess.call([*command, name]) for name in options.names or GENERATORS]
        return max(codes)
    stale = stale_files(options.names[0])
    for path, content in stale.items():
        name = path.relative_to(ROOT)
        if options.check:
            print(f"{name} is out of date; run python scripts/generated.py {options.names[0]}")
        else:
            write_atomically(path, content)
            print(f"{name} written")
    return int(bool(stale) and options.check)


def stale_files(name: str) -> dict[Path, bytes]:
    """Return the files of a generator that are not as they should be, with what they should say."""
    files = {path: text.encode() for path, text in import_module(name).files()}
    return {p: now for p, now in files.items() if not p.is_file() or p.read_bytes() != now}


if __name__ == "__main__":
    sys.exit(main())
