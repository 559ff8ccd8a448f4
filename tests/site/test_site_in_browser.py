from __future__ import annotations

import csv
from pathlib import Path
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe

from retree_lab.reports.comparison import Word
from retree_lab.reports.summary import PaperSummary, write_index
from retree_lab.site.guide import title_of

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
TABLE = "papers/structure_purity/table2.html"

pytestmark = pytest.mark.browser

AXE = {
    "resultTypes": ["violations"],
    # Files may not ask for their own style sheets, which only rules for phones on their side need.
    "preload": False,
    # Contrast is looked at by the page checks, in both schemes.
    "rules": {"color-contrast": {"enabled": False}},
}
CHECKS = (Path(__file__).parent / "page_checks.js").read_text()
KINDS = (
    *(
        "index",
        "claims",
        "explorer",
        "findings",
        "changes",
        "search",
        "methods/index",
        "methods/bnm_gini",
        "api/index",
    ),
    *("api/C45Classifier", "gallery/index", "gallery/plot_oblique_boundary", "guide/pruning"),
    "guide/papers/structure_purity",
    *("papers/structure_purity/index", "papers/structure_purity/table2"),
    *("papers/structure_purity/claims", "papers/structure_purity/interpretations"),
    *("papers/structure_purity/figure2", "papers/structure_purity/folds/sonar"),
    *("papers/cmdt/table6", "papers/forest_thinning/table3", "papers/latent_space/table2"),
    *("papers/latent_space/table1", "papers/pruning/table1", "papers/structure_purity/table4"),
    *("papers/cmdt/effects", "papers/cmdt/ranks", "papers/cmdt/weka", "papers/cmdt/folds/car"),
    *("papers/structure_purity/folds/interpretations_values", "papers/forest_thinning/figures"),
    *("papers/forest_thinning/ranks", "papers/pruning/folds/table1_values"),
    *("papers/forest_thinning/folds/ensembles_values", "papers/latent_space/index"),
    *("papers/cmdt/index", "papers/hundreds/index", "papers/openml/index"),
    "papers/structure_purity/judged",
    "papers/structure_purity/chance",
    "source/src/retree/trees/structure/structure_trees",
)
# Of a site of few papers.
OF_FEW = (
    *("claims", "explorer", "papers/breiman1996/index", "papers/murthy1994/index"),
    *("papers/murthy1994/table1", "papers/murthy1994/folds/search1_values"),
    "papers/pruning/folds/table1_values",
)


def axe_violations(page):
    found = Axe().run(page, options=AXE).response["violations"]
    return {v["id"]: [node["html"][:120] for node in v["nodes"]] for v in found}


@pytest.mark.parametrize(
    ("results", "name"),
    [*(("all", name) for name in KINDS), *(("few", name) for name in OF_FEW)],
    indirect=["results"],
)
def test_a_page_can_be_read_and_used_by_anybody(open_page, name):
    page, found = open_page(f"{name}.html", viewport=DESK), {}
    found["axe"] = axe_violations(page)
    for screen in (DESK, PHONE):
        page.set_viewport_size(screen)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found[screen["width"], scheme] = page.evaluate(CHECKS)
    assert not any(found.values()), found
    assert page.complaints == []


def test_the_checks_find_what_is_wrong(open_page):
    page = open_page("index.html", viewport=PHONE)
    page.set_content(
        "<article><h1>A</h1><h3>B</h3><img src='data:,'><input><button></button>"
        "<p style='color: #999; background: #fff; width: 500px'>pale</p></article>"
    )
    problems = [problem.partition(":")[0] for problem in page.evaluate(CHECKS)]
    assert "contrast 2.85" in problems
    assert "the page is wider than the screen" in problems
    assert axe_violations(page).keys() >= {"heading-order", "image-alt", "label", "button-name"}


def test_a_wide_table_scrolls_in_its_box_under_its_first_column(open_page):
    page = open_page(TABLE, viewport=PHONE)
    box = page.locator(".rt-box").first
    head = box.locator("tbody th").first
    before = head.bounding_box()["x"]
    assert box.evaluate("box => (box.scrollLeft = 300, box.scrollLeft)") == 300
    assert head.bounding_box()["x"] == pytest.approx(before, abs=1)


def column(page, index):
    cells = page.locator("table.rt-cells").first.locator(f"tbody tr > :nth-child({index + 1})")
    return cells.all_inner_texts()


def values_of(results, method):
    with (results / "structure_purity" / "table2.csv").open() as file:
        rows = [r for r in csv.DictReader(file) if (r["method"], r["metric"]) == method]
    return {row["dataset"]: float(row["reproduced"]) for row in rows}


def head_of(page, index):
    return page.locator("table.rt-cells").first.locator("thead th").nth(index)


def test_sorting_by_mouse(open_page, results):
    page = open_page(TABLE)
    values = values_of(results, ("C4.5", "accuracy"))
    head = head_of(page, 1)
    assert head.get_attribute("aria-sort") == "none"
    assert column(page, 0) == list(values)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, 0) == sorted(values, key=values.get)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, 0) == sorted(values, key=values.get, reverse=True)


