import importlib
import sys

import pytest

from retree.experiments import keys
from retree.experiments.keys import code_hash

FILES = {
    "__init__.py": "from toypkg import left, right\n",
    "shared.py": "def add(a, b):\n    return a + b\n",
    "left.py": "from toypkg.shared import add\n\nclass Left:\n    x = 1\n",
    "right.py": (
        "from typing import TYPE_CHECKING\nfrom . import shared\n"
        "if TYPE_CHECKING:\n    from toypkg import left\n\n"
        "def show():\n    import toypkg.plot\n\nclass Right:\n    x = shared.add(1, 2)\n"
    ),
    "plot.py": "WIDTH = 3\n",
}


@pytest.fixture
def edit(tmp_path, monkeypatch):
    """Return a function that edits a throw-away package and returns the hashes of its families."""
    folder = tmp_path / "toypkg"
    folder.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "toypkg"]:
        monkeypatch.delitem(sys.modules, name)

    def write(**changes):
        for name, text in FILES.items():
            (folder / name).write_text(changes.get(name.removesuffix(".py"), text))
        importlib.invalidate_caches()
        code_hash.cache_clear()
        keys._source.cache_clear()
        return code_hash("toypkg.left"), code_hash("toypkg.right")

    return write


def test_editing_one_family_leaves_the_other(edit):
    left, right = edit()
    edited = edit(left=FILES["left.py"].replace("x = 1", "x = 2"))
    assert edited[0] != left
    assert edited[1] == right


def test_editing_shared_code_moves_both(edit):
    before = edit()
    after = edit(shared=FILES["shared.py"].replace("a + b", "b + a"))
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_comments_docstrings_and_layout_do_not_count(edit):
    text = '"""Shared."""\n\n\ndef add(a, b):\n    """Add."""\n    # why\n    return (a +\n  b)\n'
    assert edit() == edit(shared=text)


def test_imports_inside_functions_and_for_types_do_not_count(edit):
    before = edit()
    assert edit(plot="WIDTH = 4\n") == before
    assert edit(left=FILES["left.py"].replace("x = 1", "x = 2"))[1] == before[1]


def test_real_estimator_is_made_of_its_kernels_but_not_of_the_experiments():
    modules = keys._closure("retree.trees.structure.structure_purity")
    assert "retree.trees.tree" in modules
    assert any(name.startswith("retree.trees.kernels.") for name in modules)
    assert not any(name.startswith(("retree.experiments", "retree.datasets")) for name in modules)
