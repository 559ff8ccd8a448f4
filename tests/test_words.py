"""The check of words."""

import runpy
from pathlib import Path

import pytest

CHECK = runpy.run_path(str(Path(__file__).parents[1] / "scripts" / "check_words.py"))


@pytest.fixture
def found(tmp_path):
    def check(name, content):
        path = tmp_path / name
        path.write_text(content)
        return [line.partition(":")[2] for line in CHECK["refused"](path)]

    return check


def test_refused_words_are_named_with_their_line_and_with_what_to_say(found):
    (line,) = found("a.md", "Fine.\n\nIt is lower on the mean.\n")
    assert line == "3: 'on the mean'; say: on average"
    (line,) = found("a.yaml", "- name: x\n  text: That holds of C4.5.\n")
    assert line == "2: 'holds of'; say: name the subject"
    (line,) = found("a.py", 'def f():\n    """Return it.\n\n    One a class.\n    """\n')
    assert line.startswith("4: 'One a class'")
    (line,) = found("a.md", "Choose the tree of least error.\n")
    assert line == "1: 'least error'; say: lowest"
    (line,) = found("a.py", 'raise ValueError(f"{n} nominal columns.")\n')
    assert line.startswith("1: 'nominal column")


def test_code_examples_references_and_names_are_not_refused(found):
    assert found("a.md", "`told` and\n\n```\nholes\n```\n") == []
    assert found("a.py", "told = 1  # no text for readers\nx = 'nominal'\n") == []
    doc = '"""Cite.\n\n    References\n    ----------\n    On nominal data.\n    """\n'
    assert found("a.py", doc) == []


def test_the_script_fails_on_refused_words_only(tmp_path, capsys):
    (tmp_path / "a.md").write_text("It has a hole.\n")
    assert CHECK["main"]([str(tmp_path)]) == 1
    assert "a.md:1: 'hole'" in capsys.readouterr().out
    (tmp_path / "a.md").write_text("It is whole.\n")
    assert CHECK["main"]([str(tmp_path)]) == 0


def test_sentences_are_counted_without_code_tables_and_links(tmp_path):
    page = "# A\n\nOne two three. Four [five six](a/b.md)\nseven.\n\n- a list item\n\n| a | b |\n"
    assert [len(found) for found in CHECK["sentences"](page)] == [3, 4, 3]
    (tmp_path / "a.md").write_text("word " * 17 + ".\n\n```\n" + "code " * 50 + "\n```\n")
    (line,) = CHECK["long_winded"](tmp_path / "a.md")
    assert "17.0 words per sentence" in line
    (tmp_path / "a.md").write_text("word " * 16 + ".\n")
    assert list(CHECK["long_winded"](tmp_path / "a.md")) == []
