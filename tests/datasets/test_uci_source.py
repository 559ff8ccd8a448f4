from __future__ import annotations

import pytest
from openml_server import FakeServer

from retree.datasets import load, load_dataset
from retree.datasets.sources import uci
from retree.errors import DataError

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
    # The client reads csv with a parser that may be off by one in the last place.
    numbers = ["0.1234567890123", "8.5123e-05", "349.3837209302326", "0.017", "1e-300"]
    server.tables[9] = "x,class\n" + "".join(f"{number},a\n" for number in numbers)
    assert uci.fetch("toy", {"id": 9})["x"].tolist() == [
        float(f"{float(number):.15g}") for number in numbers
    ]
