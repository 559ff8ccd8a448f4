"""All commands are modules of one grammar, and only the one that is called is imported."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from retree_lab.cli import main, parse
from retree_lab.commands import command_texts


@pytest.mark.parametrize("name", command_texts())
def test_a_command_says_what_it_does_takes_and_runs(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    module = import_module(f"retree_lab.commands.{name}")
    assert callable(module.run)
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: retree {name}")
    with pytest.raises(SystemExit):
        main(["--help"])
    whole = capsys.readouterr().out
    assert max(map(len, (out + whole).splitlines())) <= 80
    first = command_texts()[name].splitlines()[0].rstrip(".")
    assert " ".join(first[1:].split()) in " ".join(whole.split())


def test_help_imports_no_command():
    code = (
        "import sys; from retree_lab.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stderr.split())
    assert not [name for name in modules if name.startswith("retree_lab.commands.")]
    assert not {"pandas", "sklearn", "hydra", "rich"} & modules


def test_the_function_of_a_command_and_its_overrides_are_parsed():
    args, overrides = parse(["run", "-j", "2", "item=table2", "--report"])
    assert (args.run, args.jobs, args.report) == (
        import_module("retree_lab.commands.run").run,
        2,
        True,
    )
    assert overrides == ["item=table2"]
