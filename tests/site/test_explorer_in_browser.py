"""The explorer in a browser."""

import shlex

import pytest
from pages import decoded, on_few_too

from retree_lab.reports.agreement import count_headlines, read_comparisons
from retree_lab.reports.comparison import Word
from retree_lab.reports.register import COLUMNS

pytestmark = pytest.mark.browser
PAGE = "explorer.html"
PHONE = {"width": 390, "height": 844}
# The grid draws the rows that are in sight; its data are all of them, in their order.
DATA = "Tabulator.findTable('.rt-grid-place')[0].getData('active')"


@pytest.fixture
def explore(open_page):
    """Open the explorer with a choice, and wait for its rows."""

    def opened(choice="", **options):
        page = open_page(f"{PAGE}{choice and '#'}{choice}", **options)
        # The grid has a name when it is built: a click on a row before is lost.
        page.locator("[aria-label=Rows] .tabulator-row").first.wait_for()
        return page

    return opened


def values(page, name):
    return page.evaluate(f"{DATA}.map((row) => row['{name}'])")


def said(page):
    return page.locator(".rt-said").inner_text()


def choose(page, name, *labels):
    """Tick names in a list, and close it."""
    box = page.locator(f"details[data-name={name}]")
    box.locator("summary").click()
    for label in labels:
        box.get_by_label(label).check()
    page.keyboard.press("Escape")


@on_few_too
def test_a_number_that_somebody_else_copied_has_a_mark(explore, explored):
    page = explore("paper=breiman1996")
    rows = page.locator("[aria-label=Rows] .tabulator-row")
    assert all("§" in text for text in rows.all_inner_texts())
    rows.first.locator(".rt-open").click()
    assert f"§: {explored['copied']}." in page.locator("#rt-explorer").inner_text()
    assert page.complaints == []


def test_a_choice_filters_rows_and_marks_and_stands_in_the_address(explore, explored):
    page = explore("sort=published")
    choose(page, "paper", explored["papers"]["cmdt"]["called"])
    choose(page, "item", explored["items"]["table6"])
    wanted = [
        r for r in decoded(explored, "numbers") if (r["paper"], r["item"]) == ("cmdt", "table6")
    ]
    assert page.url.endswith("#sort=published&paper=cmdt&item=table6")
    assert values(page, "published") == sorted((r["published"] for r in wanted), reverse=True)
    assert said(page).startswith(f"{len(wanted)} number")
    assert page.complaints == []


def test_several_names_of_one_list_are_taken_and_back_undoes_each_choice(explore):
    page = explore()
    assert set(values(page, "paper")) == {"structure_purity"}
    sizes = [abs(value) for value in values(page, "off") if value is not None]
    assert sizes == sorted(sizes, reverse=True)
    choose(page, "paper", "He et al. 2009")
    assert set(values(page, "paper")) == {"structure_purity", "latent_space"}
    two = said(page)
    choose(page, "word", "off")
    assert set(values(page, "word")) == {"off"}
    page.go_back()
    assert said(page) == two
    page.go_back()
    assert set(values(page, "paper")) == {"structure_purity"}
    page.go_forward()
    assert said(page) == two


def test_words_are_searched_in_all_that_a_row_is_of(explore):
    page = explore("sort=off")
    box = page.locator(".rt-controls input[type=search]")
    box.fill("sonar Weka-not-there")
    assert "q=sonar" in page.url
    assert not values(page, "id")
    box.fill("sonar BNM")
    assert set(values(page, "dataset")) == {"sonar"}
    assert all("BNM" in method for method in values(page, "method"))
    page.go_back()
    assert "q=" not in page.url


# One paper, one kind of its numbers, and numbers of several.
CHOICES = (
    *({"paper": "cmdt"}, {"paper": "latent_space", "metric": "error_pct"}),
    *({"metric": "accuracy"}, {"dataset": "sonar"}),
)


@pytest.fixture(scope="module")
def cells(results):
    return read_comparisons(results)


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_it_counts_as_every_other_page_does(explore, cells, choice):
    for name, key in choice.items():
        cells = cells[cells[name] == key]
    page = explore("&".join(f"{name}={key}" for name, key in choice.items()))
    counts = count_headlines(cells, ["paper"])
    numbers = f"{counts['published'].sum():,} numbers"
    if len(counts) > 1:
        assert said(page) == f"{numbers} of {len(counts)} papers"
        return
    words = [f"{n:,} {word}" for word in Word if (n := counts[word].sum())]
    assert said(page) == ", ".join([numbers, *words])


