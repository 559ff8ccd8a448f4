from __future__ import annotations

import csv
import re
from collections import Counter
from urllib.parse import unquote, urlsplit

import pytest
from pages import Page

from retree.errors import RetreeError
from retree.experiments.config import load_paper
from retree.reports.comparison import CSV_COLUMNS
from retree.site import build_site
from retree.site.methods import equations_of, load_methods, own_pages, read_equations
from retree.study.composing import available

GREATEST_PAGE = 300_000


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


@pytest.fixture(scope="module")
def methods():
    return load_methods()


def numeric_tables(results):
    for path in sorted(results.glob("*/*.csv")):
        with path.open() as file:
            rows = csv.DictReader(file)
            if tuple(rows.fieldnames) == CSV_COLUMNS and path.parent.name in available("paper"):
                yield path, list(rows)


def test_every_link_leads_somewhere(site, pages):
    lost = []
    for path, page in pages.items():
        for target in page.links + page.embedded:
            parts = urlsplit(target)
            if parts.scheme in ("http", "https"):
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not file.is_file():
                lost.append(f"{path.relative_to(site)}: {target}")
            elif parts.fragment and file in pages and parts.fragment not in pages[file].ids:
                lost.append(f"{path.relative_to(site)}: {target} (no such anchor)")
    assert not lost


def test_nothing_is_loaded_from_elsewhere(site, pages):
    assert not [src for page in pages.values() for src in page.embedded if urlsplit(src).scheme]
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert not re.findall(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^)]*", styles)


def test_pages_are_small(site, pages):
    sizes = {str(path.relative_to(site)): path.stat().st_size for path in pages}
    assert {name: size for name, size in sizes.items() if size > GREATEST_PAGE} == {}


def test_elements_are_closed(pages):
    assert [path for path, page in pages.items() if page.open] == []


def test_every_paper_item_and_method_has_a_page(site, results, methods):
    papers = [name for name in available("paper") if (results / name / "README.md").exists()]
    assert papers
    for name in papers:
        folder = site / "papers" / name
        rendered = {path.name.partition(".")[0] for path in (results / name).iterdir()}
        items = rendered & set(load_paper(name).items)
        assert items
        assert {f"{item}.html" for item in items} <= {path.name for path in folder.iterdir()}
    found = {path.stem for path in (site / "methods").glob("*.html")} - {"index"}
    assert found == set(own_pages(methods))


def test_every_printed_cell_is_shown_with_its_verdict(site, pages, results):
    for path, rows in numeric_tables(results):
        page = pages[site / "papers" / path.parent.name / f"{path.stem}.html"]
        verdicts = Counter(row["verdict"] for row in rows)
        for verdict in ("agrees", "differs", "explained"):
            assert page.count("td", f"rt-{verdict}") == verdicts[verdict], (path, verdict)


def test_marks_are_those_of_the_rendered_tables(site, results):
    marked = 0
    for path, _ in numeric_tables(results):
        rows = re.findall(r"^\|.*$", path.with_suffix(".md").read_text(), flags=re.MULTILINE)
        page = (site / "papers" / path.parent.name / f"{path.stem}.html").read_text()
        shown = "".join(re.findall(r"<td[^>]*>([^<]*)</td>", page))
        for mark in "▲▼":
            assert shown.count(mark) == "".join(rows).count(mark), (path, mark)
            marked += shown.count(mark)
    assert marked


def test_the_start_page_counts_the_cells(site, results):
    text = re.sub(r"<wbr>", "", (site / "index.html").read_text())
    counts = {}
    for path, rows in numeric_tables(results):
        printed = [row for row in rows if row["published"] and row["verdict"]]
        counts.setdefault(path.parent.name, Counter()).update(row["verdict"] for row in printed)
    printed = {name: counter for name, counter in counts.items() if counter}
    assert printed
    for name, counter in printed.items():
        row = re.search(rf"<tr><th[^>]*><a[^>]*>{name}</a></th>(.*?)</tr>", text).group(1)
        cells = [re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)]
        agree, differ = counter["agrees"], counter["differs"]
        expected = [agree, counter["weak"], differ, counter["explained"], counter["missing"]]
        assert cells[2:] == [str(number) for number in expected]
        agree += counter["weak"]
        assert cells[1].strip() == f"{agree / (agree + differ):.0%}"


def test_every_claim_is_shown(site, results):
    text = (site / "claims.html").read_text()
    counts = Counter()
    for path in results.glob("*/claims.csv"):
        with path.open(newline="") as file:
            counts.update(row["ours"] == "yes" for row in csv.DictReader(file))
    for ours, label in ((False, "All claims"), (True, "Our own statements")):
        body = text.partition(f'aria-label="{label}"')[2].partition("</table>")[0]
        assert body.count("<tr>") == counts[ours] + 1 > 1


def test_every_method_that_is_run_has_an_equation_and_every_equation_a_method(site, methods):
    equations, used = read_equations(), []
    for key, method in methods.items():
        own = equations_of(method, equations)
        assert own or method.missing is not None, key
        used += own
    assert [equation["title"] for equation in equations if equation not in used] == []
    assert "<math" in (site / "methods" / "bnm_gini.html").read_text()


def test_another_folder_is_not_replaced(tmp_path, results):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(RetreeError, match="is not a site; choose another folder"):
        build_site(results, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_missing_packages_are_named(tmp_path, results, monkeypatch):
    monkeypatch.setattr("retree.site.build.PACKAGES", ("sphinx", "no_such_package"))
    with pytest.raises(RetreeError, match=r"needs no_such_package; install .*retree\[dev\]"):
        build_site(results, tmp_path / "site")


def test_there_must_be_results(tmp_path):
    with pytest.raises(RetreeError, match="There is no page of a paper"):
        build_site(tmp_path / "nothing", tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_a_page_that_sphinx_warns_of_is_an_error(tmp_path, sphinx):
    (tmp_path / "extra").mkdir()
    (tmp_path / "index.md").write_text("# A paper\n\n$x^2$ as in [this](nowhere.md).\n")
    with pytest.raises(RetreeError, match=r"Sphinx warns:\n.*nowhere"):
        sphinx(tmp_path)
