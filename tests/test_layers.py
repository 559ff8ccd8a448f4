"""The check of layers."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CHECK = runpy.run_path(str(ROOT / "scripts" / "check_layers.py"))
LAYERS = CHECK["read_layers"](
    "```layers\nretree\n  top\n  rooms.upper\n  rooms.lower\n  base other\n```\n"
)


@pytest.fixture
def imports(tmp_path):
    """Return the imports of a package of some files, given by their names and contents."""

    def read(**files):
        for name, content in {"__init__": "from retree import base\n", **files}.items():
            path = tmp_path / "retree" / f"{name.replace('__in__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return CHECK["read_imports"](tmp_path)

    return read


def test_imports_from_below_and_within_a_layer_are_fine(imports):
    found = imports(
        top="from retree.rooms.upper import a\nimport retree.base\n",
        rooms__in__upper="from retree.rooms import lower\n",
        rooms__in__lower="import json\nfrom retree import other\n",
        base="from retree.other import b\n",
        other="",
    )
    assert list(CHECK["against_layers"](found, LAYERS)) == []
    assert CHECK["circle"](found) == ""


@pytest.mark.parametrize(
    "code",
    [
        "from retree.rooms import upper",
        "from retree.rooms.upper import a",
        "import retree.rooms.upper",
        "def f():\n    from retree.rooms.upper import a",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from retree.rooms.upper import a",
    ],
)
def test_an_import_from_above_is_named(imports, code):
    found = imports(rooms__in__lower=f"{code}\n", rooms__in__upper="", base="")
    (sentence,) = CHECK["against_layers"](found, LAYERS)
    assert sentence == "retree.rooms.lower imports retree.rooms.upper, which stands above it."


def test_a_module_without_a_layer_is_named(imports):
    (sentence,) = CHECK["against_layers"](imports(base="", basement=""), LAYERS)
    assert sentence.startswith("retree.basement is in no layer")


def test_a_circle_is_named(imports):
    found = imports(base="import retree.other\n", other="def f():\n    from retree import base\n")
    assert set(CHECK["circle"](found).split(" <- ")) == {"retree.base", "retree.other"}


def test_the_package_keeps_to_its_layers():
    assert CHECK["main"]() == 0