def test_the_csv_of_a_selection_has_the_rows_of_the_register(explore, site):
    page = explore("metric=accuracy&metric=error_pct&sort=published")
    with page.expect_download() as found:
        page.get_by_role("button", name="Download these numbers (csv)").click()
    own = found.value.path().read_text().splitlines()
    whole = (site / "files" / "register" / "register.csv").read_text().splitlines()
    metric = list(COLUMNS).index("metric")
    assert own[0] == whole[0]
    assert len(own) > 200
    assert own[1:] == [
        line for line in whole[1:] if line.split(",")[metric] in ("accuracy", "error_pct")
    ]


@on_few_too
def test_its_commands_are_those_of_the_register(explore, site):
    page = explore()
    own = page.evaluate("retreeRows.csv(retreeRows.rows.numbers)")
    assert own == (site / "files" / "register" / "register.csv").read_text()


def test_the_address_brings_the_choice_back(explore):
    page = explore("paper=structure_purity&method=Gini&metric=leaves&sort=off")
    assert set(values(page, "method")) == {"Gini"}
    assert set(values(page, "metric")) == {"leaves"}
    sizes = [abs(value) for value in values(page, "off") if value is not None]
    assert sizes == sorted(sizes, reverse=True)
    assert page.locator(".rt-scatter canvas").get_attribute("data-marks") == str(len(sizes))


def test_a_row_leads_to_its_folds_and_to_the_command(explore):
    page = explore(
        "paper=structure_purity&item=table2&method=Gini&dataset=sonar",
        permissions=["clipboard-read", "clipboard-write"],
    )
    page.locator(".rt-scatter canvas").wait_for()
    wanted = "**row=structure_purity%2Ftable2%2Fsonar%2FGini%2Faccuracy"
    page.locator(".tabulator-row").click()
    page.wait_for_url(wanted)
    assert page.locator(".rt-open").get_attribute("aria-expanded") == "true"
    assert "5 folds in each of 20 replicates" in page.locator(".rt-chosen").inner_text()
    page.locator(".rt-copy").click()
    command = page.evaluate("navigator.clipboard.readText()")
    wanted = ["retree", "show", "structure_purity", "table2", "sonar", "Gini"]
    assert shlex.split(command) == [*wanted, "--metric", "accuracy"]
    page.get_by_role("link", name="folds, parameters and source").click()
    page.wait_for_url("**/structure_purity/folds/sonar.html#table2-gini")


def test_a_mark_opens_its_row(explore):
    page = explore("paper=structure_purity&item=table2&method=Gini&dataset=sonar")
    canvas = page.locator(".rt-scatter canvas")
    box = canvas.bounding_box()
    # A number alone is at the left end; its difference is the reach of the panel or less.
    places = [(0.12 + 0.005 * i, 0.05 + 0.02 * j) for i in range(5) for j in range(45)]
    for x, y in places:
        canvas.click(position={"x": x * box["width"], "y": y * box["height"]})
        if "row=" in page.url:
            break
    assert "row=structure_purity%2Ftable2%2Fsonar" in page.url


def test_it_is_used_by_the_keyboard(explore):
    page = explore("paper=structure_purity")
    page.get_by_role("button", name="difference").focus()
    page.keyboard.press("Enter")
    assert "sort=off" in page.url
    head = page.locator(".tabulator-col", has_text="difference")
    assert head.get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="difference").focus()
    page.keyboard.press("Enter")
    assert "dir=asc" in page.url
    page.locator(".rt-open").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator(".rt-open").nth(1).get_attribute("aria-expanded") == "true"
    assert page.evaluate("document.activeElement.ariaExpanded") == "true"
    page.keyboard.press("Enter")
    assert page.locator(".rt-chosen").inner_text() == ""


@on_few_too
def test_arrow_keys_reach_rows_that_are_out_of_sight(explore):
    page = explore("paper=murthy1994")
    page.locator(".rt-open").first.focus()
    keys = []
    for _ in range(40):
        keys.append(page.evaluate("document.activeElement.dataset.key"))
        page.keyboard.press("ArrowDown")
        # Nothing has the focus while the grid makes a row.
        moved = "(before) => ![before, undefined].includes(document.activeElement.dataset.key)"
        page.wait_for_function(moved, arg=keys[-1])
    assert keys == values(page, "key")[:40]


def test_claims_are_filtered_and_sorted(explore):
    page = explore("view=claims&paper=latent_space")
    assert len(values(page, "id")) > 30
    choose(page, "here", "not checkable")
    assert set(values(page, "here")) == {"not checkable"}
    page.get_by_role("button", name="holds in").click()
    shares = [share for share in values(page, "share") if share is not None]
    assert shares == sorted(shares, reverse=True)
    assert page.complaints == []


def test_only_the_rows_in_sight_are_on_the_page_on_a_phone_too(explore):
    page = explore("sort=off", viewport=PHONE)
    assert len(values(page, "id")) > 1000
    assert page.locator(".tabulator-row").count() < 100
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
