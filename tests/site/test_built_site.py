from __future__ import annotations

import csv
import html
import re
import struct
from collections import Counter
from functools import cache
from urllib.parse import unquote, urlsplit

import pytest
from pages import Page, on_few_too

import retree
from retree.errors import EXTRAS, RetreeError
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.reports.agreement import read_comparisons
from retree_lab.reports.comparison import CSV_COLUMNS
from retree_lab.reports.document import Table, TableCell, ToFolds, ToValues, slug
from retree_lab.reports.register import read_register
from retree_lab.site import build_site, links
from retree_lab.site.links import load_methods, own_pages
from retree_lab.site.method_pages import equations_of, read_equations
from retree_lab.site.social_picture import NAME as SOCIAL
from retree_lab.study.available import available

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


@cache
def file_at(folder, path):
    """Return the file that a link from a page in `folder` leads to, None if there is none."""
    file = (folder / unquote(path)).resolve()
    return file if file.is_file() else None


def test_every_link_leads_somewhere(site, pages):
    lost = []
    for path, page in pages.items():
        for target in dict.fromkeys(page.links + page.embedded):
            parts = urlsplit(target)
            if parts.scheme in ("http", "https"):
                continue
            file = file_at(path.parent, parts.path) if parts.path else path
            if file is None:
                lost.append(f"{path.relative_to(site)}: {target}")
            elif parts.fragment and file in pages and parts.fragment not in pages[file].ids:
                lost.append(f"{path.relative_to(site)}: {target} (no such anchor)")
    assert not lost


@on_few_too
def test_nothing_is_loaded_from_elsewhere(site, pages):
    assert not [src for page in pages.values() for src in page.embedded if urlsplit(src).scheme]
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert not re.findall(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^)]*", styles)


@on_few_too
def test_pages_are_small(site, pages):
    sizes = {str(path.relative_to(site)): path.stat().st_size for path in pages}
    assert {name: size for name, size in sizes.items() if size > GREATEST_PAGE} == {}


@on_few_too
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
    assert "<math" in (site / "methods" / "bnm_gini.html").read_text()


def shown_tables(papers):
    """The tables of the items that have a page, with the address of the page in the site."""
    for paper in papers:
        for item in paper.items:
            if page := paper.rendered.pages.get(item.name):
                tables = [block for block in page.blocks if isinstance(block, Table)]
                yield f"papers/{paper.name}/{item.name}.html", tables


def cells_of(tables):
    entries = [entry for table in tables for row in table.rows for entry in row]
    return [entry for entry in entries if isinstance(entry, TableCell)]


@on_few_too
def test_every_cell_is_shown_with_its_word(site, pages, papers):
    shown = Counter()
    for address, tables in shown_tables(papers):
        page, counts = pages[site / address], Counter(cell.word for cell in cells_of(tables))
        for word in ("match", "close", "off", "unchecked"):
            wanted = counts["not checkable" if word == "unchecked" else word]
            assert page.count("td", f"rt-{word}") == wanted, (address, word)
        shown += counts
    assert shown["match"] > 15 * len(papers)
    assert min(shown[word] for word in ("close", "off", "not checkable")) > 0


@on_few_too
def test_marks_are_those_of_the_tables(site, papers):
    marked = 0
    for address, tables in shown_tables(papers):
        shown = re.findall(r'<i class="rt-marks">([^<]*)</i>', (site / address).read_text())
        wanted = "".join(cell.marks for cell in cells_of(tables))
        for mark in "▲▼":
            assert "".join(shown).count(mark) == wanted.count(mark), (address, mark)
            marked += wanted.count(mark)
    assert marked


@on_few_too
def test_the_cards_of_the_start_page_count_the_cells(site, results, papers):
    text = re.sub(r"<wbr>", "", (site / "index.html").read_text())
    counts = {}
    for path, rows in numeric_tables(results):
        printed = [row for row in rows if row["published"] and row["verdict"]]
        counts.setdefault(path.parent.name, Counter()).update(row["verdict"] for row in printed)
    shown = 0
    for name, counter in counts.items():
        called = re.escape(html.escape(load_paper(name).called))
        card = re.search(rf"<article[^>]*><h3><a[^>]*>{called}</a>(.*?)</article>", text).group(1)
        match = sum(counter[v] for v in ("equal", "agrees", "weak"))
        others = counter["edge"] + counter["differs"]
        if match + others:
            bar = re.search(r"<p>([\d,]+ match[^<]*)</p>", card).group(1)
            parts = (part.split(" ", 1) for part in bar.split(", "))
            said = {word: int(n.replace(",", "")) for n, word in parts}
            assert said["match"] == match, name
            assert said.get("close", 0) + said.get("off", 0) == others, name
            assert sum(said.values()) == counter.total(), name
            shown += 1
    assert shown > len(papers) / 2


