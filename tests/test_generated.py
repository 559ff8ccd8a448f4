"""Files that follow from the sources are as they should be, and are written whole or not at all."""

import importlib
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SLOW = ("checksums",)


@pytest.fixture
def generated(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    module = importlib.import_module("generated")
    yield module
    for name in ("generated", *module.GENERATORS):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", ["declared", "names", "reference", "notebook", "pages"])
def test_committed_files_are_as_they_should_be(generated, name, capsys):
    assert generated.main(["--check", name]) == 0, capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_slow_ones_are_as_they_should_be(generated, name, capsys):
    assert generated.main(["--check", name]) == 0, capsys.readouterr().out


def test_every_generator_is_tested(generated):
    assert {*generated.GENERATORS} == {
        *("declared", "names", "reference", "notebook", "pages", "golden"),
        *SLOW,
    }


def test_a_stale_file_is_named_or_written_whole(generated, tmp_path, monkeypatch, capsys):
    page, toy = tmp_path / "page.md", type(sys)("toy")
    page.write_text("before")
    toy.files = lambda: iter([(page, "after")])
    monkeypatch.setitem(sys.modules, "toy", toy)
    monkeypatch.setitem(generated.GENERATORS, "toy", "a page")
    monkeypatch.setattr(generated, "ROOT", tmp_path)
    assert generated.main(["--check", "toy"]) == 1
    assert "page.md is out of date; run python scripts/generated.py toy" in capsys.readouterr().out
    assert page.read_text() == "before"
    assert generated.main(["toy"]) == 0
    assert page.read_text() == "after"
    assert [path.name for path in tmp_path.iterdir()] == ["page.md"]


def test_a_generator_that_fails_leaves_its_file(generated, monkeypatch):
    """A data set of which something is missing once left a table of one line."""
    checksums = importlib.import_module("checksums")
    before = checksums.paths.checksums_file().read_bytes()
    rows = iter([("iris", "bundled", 1, 2, "x")])
    monkeypatch.setattr(checksums, "_rows", lambda: (row if row else 1 / 0 for row in [*rows, ()]))
    with pytest.raises(ZeroDivisionError):
        generated.main(["checksums"])
    assert checksums.paths.checksums_file().read_bytes() == before


def test_results_that_nobody_committed_are_on_no_page(generated, tmp_path):
    pages = importlib.import_module("pages")
    papers = pages.committed_papers(ROOT / "results")
    untracked = ROOT / "results" / "nobody_committed_this"
    untracked.mkdir()
    try:
        shutil.copy(ROOT / "results" / papers[0] / "README.md", untracked)
        assert pages.committed_papers(ROOT / "results") == papers
    finally:
        shutil.rmtree(untracked)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "README.md").touch()
    assert pages.committed_papers(tmp_path) == ["mine"]
