"""Edit committed results at random, one entry at a time, and count what `retree diff` finds.

``python scripts/edits.py [--edits 200] [--seed 1] [PAPER ...]``: each paper is rendered once, and
each edit is compared with that. Every file is as likely as any other, and every entry of it: a
field of a csv, a digit or a word of all others. Exits with 1 if an edit is not found.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import random
import re
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from retree.errors import RetreeError
from retree_lab import paths
from retree_lab.diffing.result_folders import (
    PaperDiff,
    compare_folders,
    compare_overview,
    render_current,
)
from retree_lab.diffing.scope import Scope, find_papers, select
from retree_lab.experiments.verifying.verified import unverified_exports

# Records of what was once said or measured; nothing gives them anew.
RECORDS = ("CHANGELOG.md", "reliability.md")
Rendered = dict[str, tuple[Path, Scope]]


def main(arguments: list[str]) -> int:
    """Print each edit that is not found, and how many are."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("papers", nargs="*")
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    results = paths.project_dir() / "results"
    papers = asked.papers or find_papers([f"results={results}"])[1]
    files = [f for paper in papers for f in sorted((results / paper).iterdir()) if f.is_file()]
    if not asked.papers:
        files += [f for f in sorted(results.iterdir()) if f.is_file() and f.name not in RECORDS]
    draws, n_found = random.Random(asked.seed), 0
    with tempfile.TemporaryDirectory() as temporary:
        rendered = {paper: render(paper, results, Path(temporary)) for paper in papers}
        moved = [paper for paper in papers if not compared(results, paper, rendered).same]
        if moved or not (asked.papers or compared(results, "", rendered).same):
            print(f"not as committed without an edit: {', '.join(moved) or 'overview'}")
            return 1
        for _ in range(asked.edits):
            file = draws.choice(files)
            content, said = edited(file, draws)
            if is_found(results, file, content, rendered):
                n_found += 1
            else:
                print(f"not found: {file.relative_to(results)}: {said}", flush=True)
    print(f"{n_found} of {asked.edits} edits found")
    return int(n_found < asked.edits)


def render(paper: str, results: Path, folder: Path) -> tuple[Path, Scope]:
    """Render a paper below `folder`, and return its files, and what of it is compared."""
    selected = select(paper, [f"results={results}", f"committed={results}"], anew=False)
    assert selected is not None, "a whole paper is asked for"
    experiment, scope = selected
    datasets = render_current(experiment, scope, folder, False, Console(stderr=True))
    return folder / paper, scope.without(datasets.away, anew=False)


def is_found(results: Path, file: Path, content: bytes, rendered: Rendered) -> bool:
    """Return whether the results with another content of one file are not as committed."""
    with tempfile.TemporaryDirectory() as temporary:
        variant = Path(temporary)
        for path in [*results.iterdir(), *file.parent.iterdir()]:
            place = variant / path.relative_to(results)
            if path == file:
                place.write_bytes(content)
            elif path == file.parent:
                place.mkdir()
            elif not place.exists():
                place.symlink_to(path)
        try:
            diff = compared(variant, file.parent.name if file.parent != results else "", rendered)
        except RetreeError:
            return True
    return not diff.same


def compared(variant: Path, paper: str, rendered: Rendered) -> PaperDiff:
    """Return what `retree diff` says of a paper, or of the pages on all papers."""
    if not paper:
        diff = compare_overview(variant)
        # As for all papers at once.
        papers = [line for each in rendered for line in unverified_exports(each, variant)]
        diff.unverified = [*diff.unverified, *papers]
        return diff
    current, scope = rendered[paper]
    diff = compare_folders(variant / paper, current, scope)
    diff.unverified = unverified_exports(paper, variant)
    return diff


def edited(file: Path, draws: random.Random) -> tuple[bytes, str]:
    """Return the content of a file with another entry, and what was changed."""
    content = file.read_bytes()
    if file.suffix == ".gz":
        text, said = edited_csv(gzip.decompress(content).decode(), draws)
        return gzip.compress(text.encode(), 1, mtime=0), said
    change = edited_csv if file.suffix == ".csv" else edited_text
    text, said = change(content.decode(), draws)
    return text.encode(), said


def edited_csv(text: str, draws: random.Random) -> tuple[str, str]:
    """Change one field of a csv."""
    rows = [*csv.reader(io.StringIO(text))]
    row = draws.choice(rows)
    at = draws.randrange(len(row))
    old, row[at] = row[at], other(row[at], draws)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue(), f"{rows[0][at]}: {old} -> {row[at]}, in {','.join(row)[:80]}"


def edited_text(text: str, draws: random.Random) -> tuple[str, str]:
    """Change one digit or word of a text."""
    place = draws.choice([*re.finditer(r"\d|[^\W\d_]+", text)])
    new = other(place[0], draws)
    near = text[max(0, place.start() - 30) : place.end() + 30]
    return text[: place.start()] + new + text[place.end() :], f"{place[0]} -> {new}, in {near!r}"


def other(entry: str, draws: random.Random) -> str:
    """Return another entry: one digit is another, or there is a letter more."""
    digits = [place.start() for place in re.finditer(r"\d", entry)]
    if not digits:
        return f"{entry}x"
    at = draws.choice(digits)
    digit = draws.choice([d for d in "0123456789" if d != entry[at]])
    return entry[:at] + digit + entry[at + 1 :]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
