"""``notes.md``: what a study says of its data sets, methods and items."""

import os

import pytest

from retree.errors import RetreeError, UnknownNameError
from retree_lab.cli import main
from retree_lab.study.notes import KNOWN, NOTES, TRIED, read_notes

NAMES = ("iris", "Tree", "table1")
TEXT = """\
# What is known

## iris

One line,
and another.

A second paragraph.

## Tree
## table1

#1 of both.

# What we tried

## Other seeds

Nothing changes.
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / NOTES


def read(file, text, names=NAMES):
    file.write_text(text)
    return read_notes(file, names)


def test_texts_by_section_and_heading(file):
    notes = read(file, TEXT)
    assert list(notes[KNOWN].items()) == [
        ("iris", "One line, and another. A second paragraph."),
        ("Tree", "#1 of both."),
        ("table1", "#1 of both."),
    ]
    assert notes[TRIED] == {"Other seeds": "Nothing changes."}


def test_without_a_file_or_text_there_are_none(file):
    assert read_notes(file, NAMES) == read(file, "") == {KNOWN: {}, TRIED: {}}


WRONG = {
    "# What was seen\n": (1, "Unknown section 'What was seen'"),
    "# What is known\n\n## irsi\n\nText.\n": (3, "Did you mean 'iris'"),
    "\nText.\n": (2, "write # What is known and a heading above it"),
    "# What is known\n\nText.\n": (1, "the text has no heading"),
    "## iris\n\nText.\n": (1, "headings are # What is known"),
    "# What is known\n### iris\nText.\n": (2, "headings are # What is known"),
    "# What is known\n## iris\n": (2, "iris has no text"),
    "# What is known\n## iris\n# What we tried\n": (2, "iris has no text"),
    "# What is known\n## iris\nA.\n## Tree\nB.\n## iris\nC.\n": (6, "iris appears twice"),
    "# What is known\n## iris\n## iris\nA.\n": (3, "iris appears twice"),
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_said_with_its_line(file, text):
    line, message = WRONG[text]
    with pytest.raises(RetreeError, match=message) as caught:
        read(file, text)
    assert str(caught.value).startswith(f"{file}, line {line}: ")


def test_an_unknown_heading_is_a_wrong_command(file):
    with pytest.raises(UnknownNameError):
        read(file, "# What is known\n## irsi\nText.\n")


def test_a_file_that_is_no_text(file):
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(RetreeError, match="line 1 is not in UTF-8: save it as UTF-8"):
        read_notes(file, NAMES)


def test_a_pipe_is_not_opened(file):
    os.mkfifo(file)
    with pytest.raises(RetreeError, match="is not a plain file"):
        read_notes(file, NAMES)


def test_check_reads_the_notes_of_a_study(study, capsys):
    (study / NOTES).write_text("# What is known\n\n## wien\n\nA slip.\n")
    assert main(["check", str(study)]) == 2
    said = capsys.readouterr().err
    assert "notes.md, line 3: Unknown data set, method or item 'wien'" in said
