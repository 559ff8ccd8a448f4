"""Notes on data sets, methods and items, read from ``notes.md``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from retree.errors import RetreeError, refuse_unknown
from retree_lab.plain_files import check_plain, decode

NOTES = "notes.md"
KNOWN, TRIED = "What is known", "What we tried"
MOST_MEGABYTES = 1


@dataclass(frozen=True)
class _Block:
    """A heading, the number of its line, and the words below it."""

    line: int
    marks: str
    heading: str
    words: list[str] = field(default_factory=list)


def read_notes(file: Path, names: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the text under each heading, by section: `KNOWN` and `TRIED`.

    Headings that follow each other share the text below them.

    `names`: data sets, methods and items by key or published name, which headings of `KNOWN` are
    of.
    """
    notes: dict[str, dict[str, str]] = {KNOWN: {}, TRIED: {}}
    section = ""
    for group in _groups(file):
        for block in group:
            try:
                if block.marks == "#":
                    section = _section(block)
                else:
                    _check(block, group[-1], section, notes, names)
            except RetreeError as error:
                raise type(error)(f"{file}, line {block.line}: {error}") from error
            if block.marks != "#":
                notes[section][block.heading] = " ".join(group[-1].words)
    return notes


def _groups(file: Path) -> list[list[_Block]]:
    """Return the headings of each text, the one above it last; a section is alone."""
    groups: list[list[_Block]] = []
    for block in _blocks(file):
        if not groups or "#" in (block.marks, groups[-1][-1].marks) or groups[-1][-1].words:
            groups.append([])
        groups[-1].append(block)
    return groups


def _blocks(file: Path) -> list[_Block]:
    if not file.exists():
        return []
    check_plain(file, MOST_MEGABYTES)
    blocks: list[_Block] = []
    try:
        lines = decode(file.read_bytes(), file).splitlines()
    except OSError as error:
        raise RetreeError(f"{file} cannot be read ({error}): make it a text file.") from error
    for number, line in enumerate(lines, start=1):
        marks, _, heading = line.partition(" ")
        if marks and set(marks) == {"#"}:
            blocks.append(_Block(number, marks, heading.strip()))
        elif line.strip():
            if not blocks:
                raise RetreeError(f"{file}, line {number}: write # {KNOWN} and a heading above it.")
            blocks[-1].words.extend(line.split())
    return blocks


def _section(block: _Block) -> str:
    refuse_unknown("section", (KNOWN, TRIED), block.heading)
    if block.words:
        raise RetreeError("the text has no heading: write ## NAME above it.")
    return block.heading


def _check(
    block: _Block,
    last: _Block,
    section: str,
    notes: Mapping[str, Mapping[str, str]],
    names: Collection[str],
) -> None:
    if block.marks != "##" or not section:
        raise RetreeError(f"headings are # {KNOWN}, # {TRIED} and ## NAME below them.")
    if section == KNOWN:
        refuse_unknown("data set, method or item", names, block.heading)
    if block.heading in notes[section]:
        raise RetreeError(f"{block.heading} appears twice; keep one.")
    if not last.words:
        raise RetreeError(f"{block.heading} has no text; write it, or leave the heading out.")
