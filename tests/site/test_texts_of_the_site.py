"""What the site makes of the texts of the repository, of formulas and of first sentences."""

from pathlib import Path

import jinja2
import pytest
from docutils.core import publish_doctree

import retree
from retree_lab.site import build, links
from retree_lab.site.examples import run_code
from retree_lab.site.guide import site_links, tree_example
from retree_lab.site.sphinx_extension import first_sentence, mathml


@pytest.fixture
def source(tmp_path):
    for page in ("papers/cmdt/index.md", "papers/cmdt/ranks.md", "gallery/plot_gain.md"):
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / page).write_text("# Page\n")
    return tmp_path


@pytest.mark.parametrize(
    ("page", "link", "there"),
    [
        ("findings.md", "../results/cmdt/README.md", "papers/cmdt/index.md"),
        ("findings.md", "../results/cmdt/README.md#equal", "papers/cmdt/index.md"),
        ("guide/papers/cmdt.md", "../../../results/cmdt/ranks.md", "../../papers/cmdt/ranks.md"),
        ("guide/papers/cmdt.md", "../../../results/cmdt/ranks.svg", "../../papers/cmdt/ranks.md"),
        ("guide/gain.md", "../../examples/plot_gain.py", "../gallery/plot_gain.md"),
        ("guide/gain.md", "pruning.md", "pruning.md"),
        ("guide/papers/cmdt.md", "../selection.md", "../selection.md"),
    ],
)
def test_links_of_the_repository_become_those_of_the_site(source, page, link, there):
    assert site_links(f"See [it\nhere]({link}).", Path(page), source) == f"See [it\nhere]({there})."


def test_a_link_to_what_the_site_lacks_becomes_words(source):
    text = "See [the ranks](../results/pruning/ranks.md)."
    assert site_links(text, Path("findings.md"), source) == "See the ranks."


def test_public_names_lead_to_their_pages(source):
    (source / "api").mkdir()
    (source / "api" / "OC1Classifier.rst").touch()
    text = "# `OC1Classifier`\n\n[`OC1Classifier`](pruning.md), `OC1Classifier` and `ID3Classifier`"
    assert site_links(text, Path("guide/gain.md"), source) == (
        "# `OC1Classifier`\n\n[`OC1Classifier`](pruning.md), "
        "[`OC1Classifier`](../api/OC1Classifier.rst) and `ID3Classifier`"
    )


def test_bars_are_as_high_as_the_text():
    found = mathml(r"\lVert x \rVert + |y|")
    assert found.count('stretchy="false">‖<') == 2
    assert found.count('stretchy="false">|<') == 2


def test_the_first_sentence_of_a_page_is_found():
    page = publish_doctree("Title\n=====\n\nOne *line* of text. Another one.\n")
    assert first_sentence(page) == "One line of text."
    raw = "Title\n=====\n\n.. raw:: html\n\n   <h2>x</h2><p class='a'>A &amp; B.\n   C</p>\n"
    assert first_sentence(publish_doctree(raw)) == "A & B."
    long = first_sentence(publish_doctree("word " * 100))
    assert len(long) <= 160
    assert long.endswith("word …")
    assert first_sentence(publish_doctree("Title\n=====\n")) == ""


@pytest.mark.parametrize(
    ("repository", "line"),
    [
        (None, "pip install .  # in a clone"),
        ("https://example.org/retree", "pip install git+https://example.org/retree"),
    ],
)
def test_each_page_says_how_to_install_from_the_address_that_is_set(repository, line, monkeypatch):
    monkeypatch.setattr(links, "repository", lambda: repository)
    templates = Path(build.__file__).parent / "templates"
    foot = jinja2.Environment(autoescape=True).from_string((templates / "foot.html").read_text())
    about = {"repository": repository, "install": links.install_line()}
    page = foot.render(retree_version="1", hasdoc=lambda page: False, **about)
    assert f"<code>{line}</code>" in page
    assert ("repository</a>" in page) == (repository is not None)


@pytest.mark.parametrize(
    "name", [n for n in retree.__all__ if hasattr(getattr(retree, n), "_repr_svg_")]
)
def test_the_tree_of_a_page_is_the_same_in_each_site(name):
    code = tree_example(getattr(retree, name))
    assert run_code(code).svg == run_code(code).svg


def test_a_line_that_begins_with_a_percent_sign_is_text(tmp_path, sphinx):
    (tmp_path / "source" / "extra").mkdir(parents=True)
    (tmp_path / "source" / "index.md").write_text("# Page\n\nMore than 80\n% of rows.\n")
    assert "% of rows" in (sphinx(tmp_path / "source") / "index.html").read_text()