def test_sorting_by_keyboard(open_page, results):
    page = open_page(TABLE)
    names = list(values_of(results, ("C4.5", "accuracy")))
    head_of(page, 0).locator("button").focus()
    page.keyboard.press("Enter")
    folded = sorted(names, key=str.casefold)
    assert column(page, 0) == folded
    page.keyboard.press("Space")
    assert column(page, 0) == folded[::-1]
    page.keyboard.press("Tab")  # the link to the method
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert head_of(page, 1).get_attribute("aria-sort") == "ascending"


def test_differences_are_shown_and_sorted_with_their_sign(open_page):
    page = open_page(TABLE)
    page.get_by_label("Show").first.select_option("difference")
    head_of(page, 1).locator("button").click()
    texts = [text.split()[0] for text in column(page, 1)]
    assert all(text[0] in "+−" for text in texts)
    shown = [float(text.replace("−", "-")) for text in texts]
    assert shown == sorted(shown)


def test_values_without_a_difference_come_last(open_page):
    page = open_page("papers/latent_space/table3.html")
    page.get_by_label("Show").first.select_option("difference")
    cells = page.locator("table.rt-cells").first.locator("tbody tr > :nth-child(3)")
    for _ in range(2):
        head_of(page, 2).locator("button").click()
        shown = cells.evaluate_all("cells => cells.map(cell => cell.dataset.difference ?? '')")
        blank = [text == "" for text in shown]
        assert any(blank)
        assert blank == sorted(blank)


def test_means_are_not_sorted(open_page):
    page = open_page("papers/cmdt/table5.html")
    page.locator("table.rt-cells thead button").nth(1).click()
    foot = page.locator("table.rt-cells tfoot tr").first
    assert foot.locator("th").inner_text() == "mean"
    assert "mean" not in column(page, 0)


def test_the_note_on_a_cell_is_shown_to_mouse_and_keys(open_page):
    page = open_page(TABLE)
    tip, cells = page.locator(".rt-tip"), page.locator("table.rt-cells").first.locator("tbody td a")
    assert tip.is_hidden()
    cells.nth(0).hover()
    shown = tip.inner_text()
    for part in ("diabetes · C4.5", "s = 0.0353 over 5 folds", "difference", "one replicate"):
        assert part in shown
    assert "p = " in shown
    cells.first.focus()
    page.keyboard.press("ArrowRight")
    assert "diabetes · J48" in tip.inner_text()
    page.keyboard.press("ArrowDown")
    assert "yeast_banlance · J48" in tip.inner_text()
    page.keyboard.press("Escape")
    assert tip.is_hidden()


def test_the_note_stays_when_arrow_keys_scroll(open_page):
    page = open_page(TABLE, viewport={"width": 1280, "height": 400})
    page.locator("table.rt-cells tbody td a").first.focus()
    before = page.evaluate("window.scrollY")
    for _ in range(12):
        page.keyboard.press("ArrowDown")
    page.wait_for_timeout(200)
    assert page.evaluate("window.scrollY") > before
    tip = page.locator(".rt-tip")
    assert "appendicitis · C4.5" in tip.inner_text()
    assert 0 <= tip.bounding_box()["y"] < 400


def test_enter_leads_to_the_folds(open_page):
    page = open_page(TABLE)
    page.locator("table.rt-cells tbody td a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/folds/diabetes.html#table2-c4-5")
    assert page.locator("h2", has_text="C4.5").first.is_visible()


def test_a_first_touch_shows_the_note_and_a_second_follows_the_link(open_page):
    page = open_page(TABLE, viewport=PHONE, has_touch=True)
    number = page.locator("table.rt-cells").first.locator("tbody td a").first
    number.tap()
    tip = page.locator(".rt-tip")
    assert "diabetes · C4.5" in tip.inner_text()
    box = tip.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    number.tap()
    page.wait_for_url("**/folds/diabetes.html*")


def printed(page):
    """The open printed table of a paper's page: its part, the count beside it, and the box."""
    part = page.locator("details.rt-printed").first
    return part, part.locator("output"), part.locator(".rt-one")


def test_switches_choose_among_what_was_judged(open_page, papers):
    page = open_page("papers/structure_purity/index.html")
    part, count, _ = printed(page)
    (table,) = (
        own
        for paper in papers
        for own in paper.rendered.tables
        if (paper.name, own.item) == ("structure_purity", "table2")
    )
    seen = set()
    for view in table.views():
        part.locator(f"input[value={view.choice}]").check()
        assert count.inner_text().startswith(f"{view.counts[Word.MATCH]} of 168 match")
        classes = part.locator("td[data-s]").evaluate_all("cells => cells.map(c => c.classList[0])")
        assert classes == [f"d{level + 3}" for level in view.levels.values()]
        seen.add(tuple(classes))
    assert len(seen) == 2
    assert part.locator("td.rt-fit").count() == 84


