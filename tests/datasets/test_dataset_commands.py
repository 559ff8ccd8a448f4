from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from openml_server import FakeServer
from rich.console import Console

from retree import paths
from retree.cli import parse
from retree.commands import data
from retree.datasets import load_dataset
from retree.errors import UnknownNameError


def _run(*words: str) -> tuple[int, str]:
    text = io.StringIO()
    code = data.run(*parse(["data", *words]), Console(file=text, width=400))
    return code, text.getvalue()


def test_list(toy_mirror: Path) -> None:
    _run("fetch", "toy")
    code, text = _run("list")
    row = next(line for line in text.splitlines() if " toy " in line)
    assert code == 0
    assert re.split(r"\s{2,}", row.strip()) == [
        "toy",
        "5",
        "4",
        "2",
        "mirror, openml, uci",
        "mirror",
    ]


def test_fetch_and_verify(toy_mirror: Path, cache_folder: Path) -> None:
    assert _run("fetch", "toy_two") == (0, "toy_two: mirror, 5 rows, 2 columns\n")
    offline = "OpenML and UCI are not asked, since RETREE_OFFLINE is set.\n"
    assert _run("verify") == (0, f"toy: mirror verified\n{offline}")
    (cache_folder / "toy.mirror.csv.gz").write_bytes(b"")
    assert _run("verify") == (0, f"toy: nothing cached\n{offline}")


def test_servers_are_held_against_the_bundled_rows(server: FakeServer, bundled_toy: Path) -> None:
    agrees = "toy: bundled verified; openml agrees; uci agrees\n"
    counts = "openml: 1 agree, 0 differ, 0 unavailable\nuci: 1 agree, 0 differ, 0 unavailable\n"
    assert _run("verify") == (0, agrees + counts)
    assert _run("verify", "toy", "--source", "openml") == (0, "toy: openml agrees\n")
    server.fault = "wrong values"
    code, text = _run("verify", "toy")
    assert code == 0
    assert "openml differs: 1 cell differs (size); uci differs: 1 cell differs (size)\n" in text
    assert "uci: 0 agree, 1 differ, 0 unavailable" in text
    code, text = _run("verify", "toy", "--source", "openml")
    assert code == 1
    assert "row 1, size: '1.25' instead of '1.5'" in text
    del server.tables[9]
    code, text = _run("verify", "toy")
    assert code == 1
    assert "uci unavailable (UCI set 9 (toy) could not be fetched" in text


def test_no_server_is_asked_for_what_is_bundled(server: FakeServer, bundled_toy: Path) -> None:
    assert load_dataset("toy").source == "bundled"
    assert _run("fetch", "toy") == (0, "toy: bundled, 5 rows, 4 columns\n")
    assert server.requests == []
    # Unless it is asked for by its name.
    found = load_dataset("toy", sources=["openml"])
    assert server.requests != []
    assert found.source == "openml"
    assert found.sha256 == load_dataset("toy").sha256
    code, text = _run("fetch", "toy", "--source", "uci", "--accept")
    assert code == 1
    assert "its own rows count" in text


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
