from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from openml_server import FakeServer, Hosted, serve
from toy_set import (
    DERIVED_YAML,
    TOY_ARFF,
    TOY_SHA256,
    TOY_UCI,
    TOY_YAML,
    write_mirror,
)

from retree_lab import paths


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder."""
    monkeypatch.setenv("RETREE_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "cache"


@pytest.fixture
def toy(tmp_path: Path, cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalogue of one set with a tracked checksum and no mirror; returns its folder."""
    catalogue = tmp_path / "conf" / "dataset"
    catalogue.mkdir(parents=True)
    (catalogue / "toy.yaml").write_text(TOY_YAML)
    (catalogue / "toy_two.yaml").write_text(DERIVED_YAML)
    (catalogue.parent / "usual_names.csv").write_text("name,rows,key\n")
    checksums = tmp_path / "checksums.csv"
    checksums.write_text(
        f"dataset,source,n_instances,n_features,sha256\ntoy,mirror,5,2,{TOY_SHA256}\n"
    )
    monkeypatch.setattr(paths, "conf_dir", lambda: tmp_path / "conf")
    monkeypatch.setattr(paths, "checksums_file", lambda: checksums)
    return tmp_path


@pytest.fixture
def toy_mirror(toy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mirror folder with the toy set."""
    folder = toy / "mirror"
    folder.mkdir()
    write_mirror(folder)
    monkeypatch.setenv("RETREE_MIRROR", str(folder))
    return folder


@pytest.fixture
def bundled_toy(toy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The toy set among those that are bundled."""
    folder = toy / "sets"
    folder.mkdir()
    write_mirror(folder)
    entry = toy / "conf" / "dataset" / "toy.yaml"
    entry.write_text(entry.read_text().replace("  mirror: {file: toy}", "  bundled: {file: toy}"))
    monkeypatch.setattr(paths, "sets_dir", lambda: folder)
    return folder


@pytest.fixture
def online(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers may be asked, but none answers."""
    monkeypatch.delenv("RETREE_OFFLINE")
    monkeypatch.setenv("OPENML_SERVER", "http://127.0.0.1:9/api/v1/xml")
    monkeypatch.setattr(
        "retree_lab.datasets.sources.uci.INTERFACE", "http://127.0.0.1:9/api/dataset"
    )


@pytest.fixture
def server(toy: Path, online: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """The loopback server with the toy set, known to both clients."""
    with serve() as state:
        state.sets[7] = Hosted(TOY_ARFF, target="kind", ignore="size")
        state.tables[9] = TOY_UCI
        monkeypatch.setenv("OPENML_SERVER", state.openml)
        monkeypatch.setattr("retree_lab.datasets.sources.uci.INTERFACE", state.uci)
        yield state