def test_a_printed_number_is_reached_told_and_kept_in_the_address(open_page):
    page = open_page("papers/structure_purity/index.html")
    part, _, box = printed(page)
    assert box.is_hidden()
    part.locator("td[data-s]").first.focus()
    for key in ("ArrowDown", "ArrowRight", "Home", "ArrowRight", "End"):
        page.keyboard.press(key)
    assert "yeast_banlance, BNM+CSN+Gini" in box.inner_text()
    assert "Published 0.7244, ours 0.7" in box.inner_text()
    assert box.locator("circle").count() == 20
    command = "retree show structure_purity table2 yeast_banlance BNM+CSN+Gini --metric accuracy"
    assert command in box.inner_text()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("0.7244, ")
    part.locator("input[value=inside]").check()
    again = open_page("papers/structure_purity/index.html")
    again.goto(page.url)
    again.reload()
    part, count, box = printed(again)
    assert part.locator("input[value=inside]").is_checked()
    assert count.inner_text().startswith(f"{count.inner_text().split()[0]} of 168 match, ")
    assert "yeast_banlance, BNM+CSN+Gini" in box.inner_text()
    again.keyboard.press("Tab")
    box.get_by_text("folds, parameters and source").click()
    again.wait_for_url("**/folds/yeast-banlance.html#table2-bnm-plus-csn-plus-gini")
    assert page.complaints == again.complaints == []


def test_on_a_phone_the_number_is_told_at_the_bottom(open_page):
    page = open_page("papers/structure_purity/index.html", viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollHeight") < 8000
    part, _, box = printed(page)
    part.locator("td[data-s]").nth(8).click()
    page.wait_for_timeout(100)
    place = box.bounding_box()
    assert place["y"] + place["height"] == pytest.approx(PHONE["height"], abs=1)
    box.get_by_role("button", name="close").click()
    assert box.is_hidden()


def test_a_printed_table_needs_no_script(open_page):
    page = open_page("papers/structure_purity/index.html", java_script_enabled=False)
    part, count, _ = printed(page)
    assert count.inner_text().startswith("128 of 168 match, ")
    assert part.locator("form").is_hidden()
    assert part.locator("td.d0, td.d1, td.d5, td.d6").count() > 20
    assert part.locator("tbody tr").count() == 21


def test_marks_are_read_in_words(open_page):
    page = open_page(TABLE)
    labels = page.locator(".rt-marks").evaluate_all("marks => marks.map(m => m.ariaLabel)")
    assert "match, significantly smaller, parameters chosen on the test rows" in labels
    assert not [label for label in labels if set(label) & set("✓≈✗?▲▼‡")]


def test_commands_are_copied(open_page):
    page = open_page(
        "papers/structure_purity/folds/sonar.html",
        permissions=["clipboard-read", "clipboard-write"],
    )
    page.locator(".rt-copy").first.click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "retree show structure_purity table2 sonar gain_ratio"


def test_schemes_differ(open_page):
    paint = "getComputedStyle(document.body).backgroundColor"
    light, dark = (
        open_page("index.html", color_scheme=s).evaluate(paint) for s in ("light", "dark")
    )
    assert light != dark


@pytest.mark.parametrize(
    ("words", "titles"),
    [
        ("twoing", {"OC1", "CART-LC"}),
        ("install", {"Frequently asked questions"}),
        ("export_text", {title_of("C45Classifier"), "Coming from Weka"}),
    ],
)
def test_search_works_from_the_file_system(open_page, words, titles):
    page = open_page("search.html")
    page.goto(f"{page.url}?q={words}")
    page.locator("#search-results .search-summary", has_text="matching").wait_for(timeout=10_000)
    assert titles <= set(page.locator("#search-results li a").all_inner_texts())
    page.locator("#search-results li > .rt-snippet").first.wait_for(timeout=10_000)
    assert page.complaints == []


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("C4.5 python", "C45Classifier"),
        ("J48", "C45Classifier"),
        ("decision tree python", "CartClassifier"),
    ],
)
def test_the_search_names_an_estimator_first(open_page, words, first):
    page = open_page("search.html")
    page.goto(f"{page.url}?q={quote(words)}")
    page.locator("#search-results .search-summary", has_text="matching").wait_for(timeout=10_000)
    assert page.locator("#search-results li a").first.inner_text() == title_of(first)


def test_the_page_of_the_quickstart_is_read_by_anybody_on_a_phone(chromium, tmp_path):
    page = chromium.new_page(viewport=PHONE)
    summary = PaperSummary("A & B 1999", "T " + "long_" * 30, [], 3, tmp_path / "README.md")
    page.goto(write_index(tmp_path, [summary], ["Said first."]).as_uri())
    assert axe_violations(page) == {}
    assert page.locator("main section h2").inner_text() == "A & B 1999"
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.close()
