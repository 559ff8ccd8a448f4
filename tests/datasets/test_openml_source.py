from __future__ import annotations

import logging

import pytest
from openml_server import FakeServer
from toy_set import TOY_ARFF

from retree.errors import DataError
from retree_lab.datasets import acquire, load
from retree_lab.datasets.sources import openml as adapter
from retree_lab.datasets.sources import web
from retree_lab.study import catalogue

OPENML = ["openml"]


def test_content_is_canonical_whatever_the_server_calls_it(server: FakeServer) -> None:
    X, y = load("toy", raw=True, sources=OPENML)
    assert X["size"].tolist() == [1.5, 2.0, 0.0, 0.1, 3.0]
    assert X["colour"].astype(object).where(X["colour"].notna(), None).tolist() == [
        "red",
        "blue",
        None,
        "red",
        "blue",
    ]
    assert y.tolist() == ["1", "2", "1", "2", "1"]
    assert list(X["colour"].cat.categories) == ["blue", "red"]


@pytest.mark.parametrize(
    ("fault", "reason", "fix"),
    [
        ("500", "answers with an error", "try again later"),
        ("wrong md5", "announced checksum", "try again later"),
        ("bad description", "error", "try again later"),
        ("cut off", "no connection", "check the network"),
        ("truncated", "announced checksum", "try again later"),
        ("truncated at the server", "content cannot be used", "try again later"),
        ("wrong values", "values differ", "try another source: mirror, uci"),
        ("missing row", "announced checksum", "try again later"),
    ],
)
def test_each_fault_is_one_sentence_with_a_fix_and_passes(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, fault: str, reason: str, fix: str
) -> None:
    monkeypatch.setattr(adapter, "_TRIES", 1)
    server.fault = fault
    with pytest.raises(DataError, match=reason) as caught:
        load("toy", sources=OPENML)
    assert fix in str(caught.value)
    assert "\n" not in str(caught.value)
    server.fault = None
    assert len(load("toy", sources=OPENML)[1]) == 5


def test_what_the_client_warns_of_stays_off_the_screen(
    server: FakeServer, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As where no program has asked for a log.
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    load("toy", sources=OPENML)
    assert "openml" not in capfd.readouterr().err.lower()
    assert not root.handlers
    assert not root.filters


def test_a_passing_error_is_tried_again(server: FakeServer) -> None:
    server.fault = "500 once"
    assert len(load("toy", sources=OPENML)[1]) == 5


def test_unknown_id(server: FakeServer) -> None:
    hosted = server.sets.pop(7)
    with pytest.raises(DataError, match=r"OpenML set 7 .toy.*does not know this set"):
        load("toy", sources=OPENML)
    server.sets[7] = hosted
    load("toy", sources=OPENML)


def test_missing_row_without_checksum_is_seen(server: FakeServer) -> None:
    server.sets[7].arff = TOY_ARFF.rstrip("\n").rpartition("\n")[0] + "\n"
    with pytest.raises(DataError, match=r"it has 4 rows, not 5; try another source: mirror"):
        load("toy", sources=OPENML)


def test_no_connection(toy: object, online: None) -> None:
    with pytest.raises(DataError, match=r"no connection.*check the network or OPENML_SERVER"):
        load("toy", sources=OPENML)


def test_client_is_left_as_it_was(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    import openml

    monkeypatch.setattr(adapter, "_TRIES", 1)
    before = openml.config.get_config_as_dict()
    server.fault = "wrong md5"
    with pytest.raises(DataError):
        adapter.fetch("toy", {"id": 7})
    assert openml.config.get_config_as_dict() == before


def test_an_answer_that_is_too_long_is_not_read_to_its_end(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "MOST_BYTES", 10_000)
    # A thousandth of that when packed.
    server.sets[7].arff = TOY_ARFF + "%" * 5_000_000
    with pytest.raises(DataError, match="more than 10,000 bytes; use another source"):
        load("toy", sources=OPENML)


@pytest.mark.parametrize(("limit", "reason"), [("MOST", "takes longer"), ("SILENT", "no conn")])
def test_an_answer_that_takes_too_long_is_not_waited_for(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, limit: str, reason: str
) -> None:
    monkeypatch.setattr(web, f"{limit}_SECONDS", 0.05)
    monkeypatch.setattr(adapter, "_TRIES", 1)
    server.fault = "slow"
    with pytest.raises(DataError, match=reason):
        load("toy", sources=OPENML)


def test_a_sparse_set_is_read(server: FakeServer) -> None:
    server.sets[7].format = "Sparse_ARFF"
    head, _, _ = TOY_ARFF.partition("@data")
    server.sets[7].arff = head + "@data\n{0 1.5}\n{0 2}\n"
    assert adapter.fetch("toy", {"id": 7})["size"].tolist() == [1.5, 2.0]


def test_rows_and_ignored_columns(server: FakeServer) -> None:
    table = adapter.fetch("toy", {"id": 7})
    assert list(table.columns) == ["size", "the colour", "kind"]


def test_a_wrong_shape_is_refused(server: FakeServer) -> None:
    server.sets[7].arff = TOY_ARFF + "4,'blue',good\n"
    with pytest.raises(DataError, match=r"6 rows, not 5"):
        acquire.fetch(catalogue.find("toy"), "openml")
