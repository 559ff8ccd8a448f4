"""The data of the explorer."""

import csv
import hashlib
import json
from collections import Counter
from functools import cache

import pytest
from pages import Page, decoded, on_few_too

from retree_lab.commands.show.find import find_metric_name, find_number, read_place
from retree_lab.reports.comparison import CSV_COLUMNS
from retree_lab.reports.document import Text, ToFolds
from retree_lab.reports.register import FOLDER
from retree_lab.site.build import ASSETS
from retree_lab.site.explorer import DATA

# What is said of a claim in the paper and here; all other answers leave it open.
ANSWERED, OPEN = ("published", "here"), "not checkable"
WORDS = {word: word for word in ("", "yes", "no", "direction only")}


def csv_rows(results, name="*"):
    for path in sorted(results.glob(f"*/{name}.csv")):
        with path.open() as file:
            for row in csv.DictReader(file):
                yield path, row


def short(number):
    """Return a number as the explorer has it, with ten significant digits."""
    return float(f"{float(number):.10g}")


@on_few_too
def test_it_has_every_published_number_with_its_verdict(explored, results):
    names = ("dataset", "method", "metric", "verdict")
    wanted = Counter(
        (path.parent.name, path.stem, short(row["published"]), *(row[name] for name in names))
        for path, row in csv_rows(results)
        if row.get("published")
        and row.get("verdict")
        and tuple(row)[: len(CSV_COLUMNS)] == CSV_COLUMNS
    )
    names = ("paper", "item", "published", *names)
    shown = Counter(tuple(row[name] for name in names) for row in decoded(explored, "numbers"))
    assert shown == wanted
    assert len(shown) > 100


@on_few_too
def test_it_has_every_claim_of_the_papers(explored, results):
    wanted = Counter(
        (
            *(path.parent.name, row["text"], row["directed"], row["replicates"]),
            *(WORDS.get(row[name], OPEN) for name in ANSWERED),
        )
        for path, row in csv_rows(results, "claims")
        if not row["ours"]
    )
    names = ("paper", "text", "directed", "replicates", *ANSWERED)
    shown = (tuple(row[name] for name in names) for row in decoded(explored, "claims"))
    assert Counter(shown) == wanted


def test_it_is_small(explored, site):
    n_rows = len(explored["numbers"]["rows"])
    assert (site / "files" / DATA).stat().st_size < 100_000 + 100 * n_rows


@on_few_too
def test_the_register_is_there_as_a_whole_and_by_paper(explored, site):
    folder = site / "files" / FOLDER
    package = json.loads((folder / "datapackage.json").read_text())
    whole, *parts = package["resources"]
    rows = {one["name"]: (folder / one["path"]).read_text().splitlines() for one in (whole, *parts)}
    assert {name: len(lines) - 1 for name, lines in rows.items()} == {
        one["name"]: one["rows"] for one in (whole, *parts)
    }
    names = [field["name"] for field in whole["schema"]["fields"]]
    assert all(lines[0] == ",".join(names) for lines in rows.values())
    assert rows["register"][1:] == [line for one in parts for line in rows[one["name"]][1:]]
    assert len(rows["register"]) - 1 == len(explored["numbers"]["rows"])


@on_few_too
def test_a_number_with_a_command_for_its_folds_has_a_page_of_them(explored, papers):
    """The register knows it from the definition of the paper, the site from what it rendered."""
    by_name = {files.name: files for files in papers}
    for row in decoded(explored, "numbers"):
        to = ToFolds(row["item"], row["dataset"], row["method"], row["params"])
        page = by_name[row["paper"]].rendered.folds.get(row["dataset"])
        blocks = () if page is None else page.blocks
        places = {p.place for block in blocks if isinstance(block, Text) for p in block.places}
        assert (row["folds"] == 2) == (to.place in places), row


def test_the_grid_is_the_library_as_it_was_published():
    """Its files are those of tabulator-tables 6.5.3 at registry.npmjs.org, unchanged."""
    folder = ASSETS / "tabulator"
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    assert found == {
        "LICENSE": "191a2ee554684e1064c897b432f0e1bc6dfa714ca045d3f6ea2cf692cbd398b7",
        "tabulator.min.js": "ffac518cb793c672a2f0522b7fc80bf862234d96bb1e581c8aaf7f48f130eafa",
        "tabulator_simple.min.css": (
            "edef8839235a4b6a8c3dc391ec93f2ce1bc633dd5270a5f990753b6f9183d32b"
        ),
    }


def test_folds_and_tables_that_rows_lead_to_exist(explored, site, pages_of):
    linked = 0
    for row in decoded(explored, "numbers"):
        home = site / explored["papers"][row["paper"]]["home"]
        assert (home / f"{row['item']}.html").is_file()
        if row["folds"] == 2:
            end = "-nested" if row["params"].startswith("[") else ""
            slugs = explored["slugs"]
            place = f"{row['item']}-{slugs[row['method']]}{end}"
            assert place in pages_of(home / "folds" / f"{slugs[row['dataset']]}.html")
            linked += 1
    assert linked > 1000


@pytest.fixture(scope="module")
def pages_of():
    return cache(lambda path: Page(path).ids)


@pytest.mark.parametrize(
    "paper", ["structure_purity", "latent_space", "forest_thinning", "hundreds"]
)
def test_numbers_with_folds_can_be_shown(explored, paper):
    row = next(r for r in decoded(explored, "numbers") if r["paper"] == paper and r["folds"] == 2)
    place = [*explored["papers"][paper]["shown"], row["item"], row["dataset"], row["method"]]
    number = find_number(read_place(place, []), [])
    assert find_metric_name(number.item, row["metric"]) == row["metric"]
