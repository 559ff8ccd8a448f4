"""A study whose every text is markup: nothing of it is acted on, in a page, a picture or a tree."""

import json
import re

import numpy as np
import pytest

from retree import C45Classifier
from retree_lab.cli import main
from retree_lab.reports.html import embedded, link
from retree_lab.reports.markup import inert
from retree_lab.reports.summary import PaperSummary, Rendered, write_index
from retree_lab.site.blocks import raw_markdown
from retree_lab.site.paper_pages import write_study_pages

# Each sets the title of the page if it runs.
SCRIPT = "<script>document.title='RUN'</script>"
IMAGE = "<img src=x onerror=\"document.title='RUN'\">"
LINKS = "![p](http://evil.example/p.png) [l](http://evil.example) [r]"
EVIL = f"{SCRIPT}{IMAGE} {LINKS} [a](javascript:document.title='RUN')"
CLICK = "document.querySelectorAll('a[href^=\"javascript:\" i]').forEach(a => a.click())"
BLOCK = f"Title {SCRIPT}\n\n```{{raw}} html\n{SCRIPT}\n```\n"
PAPER = {
    "title": BLOCK,
    "authors": EVIL,
    "reference": EVIL,
    "errata": [{"table": "table1", "dataset": EVIL, "metric": "accuracy", "reason": BLOCK}],
    "names": {"mine": EVIL},
    "items": {
        "table1": {
            "kind": "metric_table",
            "caption": EVIL,
            "metrics": ["accuracy"],
            "protocol": "cv5",
            "datasets": ["mine"],
            "methods": ["first", "second"],
        }
    },
}
# A heading is one line.
NOTES = f"# What is known\n\n## mine\n\n{BLOCK}\n## first {EVIL}\n\n{EVIL}\n"
METHODS = {
    key: {"name": f"{key} {EVIL}", "title": EVIL, "estimator": "c45"} for key in ("first", "second")
}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """The folder of the study, computed and rendered."""
    folder = tmp_path_factory.mktemp("studies") / "evil"
    for part in ("methods", "datasets"):
        (folder / part).mkdir(parents=True)
    (folder / "paper.yaml").write_text(json.dumps(PAPER))
    (folder / "notes.md").write_text(NOTES)
    (folder / "methods" / "all.yaml").write_text(json.dumps(METHODS))
    about = {"file": "mine.csv", "target": "class", "title": EVIL, "note": EVIL}
    (folder / "datasets" / "mine.yaml").write_text(json.dumps(about))
    name = IMAGE.replace('"', '""')
    rows = "".join(f'{i % 7},"{SCRIPT if i % 2 else name}"\n' for i in range(40))
    (folder / "mine.csv").write_text(f'"{name}",class\n{rows}')
    assert main(["run", "--report", "-j", "1", "--study", str(folder), "item=all"]) == 0
    return folder


def titles(chromium, files):
    """Return the title of each page once its scripts and links have had their chance."""
    page, found = chromium.new_page(), {}
    for file in files:
        page.goto(file.as_uri())
        page.evaluate(CLICK)
        found[file] = page.title(), page.locator("article").all_inner_texts()
    page.close()
    return found


def test_rendered_markdown_has_no_tags(study):
    rendered = study / "results" / "evil"
    pages = list(rendered.rglob("*.md"))
    assert len(pages) >= 2
    for page in pages:
        text = page.read_text()
        assert "&lt;script>" in text
        assert inert(text) == text
        assert "![p](" not in text
        assert "[l](" not in text
        assert "[l]\\(http://evil.example)" in text


@pytest.mark.browser
def test_the_site_runs_nothing(study, tmp_path, sphinx, chromium):
    source = tmp_path / "source"
    (source / "extra").mkdir(parents=True)
    write_study_pages([study], source)
    (source / "index.md").write_text("# All\n\n```{toctree}\nstudies/index\n```\n")
    made = sphinx(source)
    found = titles(chromium, [made / "index.html", *(made / "studies").rglob("*.html")])
    assert len(found) >= 4
    assert not [name for name, (title, _) in found.items() if title == "RUN"]
    pages = [page.read_text() for page in (made / "studies").rglob("*.html")]
    assert not [page for page in pages if re.search(r"""(?:src|href)=["']http://evil""", page)]
    # It is shown as it was written, escaped once.
    table = "".join(found[made / "studies" / "evil" / "table1.html"][1]).partition("misprint")[0]
    assert SCRIPT in table
    assert "&lt;" not in table


@pytest.mark.browser
def test_the_page_of_the_quickstart_runs_nothing(tmp_path, chromium):
    picture = tmp_path / f"{IMAGE[:4]}.svg"
    picture.write_text(f"<title>{EVIL}</title><desc>{EVIL}</desc>")
    item = Rendered("table1", EVIL, [], f"<p>{inert('a')}</p>", [picture])
    summary = PaperSummary("evil", EVIL, [item], 1, tmp_path / "README.md")
    index = write_index(tmp_path, [summary], [EVIL])
    assert titles(chromium, [index])[index][0] == "Decision-tree papers, regenerated"


@pytest.mark.browser
def test_a_tree_runs_nothing(tmp_path, chromium):
    X, y = np.arange(8.0).reshape(-1, 1), np.array([SCRIPT, IMAGE] * 4)
    shown = C45Classifier(min_cases=1, pruning=None).fit(X, y)._repr_mimebundle_()["text/html"]
    file = tmp_path / "tree.html"
    file.write_text(f"<!doctype html><title>A tree</title>{shown}")
    assert titles(chromium, [file])[file][0] == "A tree"


def test_links_to_scripts_are_words():
    for scheme in ("javascript:x()", "JavaScript:x()", "java\tscript:x()", "data:text/html,x"):
        assert link(scheme, "a") == "a"
    for target in ("https://a.b/c:d", "a.html#b:c", "#b", "../x/y.html"):
        assert link(target, "a") == f'<a href="{target}">a</a>'


def test_nothing_ends_data_in_a_page():
    for words in ("</script>", "<!--<script>", EVIL):
        shown = embedded({"a": words})
        data = shown.removeprefix('<script type="application/json">').removesuffix("</script>")
        assert "<" not in data
        assert json.loads(data) == {"a": words}


def test_nothing_ends_a_block_of_html():
    fence = raw_markdown("a\n``````\nb").splitlines()
    assert fence[0] == "```````{raw} html"
    assert fence[-1] == "```````"
