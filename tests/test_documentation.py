"""The examples of docstrings, of README and of the user guide show what happens."""

import doctest
import importlib
from pathlib import Path

import pytest

import retree

ROOT = Path(__file__).parents[1]
GUIDE = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]


def modules_with_examples():
    """Return the modules of the package with an example in a docstring."""
    root = Path(retree.__file__).parent
    paths = [path for path in sorted(root.rglob("*.py")) if ">>> " in path.read_text()]
    return [".".join(path.relative_to(root.parent).with_suffix("").parts) for path in paths]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_of_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


@pytest.mark.parametrize("path", GUIDE, ids=lambda path: path.stem)
def test_examples_of_the_user_guide(path):
    assert doctest.testfile(str(path), module_relative=False).failed == 0
