from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from openml_server import FakeServer
from rich.console import Console

from retree.errors import UnknownNameError
from retree_lab.cli import parse
from retree_lab.commands import data
from retree_lab.datasets import load_dataset


def _run(*words: str) -> tuple[int, str]:
    text = io.StringIO()
    code = data.run(*parse(["data", *words]), Console(file=text, width=400))
    return code, text.getvalue()


def test_list(toy_mirror: Path) -> None:
    code, text = _run("list")
    row = next(line for line in text.splitlines() if " toy " in line)
    assert code == 0
    assert re.split(r"\s{2,}", row.strip()) == [
        "toy",
        "5",
        "4",
        "2",
        "mirror, openml, uci",
    ]


def test_a_set_that_is_not_bundled_is_verified(toy_mirror: Path) -> None:
    offline = "OpenML and UCI were not contacted, since RETREE_OFFLINE is set.\n"
    assert _run("verify") == (0, f"toy: mirror verified\n{offline}")
    (toy_mirror / "toy.csv.gz").write_bytes(b"")
    code, text = _run("verify")
    assert code == 1
    assert "toy.csv.gz" in text


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
    assert server.requests == []
    # Unless it is asked for by its name.
    found = load_dataset("toy", sources=["openml"])
    assert server.requests != []
    assert found.source == "openml"
    assert found.sha256 == load_dataset("toy").sha256


def test_verify_goes_on_over_failures(toy_mirror: Path) -> None:
    code, text = _run("verify", "nothing", "toy")
    assert code == 1
    assert "Unknown data set 'nothing'" in text
    assert "toy: mirror verified" in text
    assert "1 failed." in text


def test_an_unknown_source_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"Unknown source 'openmi'.*openml"):
        _run("verify", "--source", "openmi")
