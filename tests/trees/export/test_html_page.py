"""Trees as HTML pages, looked at in a browser."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from kinds import ALL, MIXED, NEAREST, make_tree, names_of, random_trees
from real_sets import read_set
from sklearn.datasets import load_iris

from retree import C45Classifier, CartRegressor, OC1Classifier
from retree.trees.export.explained import leaf_shares
from retree.trees.export.html import export_html

HOSTILE = ['</script><script>document.title="no"</script>', '"><img src=x onerror=alert(1)>', "&"]


@pytest.fixture(scope="module")
def tree_page(chromium):
    page = chromium.new_page()
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("request", lambda request: page.asked.append(request.url))
    yield page
    page.close()


@pytest.fixture
def opened(tree_page, tmp_path):
    """Show a page, with what the browser complains of in ``page.complaints``."""

    def go(html):
        (tmp_path / "tree.html").write_text(str(html), encoding="utf-8")
        tree_page.complaints, tree_page.asked = [], []
        tree_page.goto((tmp_path / "tree.html").as_uri())
        return tree_page

    return go


@settings(max_examples=25)
@given(random_trees())
def test_every_node_stands_on_the_page_once(tree):
    page = str(export_html(tree, **names_of(tree)))
    found = re.findall(r'id="n(\d+)"', page)
    assert found == [str(node) for node in range(tree.node_count)]
    assert page.count("<details") == (~tree.is_leaf).sum()
    assert page.count("<details>") + page.count("<details open>") == page.count("</details>")


@pytest.mark.parametrize("name", ALL)
def test_all_kinds_of_trees_are_shown(name, opened):
    page = opened(export_html(ALL[name], **names_of(ALL[name]), open_depth=9))
    assert page.complaints == []
    assert len(page.asked) == 1
    assert page.locator("#info").inner_text()


@pytest.mark.browser
def test_names_are_text_only(opened):
    names = {
        "feature_names": HOSTILE,
        "class_names": HOSTILE,
        "levels": [None, None, [*HOSTILE, "x"]],
    }
    page = opened(export_html(MIXED, **names, title=HOSTILE[0], open_depth=9))
    assert page.complaints == []
    assert page.title() == HOSTILE[0]
    assert page.locator("img").count() == 0
    assert HOSTILE[1] in page.locator("#row").inner_text()


@pytest.mark.browser
def test_nodes_open_and_close_by_keyboard(opened):
    page = opened(export_html(MIXED, **names_of(MIXED), open_depth=0))
    assert not page.locator("#n1").is_visible()
    page.locator("#n0").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.id") == "n1"
    page.keyboard.press("Enter")
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.id") == "n6"
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "n5"
    assert "colour = grey" in page.locator("#info").inner_text()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.id") == "n1"
    page.keyboard.press("ArrowLeft")
    assert not page.locator("#n2").is_visible()
    page.get_by_role("button", name="Open all").click()
    assert page.locator("#n9").is_visible()
    page.get_by_role("button", name="Close all").click()
    assert not page.locator("#n1").is_visible()
    assert page.complaints == []


@pytest.mark.browser
def test_the_node_under_the_pointer_is_described(opened):
    page = opened(export_html(MIXED, **names_of(MIXED), open_depth=9))
    page.locator("#n8").hover()
    text = page.locator("#info").inner_text()
    assert "5 rows" in text
    assert "4 (80 %)" in text
    assert "-0.5 width + 1 height <= 3" in text
    assert page.locator("#info li").all_inner_texts() == [
        "width > 2.5",
        "colour in {red, blue}",
        "-0.5 width + 1 height <= 3",
    ]


def ends(page, row):
    """Return the leaves that the page finds for a row, and what part of it."""
    page.get_by_role("button", name="Clear").click()
    for field in page.locator("[data-feature]").all():
        value = row[int(field.get_attribute("data-feature"))]
        if np.isnan(value):
            continue
        if field.evaluate("e => e.tagName") == "SELECT":
            field.select_option(f"{value:g}")
        else:
            field.fill(repr(float(value)))
    page.get_by_role("button", name="Find").click()
    return dict(json.loads(page.evaluate("document.body.dataset.ends")))


@pytest.mark.browser
@pytest.mark.parametrize(
    "model",
    [C45Classifier(pruning=None), C45Classifier(binary_splits=True, pruning=None)],
)
def test_the_page_finds_the_leaves_of_rows_with_missing_values(model, opened):
    X, y = read_set("heart_c")
    X = X.mask(np.random.RandomState(0).random_sample(X.shape) < 0.1)
    model.fit(X, y)
    page, rows = opened(model.export_html()), model.checked_rows(X)
    for i in range(2):
        expected = leaf_shares(model.tree_, rows[i : i + 1], True)
        assert ends(page, rows[i]) == pytest.approx(expected)
        leaf = max(expected, key=expected.get)
        assert page.locator(f"#n{leaf}").is_visible()
        assert "on" in page.locator(f"#n{leaf}").get_attribute("class")
    assert page.complaints == []


@pytest.mark.browser
@pytest.mark.parametrize("cls", [OC1Classifier, CartRegressor])
def test_the_page_finds_the_leaf_of_oblique_and_regression_trees(cls, opened):
    X, y = load_iris(return_X_y=True)
    model = cls(random_state=0).fit(X, y)
    page = opened(model.export_html())
    for i in (0, 70, 133):
        assert ends(page, X[i]) == {int(model.apply(X[i : i + 1])[0]): 1}
    assert page.complaints == []


@pytest.mark.browser
def test_dark_mode(opened):
    page = opened(export_html(MIXED, **names_of(MIXED)))
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 28)"
    page.emulate_media(color_scheme="light")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == light


@pytest.mark.browser
def test_a_notebook_shows_the_page_in_a_frame(opened):
    page = opened(export_html(MIXED, **names_of(MIXED))._repr_html_())
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Open all").click()
    assert frame.locator("#n9").is_visible()
    frame.get_by_role("button", name="Find").click()
    assert "The row ends in" in frame.locator("#said").inner_text()
    assert page.complaints == []


def test_a_page_grows_with_the_nodes_and_not_with_their_paths():
    pages = []
    for depth in (50, 100, 200):
        children = [c for i in range(depth) for c in ([2 * i + 1, 2 * i + 2], [])] + [[]]
        tests = {2 * i: 0 for i in range(depth)}
        tree = make_tree(children, [[1, 1, 1]] * len(children), feature=tests, threshold=tests)
        pages.append(len(str(export_html(tree, **names_of(tree)))))
    assert pages[2] - pages[1] < 2.2 * (pages[1] - pages[0])


def test_no_path_is_looked_for_through_centres():
    assert 'id="row"' not in str(export_html(NEAREST, **names_of(NEAREST)))


def test_a_page_is_written_to_a_file(tmp_path):
    found = export_html(MIXED, **names_of(MIXED))
    found.write(tmp_path / "tree.html")
    assert (tmp_path / "tree.html").read_text(encoding="utf-8") == str(found) == found.page
    with pytest.raises(ValueError, match="open_depth"):
        export_html(MIXED, **names_of(MIXED), open_depth=-1)
