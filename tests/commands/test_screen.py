"""Whole numbers on a terminal of 80 columns, and sentences where nothing can be printed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from rich.console import Console
from tiny_paper import ARGUMENTS as TINY

from retree_lab.cli import main
from retree_lab.screen import print_table

RETREE = [sys.executable, "-c", "import sys; from retree.start import main; sys.exit(main())"]
NAMES = ["A method with a long name that is as long as some are", *(f"M{i}" for i in range(30))]


@pytest.mark.parametrize("keys", [1, 2])
def test_a_wide_table_is_printed_in_blocks_of_whole_numbers(keys, capsys):
    rows = [[f"data set {i}", *(f"{i + j / 10000:.4f}" for j in range(len(NAMES)))] for i in (1, 2)]
    print_table(["data set", *NAMES], rows, Console(width=80), keys=keys)
    out = capsys.readouterr().out
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= 80
    for row in rows:
        assert all(number in out.split() for number in row[1:])
    assert out.count("data set 1") > 1


@pytest.mark.parametrize(
    "words",
    [
        ["plan", *TINY, "item=table1"],
        ["diff", *TINY[:2], "paper=tiny"],
        ["show", "tiny", "table1", "iris", "bnm_csn_gini"],
        ["compare", "mine.py:Mine", "--with", "tiny", "-j", "1"],
        ["report", *TINY, "item=table1", "--show"],
    ],
    ids=lambda words: words[0],
)
def test_no_number_is_cut_at_80_columns(tiny_clone, monkeypatch, capsys, words):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    (tiny_clone / "mine.py").write_text(
        "from retree import StructurePurityClassifier\n\n\n"
        "class ANameThatIsRatherLong(StructurePurityClassifier):\n    pass\n\n\n"
        "class Mine(ANameThatIsRatherLong):\n    pass\n"
    )
    assert main(words) in (0, 1)
    lines = capsys.readouterr().out.splitlines()
    tables = [line for line in lines if line.startswith("  ") and line.count("  ") > 2]
    assert tables
    assert not [line for line in tables if "…" in line]
    assert max(map(len, tables)) <= 80


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "shell", "message"),
    [
        (["data", "list"], ">/dev/full", "No space is left"),
        (["data", "list"], ">&-", ""),
        (["plan", *TINY, "item=table1"], "| head -1", ""),
    ],
    ids=["full", "closed", "head"],
)
def test_an_output_that_takes_nothing_is_no_traceback(tiny_clone, words, shell, message):
    command = f'"$@" {shell}'
    done = subprocess.run(
        ["bash", "-c", command, "bash", *RETREE, *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_too_few_open_files_are_a_sentence(tmp_path, monkeypatch, capsys):
    def run(*arguments, **options):
        raise OSError(24, "Too many open files")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("retree_lab.commands.run.carry_out.run_plans", run)
    assert main(["run", "dataset=xor", "method=gini", "data.sources=[generator]"]) == 1
    assert capsys.readouterr().err.startswith("Too many files are open: raise ulimit -n")


def test_a_file_is_no_place_for_a_site(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert main(["site", "--output", str(tmp_path / "file")]) == 1
    assert "is a file; choose a folder with --output" in capsys.readouterr().err
