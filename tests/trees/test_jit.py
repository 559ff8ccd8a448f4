"""The folder of a kernel's machine code changes with every source that the kernel is made of."""

import re
from pathlib import Path

import pytest

from retree.trees.kernels import jit

FOLDER = Path(jit.__file__).parent


def test_kernels_import_only_kernels():
    imports = re.compile(r"^(?:from|import) (retree[\w.]*)", re.MULTILINE)
    for source in FOLDER.glob("*.py"):
        for module in imports.findall(source.read_text()):
            assert re.fullmatch(r"retree\.trees\.kernels\.\w+", module), (source.name, module)


@pytest.fixture
def sources(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "_HERE", tmp_path)
    jit.source_hash.cache_clear()
    (tmp_path / "top.py").write_text("from retree.trees.kernels.middle import f\n")
    (tmp_path / "middle.py").write_text("from retree.trees.kernels.low import g\n")
    (tmp_path / "low.py").write_text("g = 1\n")
    (tmp_path / "other.py").write_text("h = 1\n")
    yield tmp_path
    jit.source_hash.cache_clear()


@pytest.mark.parametrize(("edited", "moves"), [("low", True), ("top", True), ("other", False)])
def test_an_edit_moves_the_hash_of_what_calls_it(sources, edited, moves):
    before = jit.source_hash(sources / "top.py")
    (sources / f"{edited}.py").write_text((sources / f"{edited}.py").read_text() + "x = 2\n")
    jit.source_hash.cache_clear()
    assert (jit.source_hash(sources / "top.py") != before) == moves
