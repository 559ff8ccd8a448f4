from __future__ import annotations

import openml_server
import pytest
from openml_server import FakeServer

from retree.errors import DataError
from retree_lab.datasets import load, load_dataset
from retree_lab.datasets.sources import uci, web

UCI = ["uci"]


def test_content_equals_that_of_openml(server: FakeServer) -> None:
    from_uci = load_dataset("toy", sources=UCI)
    assert from_uci.source == "uci"
    assert from_uci.sha256 == load_dataset("toy", sources=["openml"]).sha256


@pytest.mark.parametrize("fault", ["500", "truncated", "missing row", "wrong values"])
def test_each_fault_is_one_sentence_and_passes(server: FakeServer, fault: str) -> None:
    server.fault = fault
    with pytest.raises(DataError, match=r"try|check the network") as caught:
        load("toy", sources=UCI)
    assert "\n" not in str(caught.value)
    server.fault = None
    assert len(load("toy", sources=UCI)[1]) == 5


def test_unknown_id(server: FakeServer) -> None:
    del server.tables[9]
    with pytest.raises(DataError, match=r"UCI set 9 .toy. could not be fetched .no such dataset"):
        load("toy", sources=UCI)


def test_no_connection(toy: object, online: None) -> None:
    with pytest.raises(DataError, match=r"check the network"):
        load("toy", sources=UCI)


def test_last_digits_of_floats_are_restored(server: FakeServer) -> None:
    # By default pandas reads csv with a parser that may be off by one in the last place.
    numbers = ["0.1234567890123", "8.5123e-05", "349.3837209302326", "0.017", "1e-300"]
    server.tables[9] = "x,class\n" + "".join(f"{number},a\n" for number in numbers)
    assert uci.fetch("toy", {"id": 9})["x"].tolist() == [
        float(f"{float(number):.15g}") for number in numbers
    ]


def test_an_answer_that_is_too_long_is_not_read_to_its_end(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "MOST_BYTES", 10_000)
    server.tables[9] += "1,red,good\n" * 100_000
    with pytest.raises(DataError, match=r"more than 10,000 bytes.*use another source"):
        load("toy", sources=UCI)


@pytest.mark.parametrize(("limit", "reason"), [("MOST", "takes longer"), ("SILENT", "timed out")])
def test_an_answer_that_takes_too_long_is_not_waited_for(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, limit: str, reason: str
) -> None:
    monkeypatch.setattr(web, f"{limit}_SECONDS", 0.05)
    server.fault = "slow"
    with pytest.raises(DataError, match=reason):
        load("toy", sources=UCI)


def test_an_answer_that_is_cut_off_is_refused(server: FakeServer) -> None:
    server.fault = "cut off"
    with pytest.raises(DataError, match="IncompleteRead"):
        load("toy", sources=UCI)


def test_what_would_have_to_be_unpacked_is_refused(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A zip of a few bytes may hold any number of rows.
    monkeypatch.setattr(openml_server, "UCI_FILE", "data.zip")
    with pytest.raises(DataError, match=r"data\.zip is not a csv file"):
        load("toy", sources=UCI)
