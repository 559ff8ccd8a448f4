"""The data of the explorer."""

import csv
from collections import Counter
from functools import cache

import pytest
from pages import Page, decoded

from retree.commands.show.find import find_metric_name, find_number, read_place
from retree.reports.comparison import CSV_COLUMNS
from retree.site.explorer import DATA


def csv_rows(results, name="*"):
    for path in sorted(results.glob(f"*/{name}.csv")):
        with path.open() as file:
            for row in csv.DictReader(file):
                yield path, row


def short(number):
    """Return a number as the explorer has it, with seven significant digits."""
    return float(f"{float(number):.7g}")


def test_it_has_every_published_number_with_its_verdict(explored, results):
    names = ("dataset", "method", "metric", "verdict")
    wanted = Counter(
        (path.parent.name, path.stem, short(row["published"]), *(row[name] for name in names))
        for path, row in csv_rows(results)
        if row.get("published") and row.get("verdict") and row.keys() >= set(CSV_COLUMNS)
    )
    names = ("paper", "item", "published", *names)
    shown = Counter(tuple(row[name] for name in names) for row in decoded(explored, "numbers"))
    assert shown == wanted
    assert len(shown) > 1000


def test_it_has_every_claim_of_the_papers(explored, results):
    wanted = Counter(
        (path.parent.name, row["text"], row["published"], row["here"])
        for path, row in csv_rows(results, "claims")
        if not row["ours"]
    )
    names = ("paper", "text", "published", "here")
    shown = (tuple(row[name] for name in names) for row in decoded(explored, "claims"))
    assert Counter(shown) == wanted


def test_it_is_small(site):
    assert (site / "files" / DATA).stat().st_size < 200_000


def test_folds_and_tables_that_rows_lead_to_exist(explored, site, pages_of):
    linked = 0
    for row in decoded(explored, "numbers"):
        home = site / explored["papers"][row["paper"]]["home"]
        assert (home / f"{row['item']}.html").is_file()
        if row["folds"]:
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
    row = next(r for r in decoded(explored, "numbers") if r["paper"] == paper and r["folds"])
    place = [*explored["papers"][paper]["shown"], row["item"], row["dataset"], row["method"]]
    number = find_number(read_place(place, []), [])
    assert find_metric_name(number.item, row["metric"]) == row["metric"]
