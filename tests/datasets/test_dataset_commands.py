from __future__ import annotations

import io
from pathlib import Path

import pytest
from openml_server import FakeServer
from rich.console import Console

from retree import paths
from retree.arguments import make_parser
from retree.commands import data
from retree.errors import UnknownNameError


def _run(*words: str) -> tuple[int, str]:
    text = io.StringIO()
    args = make_parser().parse_args(["data", *words])
    code = data.run(args, Console(file=text, width=400))
    return code, text.getvalue()


def test_list(toy_mirror: Path) -> None:
    _run("fetch", "toy")
    code, text = _run("list")
    row = next(line for line in text.splitlines() if " toy " in line)
    assert code == 0
    assert [cell.strip() for cell in row.strip("│").split("│")] == [
        "toy",
        "5",
        "4",
        "2",
        "mirror, openml, uci",
        "mirror",
    ]


def test_fetch_and_verify(toy_mirror: Path, cache_folder: Path) -> None:
    assert _run("fetch", "toy_two") == (0, "toy_two: mirror, 5 rows, 2 columns\n")
    assert _run("verify") == (0, "toy: mirror verified\n")
    (cache_folder / "toy.mirror.csv.gz").write_bytes(b"")
    code, text = _run("verify")
    assert code == 1
    assert "set aside" in text
    assert _run("verify") == (0, "toy: nothing cached\n")


def test_fetch_goes_on_over_failures(toy_mirror: Path) -> None:
    code, text = _run("fetch", "nothing", "toy")
    assert code == 1
    assert "Unknown dataset 'nothing'" in text
    assert "toy: mirror, 5 rows, 4 columns" in text
    assert "1 failed." in text


def test_fetch_all_from_one_source(server: FakeServer) -> None:
    assert _run("fetch", "--all", "--source", "uci") == (0, "toy: uci, 5 rows, 4 columns\n")


def test_force_fetches_anew(server: FakeServer) -> None:
    _run("fetch", "toy", "--source", "uci")
    asked = len(server.requests)
    _run("fetch", "toy", "--source", "uci")
    assert len(server.requests) == asked
    _run("fetch", "toy", "--source", "uci", "--force")
    assert len(server.requests) == 2 * asked


def test_accept(server: FakeServer) -> None:
    server.fault = "wrong values"
    code, text = _run("fetch", "toy", "--source", "uci")
    assert code == 1
    assert "retree data fetch toy --source uci --accept" in text
    assert _run("fetch", "toy", "--source", "uci", "--accept")[0] == 0
    assert "\ntoy,uci,5,2," in paths.checksums_file().read_text()
    assert "\ntoy,mirror,5,2," in paths.checksums_file().read_text()
    assert _run("verify", "toy") == (0, "toy: uci verified\n")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["fetch"], "Name the sets to fetch, or give --all."),
        (["fetch", "toy", "--all"], "Name the sets to fetch, or give --all."),
        (["fetch", "toy", "--accept"], "--accept needs --source"),
    ],
)
def test_arguments_that_do_not_go_together(toy: Path, words: list[str], reason: str) -> None:
    code, text = _run(*words)
    assert code == 1
    assert reason in text


@pytest.mark.parametrize("action", ["fetch", "verify"])
def test_an_unknown_source_is_refused_with_those_there_are(action: str) -> None:
    with pytest.raises(UnknownNameError, match=r"Unknown source 'openmi'.*openml"):
        _run(action, "--source", "openmi")