@on_few_too
def test_every_claim_is_shown_and_our_own_apart(site, results):
    text = (site / "claims.html").read_text()
    owners = Counter()
    for path in results.glob("*/claims.csv"):
        with path.open() as file:
            owners.update(row["ours"] for row in csv.DictReader(file))
    assert owners[""] > 10
    for owner, label in (("", "Every claim"), ("yes", "Every statement")):
        body = text.partition(f'aria-label="{label}"')[2].partition("</table>")[0]
        assert body.count("<tr>") == owners[owner] + 1
        assert "with honest selection</th>" in body


def test_every_method_that_is_run_has_an_equation_and_every_equation_a_method(methods):
    equations, used = read_equations(), []
    for key, method in methods.items():
        own = equations_of(method, equations)
        assert own or method.missing is not None, key
        used += own
    assert [equation["title"] for equation in equations if equation not in used] == []


def test_another_folder_is_not_replaced(tmp_path, results):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(RetreeError, match="is not a site; choose another folder"):
        build_site(results, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_missing_packages_are_named(tmp_path, results, monkeypatch):
    monkeypatch.setitem(EXTRAS, "site", ("sphinx", "no_such_package"))
    with pytest.raises(
        RetreeError, match=r"needs no_such_package: run pip install 'retree\[site\]'"
    ):
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


@on_few_too
def test_numbers_lead_to_their_folds_and_values(site, pages, papers):
    linked = 0
    for address, tables in shown_tables(papers):
        references = [
            cell.to for cell in cells_of(tables) if isinstance(cell.to, ToFolds | ToValues)
        ]
        wanted = Counter(
            f"folds/{slug(to.dataset) if isinstance(to, ToFolds) else f'{to.item}_values'}.html"
            f"#{to.place}"
            for to in references
        )
        shown = Counter(link for link in pages[site / address].links if link.startswith("folds/"))
        assert shown == wanted, address
        linked += len(references)
    assert linked > 100 * len(papers)


def test_a_data_set_has_its_numbers_of_all_papers(site, pages, papers, results):
    """Every number that has a verdict, each with a link to its folds where there is a page."""
    page = site / "datasets" / "iris.html"
    own = read_register(read_comparisons(results), [files.paper for files in papers])
    # A statistic that is computed from a published table has no data set to fit on.
    own = own[own["dataset"].isin(["iris", "59 iris"]) & own["dataset_key"].ne("")]
    assert own["paper"].nunique() > 3
    table = page.read_text().partition("All numbers")[2].partition("<tbody>")[2]
    assert table.partition("</tbody>")[0].count("<tr") == len(own)
    assert any("/folds/iris.html#" in link for link in pages[page].links)
    tables = [site / files.home / "table1.html" for files in papers]
    led = [t for t in tables if t in pages and "../../datasets/iris.html" in pages[t].links]
    assert len(led) > 1


def test_the_folds_of_a_number_have_its_mean(site, results):
    wanted = ("structure_purity", "table3", "sonar", "Gini", "depth")
    with (results / wanted[0] / f"{wanted[1]}.csv").open() as file:
        rows = list(csv.DictReader(file))
    row = next(r for r in rows if (r["dataset"], r["method"], r["metric"]) == wanted[2:])
    text = (site / "papers" / wanted[0] / "folds" / "sonar.html").read_text()
    section = text.partition('id="table3-gini"')[2].partition("</h2>")[2].partition("<h2>")[0]
    assert "retree show structure_purity table2 sonar gini" in re.sub(r"<[^>]*>", "", section)
    means = re.search(r"Mean depth of each replicate: ([\d., ]+)", section).group(1).split(", ")
    assert len(means) == int(row["n_replicates"])
    mean = sum(map(float, means)) / len(means)
    assert mean == pytest.approx(float(row["reproduced"]), rel=1e-5)


def test_seeds_and_keys_of_folds_are_shown(site):
    text = (site / "papers" / "cmdt" / "folds" / "zoo-nominal.html").read_text()
    folds = text.partition('id="times1-cmdt"')[2].partition("</table>")[2]
    # `retree show cmdt times1 zoo_nominal CMDT` prints this seed for this key.
    assert re.search(r"<td>534969661</td><td>458c6b[0-9a-f]{6}</td>", folds)


def test_the_code_is_three_clicks_from_a_number(site, pages):
    table = site / "papers" / "structure_purity" / "table2.html"
    cell = next(
        link for link in pages[table].links if link.endswith("folds/sonar.html#table2-gini")
    )
    folds = (table.parent / cell.partition("#")[0]).resolve()
    source = next(link for link in pages[folds].links if "/source/src/" in link)
    code = (folds.parent / source.partition("#")[0]).resolve()
    assert "class" in code.read_text()
    assert source.partition("#")[2] in pages[code].ids


def test_tests_of_claims_lead_to_their_source(pages, site):
    found = [link for link in pages[site / "claims.html"].links if link.startswith("source/tests/")]
    assert len(found) > 10


def test_the_cells_of_every_paper_are_linked(site, pages, results):
    for path in results.glob("*/cells.csv.gz"):
        page = pages[site / "papers" / path.parent.name / "index.html"]
        assert any(link.endswith(f"{path.parent.name}/cells.csv.gz") for link in page.links)


def test_commits_lead_to_the_repository_if_it_is_known(monkeypatch):
    assert links.repository() is None or links.repository().startswith("https://")
    monkeypatch.setattr(links, "repository", lambda: "https://example.org/retree")
    assert links.commit_page("abc") == "https://example.org/retree/commit/abc"


def test_pages_say_what_they_are_about(site):
    text = (site / "api" / "C45Classifier.html").read_text()
    for name in ('name="description"', 'property="og:description"'):
        assert re.search(rf'<meta {name} content="C4\.5: gain-ratio splits [^"]*">', text)
    assert "<title>C45Classifier: C4.5 decision trees (Weka&#39;s J48) in Python - retree" in text
    assert re.search(r'<meta property="og:image" content="[^"]*/social\.png">', text)
    # The size of a png stands at its beginning.
    assert struct.unpack(">II", (site / SOCIAL).read_bytes()[16:24]) == (1200, 630)


def test_a_class_of_trees_shows_one(site):
    for name in retree.__all__:
        text = (site / "api" / f"{name}.html").read_text()
        is_tree = hasattr(getattr(retree, name), "_repr_svg_")
        assert ('aria-label="Decision tree"' in text) == is_tree, name


def test_examples_are_there_to_download(site):
    for page in site.glob("gallery/plot_*.html"):
        for suffix in (".ipynb", ".py"):
            file = site / "files" / "gallery" / f"{page.stem}{suffix}"
            assert file.is_file()
            assert f'href="../files/gallery/{file.name}"' in page.read_text()


def test_the_start_page_is_small_and_needs_no_script(pages, site):
    start = site / "index.html"
    text = start.read_text()
    assert len(text) + (site / "_static" / "landing.css").stat().st_size < 60_000
    assert re.findall(r"<script[^>]*src=", text) == []
    assert '<meta name="description" content="Papers on decision trees' in text
    assert {"explorer.html", "papers/cmdt/index.html"} <= set(pages[start].links)


def test_titles_name_the_paper(site):
    for path in site.glob("papers/*/*.html"):
        title = re.search(r"<title>(.*?)</title>", path.read_text(), re.DOTALL).group(1)
        called = html.escape(load_paper(path.parent.name).called)
        assert called in title or path.stem == "index", path


def test_means_stand_in_the_footer(site):
    text = (site / "papers" / "cmdt" / "table5.html").read_text()
    foot = text.partition("<tfoot>")[2].partition("</tfoot>")[0]
    assert "<strong>mean</strong></th><td" in foot
    assert "<strong>mean</strong>" not in text.partition("<tfoot>")[0]
