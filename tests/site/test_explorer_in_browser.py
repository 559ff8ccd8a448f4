"""The explorer in a browser."""

import shlex

import pytest
from pages import decoded

from retree.experiments.definition.paper_config import load_paper
from retree.reports.headlines import count_headlines, headline_words
from retree.reports.rendered_tables import read_comparisons

pytestmark = pytest.mark.browser
PAGE = "explorer.html"
PHONE = {"width": 390, "height": 844}


def texts(page, column):
    return page.locator(f".rt-explored tbody td[data-head='{column}']").all_inner_texts()


def test_a_choice_filters_table_and_marks_and_stands_in_the_address(open_page, explored):
    page = open_page(PAGE)
    page.locator("select[name=paper]").select_option("cmdt")
    page.locator("select[name=item]").select_option("table6")
    wanted = [
        r for r in decoded(explored, "numbers") if (r["paper"], r["item"]) == ("cmdt", "table6")
    ]
    assert page.url.endswith("#paper=cmdt&item=table6")
    assert texts(page, "published") == [f"{r['published']:g}" for r in wanted]
    assert f"{len(wanted)} numbers" in page.locator(".rt-said").inner_text()
    assert page.complaints == []


def test_it_counts_as_every_other_page_does(open_page, results):
    counts = count_headlines(read_comparisons(results), ["paper"])
    for row in counts.to_dict("records"):
        page = open_page(f"{PAGE}#paper={row['paper']}")
        words = headline_words(row, load_paper(row["paper"]).not_judged).replace(",", "")
        assert page.locator(".rt-said").inner_text() == f"{row['published']} numbers; {words}"


def test_the_address_brings_the_choice_back(open_page):
    page = open_page(f"{PAGE}#paper=structure_purity&method=Gini&metric=leaves&sort=off")
    assert set(texts(page, "method")) == {"Gini"}
    assert set(texts(page, "quantity")) == {"leaves"}
    shares = [abs(float(t.split()[0].replace("−", "-"))) for t in texts(page, "difference")]
    assert shares == sorted(shares, reverse=True)
    assert len(shares) == page.locator(".rt-scatter path").count()


def test_a_mark_and_its_row_lead_to_each_other_and_to_the_command(open_page):
    page = open_page(
        f"{PAGE}#paper=structure_purity&item=table2&method=Gini&dataset=sonar",
        permissions=["clipboard-read", "clipboard-write"],
    )
    page.locator(".rt-scatter path").click()
    assert "row=" in page.url
    assert page.locator(".rt-open").get_attribute("aria-expanded") == "true"
    assert "5 folds in each of 20 replicates" in page.locator(".rt-detail").inner_text()
    page.locator(".rt-copy").click()
    command = page.evaluate("navigator.clipboard.readText()")
    wanted = ["retree", "show", "structure_purity", "table2", "sonar", "Gini"]
    assert shlex.split(command) == [*wanted, "--metric", "accuracy"]
    page.get_by_role("link", name="folds, parameters and source").click()
    page.wait_for_url("**/structure_purity/folds/sonar.html#table2-gini")


def test_it_is_used_by_the_keyboard(open_page):
    page = open_page(PAGE)
    page.get_by_label("Sort by").focus()
    page.keyboard.press("ArrowDown")
    assert "sort=off" in page.url
    page.locator(".rt-open").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".rt-detail").is_visible()
    assert page.evaluate("document.activeElement.ariaExpanded") == "true"
    page.keyboard.press("Enter")
    assert page.locator(".rt-detail").count() == 0


def test_claims_are_filtered_and_sorted(open_page):
    page = open_page(f"{PAGE}#view=claims&paper=latent_space")
    assert page.locator(".rt-explored tbody tr").count() > 30
    page.get_by_label("Here").select_option("possible")
    assert set(texts(page, "here")) == {"possible"}
    page.get_by_label("Sort by").select_option("share")
    shares = [text.split(" of ")[0] for text in texts(page, "holds in") if text]
    assert shares == sorted(shares, key=float, reverse=True)
    assert page.complaints == []


def test_more_rows_are_shown_on_demand_on_a_phone(open_page):
    page = open_page(PAGE, viewport=PHONE)
    before = page.locator(".rt-explored tbody tr").count()
    page.get_by_role("button", name="more").click()
    assert page.locator(".rt-explored tbody tr").count() == 2 * before
