"""The examples of docstrings, README and the user guide run, and links lead somewhere."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GUIDE = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").rglob("*.md"))]


def modules_with_examples():
    """Return the modules of both packages with an example in a docstring."""
    paths = [path for path in sorted((ROOT / "src").rglob("*.py")) if ">>> " in path.read_text()]
    return [".".join(path.relative_to(ROOT / "src").with_suffix("").parts) for path in paths]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_of_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


@pytest.mark.parametrize("path", GUIDE, ids=lambda path: path.stem)
def test_examples_of_the_user_guide(path):
    assert doctest.testfile(str(path), module_relative=False).failed == 0


def test_few_words_are_enough_for_a_first_change_and_stand_where_the_page_says():
    page = (ROOT / "docs" / "contributing" / "words.md").read_text()
    words = re.findall(r"^\| `(\w+)` \|.*\| `([\w/.]+)` \|$", page, re.M)
    assert 0 < len(words) <= 30
    for word, file in words:
        (path,) = (ROOT / "src").glob(f"*/{file}")
        assert re.search(rf"^(class|def) {word}\b", path.read_text(), re.M), file


def test_readme_is_short():
    assert len(README.split()) < 450


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_links_lead_to_files_of_the_repository(path):
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    assert [link for link in links if not (path.parent / link).exists()] == []
