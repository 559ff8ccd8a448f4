from __future__ import annotations

import csv
import shutil

import pytest
from playwright.sync_api import sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
PHONE = {"width": 390, "height": 844}
TABLE = "papers/structure_purity/table2.html"

pytestmark = pytest.mark.browser

# The contrast of an element's text with what is painted behind it (WCAG 2).
CONTRAST = """element => {
  const light = css => {
    const [r, g, b] = css.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  let behind = element;
  const paint = e => getComputedStyle(e).backgroundColor;
  while (/, 0\\)$|transparent/.test(paint(behind))) behind = behind.parentElement;
  const pair = [light(getComputedStyle(element).color), light(paint(behind))].sort((a, b) => b - a);
  return (pair[0] + 0.05) / (pair[1] + 0.05);
}"""


@pytest.fixture(scope="module")
def chromium():
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is on the PATH, so the site is not looked at")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, site):
    """Open a page of the site, with what the browser complains of in ``page.complaints``."""
    contexts = []

    def opened(name, **options):
        contexts.append(chromium.new_context(**options))
        page = contexts[-1].new_page()
        page.complaints = []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("requestfailed", lambda request: page.complaints.extend(_failure(request)))
        page.goto((site / name).as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()


def _failure(request):
    """Return what failed; leaving a page ends the loading of pictures below the screen."""
    return [] if request.failure == "net::ERR_ABORTED" else [f"{request.url}: {request.failure}"]


def test_every_page_loads_and_fits_a_phone(site, open_page):
    names = sorted(str(path.relative_to(site)) for path in site.rglob("*.html"))
    assert len(names) > 20
    page, wide = open_page(names[0], viewport=PHONE), {}
    for name in names:
        page.goto((site / name).as_uri())
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > PHONE["width"]:
            wide[name] = width
    assert wide == {}
    assert page.complaints == []


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


def test_sorting_by_mouse(open_page, results):
    page = open_page(TABLE)
    values = values_of(results, ("C4.5", "accuracy"))
    head = page.locator("table.rt-cells").first.locator("th[data-col='1']")
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
    button = page.locator("table.rt-cells").first.locator("th[data-col='0'] button")
    button.focus()
    page.keyboard.press("Enter")
    folded = sorted(names, key=str.casefold)
    assert column(page, 0) == folded
    page.keyboard.press("Space")
    assert column(page, 0) == folded[::-1]
    focused = "document.activeElement.closest('th')?.dataset.col"
    for _ in range(20):  # the remarks on the methods lie between
        page.keyboard.press("Tab")
        if page.evaluate(focused) == "1":
            break
    page.keyboard.press("Enter")
    sorted_heads = page.locator("th[aria-sort='ascending']")
    assert sorted_heads.get_attribute("data-col", timeout=2000) == "1"


def test_differences_are_sorted_by_their_value_with_their_sign(open_page):
    page = open_page(TABLE)
    page.locator("table.rt-cells").first.locator("th[data-col='3'] button").click()
    texts = [text.split()[1] for text in column(page, 3)]
    assert all(text[0] in "+−" for text in texts)
    shown = [float(text.replace("−", "-")) for text in texts]
    assert shown == sorted(shown)


def test_missing_numbers_come_last(open_page):
    page = open_page("papers/latent_space/table3.html")
    button = page.locator("table.rt-cells").first.locator("th[data-col='5'] button")
    for _ in range(2):
        button.click()
        shown = column(page, 5)
        assert "—" in shown
        assert "—" not in shown[: shown.index("—")] + [t for t in shown if t != "—"]
        assert set(shown[shown.index("—") :]) == {"—"}


def test_what_is_behind_a_cell_is_told_to_mouse_and_keys(open_page):
    page = open_page(TABLE)
    tip, cells = page.locator(".rt-tip"), page.locator("table.rt-cells").first.locator("tbody td")
    assert tip.is_hidden()
    cells.nth(2).hover()
    told = tip.inner_text()
    for part in ("diabetes · C4.5", "s = 0.0335, 5 folds", "printed 0.6810", "one run", "differs"):
        assert part in told
    assert "p = " in told
    cells.first.focus()
    page.keyboard.press("ArrowRight")
    assert "diabetes · C4.5 (pruned)" in tip.inner_text()
    page.keyboard.press("ArrowDown")
    assert "yeast_banlance · C4.5 (pruned)" in tip.inner_text()
    page.keyboard.press("Escape")
    assert tip.is_hidden()


def test_what_is_behind_a_cell_is_told_to_a_finger(open_page):
    page = open_page(TABLE, viewport=PHONE, has_touch=True)
    page.locator("table.rt-cells").first.locator("tbody td").first.tap()
    tip = page.locator(".rt-tip")
    assert "diabetes · C4.5" in tip.inner_text()
    box = tip.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_on_verdicts_can_be_read(open_page, scheme):
    found = set()
    for name in (TABLE, "papers/structure_purity/table4.html"):
        page = open_page(name, color_scheme=scheme)
        for verdict, sign in (("agrees", "✓"), ("differs", "✗"), ("explained", "†")):
            cell = page.locator(f"td.rt-{verdict}").first
            if cell.count():
                found.add(verdict)
                assert cell.inner_text().startswith(sign)
                assert cell.evaluate(CONTRAST) >= 4.5, (name, verdict)
        for selector in ("td", "th button", ".rt-legend"):
            assert page.locator(f"article {selector}").first.evaluate(CONTRAST) >= 4.5
    assert found == {"agrees", "differs", "explained"}


def test_schemes_differ(open_page):
    paint = "getComputedStyle(document.body).backgroundColor"
    light, dark = (
        open_page("index.html", color_scheme=s).evaluate(paint) for s in ("light", "dark")
    )
    assert light != dark


def test_search_works_from_the_file_system(open_page):
    page = open_page("search.html")
    page.goto(f"{page.url}?q=twoing")
    page.locator("#search-results .search-summary", has_text="matching").wait_for(timeout=10_000)
    titles = page.locator("#search-results li a").all_inner_texts()
    assert {"OC1", "CART-LC"} <= set(titles)
    assert page.complaints == []
