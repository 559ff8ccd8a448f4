"""Claims as they are read from a paper's configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from retree.errors import RetreeError, UnknownNameError
from retree_lab.experiments.definition.claim_config import CountCheck, MeanCheck, read_claims
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.study.available import available
from retree_lab.study.composing import compose

ITEMS = {"table2": {"datasets": ["sonar", "bupa"]}, "table4": {"datasets": ["sonar", "bupa"]}}
NAMES = {"gini": "Gini", "bnm_gini": "BNM+Gini"}
COUNT = {
    "kind": "count",
    "item": "table2",
    "metric": "accuracy",
    "of": ["bnm_gini"],
    "relation": ">",
    "than": ["gini"],
    "at_least": 1,
}
PARAMETER = {
    "kind": "parameter",
    "item": "table2",
    "metric": "accuracy",
    "of": ["bnm_gini"],
    "parameter": "k",
    "low": 2,
    "high": 3,
    "at_least": 1,
}
ROOT = Path(__file__).parents[3]


def read(check=None, **entry):
    entry = {"name": "better", "place": "section 3", "text": "It is.", **entry}
    if check is not None:
        entry["check"] = check
    return read_claims([entry], ITEMS, lambda item: NAMES)


def test_methods_keep_their_keys_and_data_sets_are_the_items():
    (claim,) = read(COUNT)
    assert claim.check == CountCheck(
        item="table2",
        metric="accuracy",
        of=("bnm_gini",),
        than=("gini",),
        relation=">",
        at_least=1,
        datasets=("sonar", "bupa"),
        labels=NAMES,
    )
    assert claim.check.label("bnm_gini") == "BNM+Gini"


def test_a_number_and_chosen_data_sets():
    content = {**COUNT, "kind": "mean", "than": 0.5, "datasets": ["bupa"], "geometric": True}
    del content["at_least"]
    (claim,) = read(content)
    assert isinstance(claim.check, MeanCheck)
    assert (claim.check.than, claim.check.datasets) == (0.5, ("bupa",))


def test_a_property_is_tested():
    (claim,) = read(test="tests/test_x.py::test_y", tolerance="exact")
    assert (claim.check, claim.test) == (None, "tests/test_x.py::test_y")


def test_what_cannot_be_checked_has_a_reason():
    (claim,) = read(unchecked="no times are printed")
    assert (claim.check, claim.test, claim.unchecked) == (None, None, "no times are printed")
    (claim,) = read(test="tests/test_x.py::test_y", refuted=True, tolerance="exact")
    assert claim.refuted


def test_data_sets_have_keys_and_labels():
    entry = {"name": "better", "place": "section 3", "text": "It is.", "check": COUNT}
    (claim,) = read_claims([entry], ITEMS, lambda item: NAMES, {"bupa": "liver"})
    assert claim.check.datasets == ("sonar", "bupa")
    assert [*map(claim.check.label, claim.check.datasets)] == ["sonar", "liver"]


def test_labels_are_not_given():
    with pytest.raises(RetreeError, match="labels come from the paper"):
        read({**COUNT, "labels": {"bupa": "liver"}})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "counts"}, "better: Unknown kind of check: 'counts'. Did you mean 'count'"),
        ({"item": "table1"}, "better: Unknown item 'table1'. Did you mean 'table"),
        ({"of": ["ginni"]}, "better: Unknown method 'ginni'. Did you mean 'gini'"),
        ({"than": ["Gini"]}, "better: Unknown method 'Gini'. Did you mean 'gini'"),
        ({"datasets": ["adult"]}, "better: Unknown data set 'adult'"),
        ({"relation": "=>"}, "better: Unknown relation of a check of kind count: '=>'"),
        ({"statistic": "median"}, "better: Unknown statistic of a check of kind count: 'median'"),
        ({"geometric": True}, "better: Unknown key of a check of kind count: 'geometric'"),
    ],
)
def test_unknown_names_of_a_claim(change, message):
    with pytest.raises(UnknownNameError, match=message):
        read({**COUNT, **change})


@pytest.mark.parametrize(
    ("check", "entry", "message"),
    [
        ({**COUNT, "at_least": None}, {}, "needs at_least or at_most"),
        ({k: v for k, v in COUNT.items() if k != "than"}, {}, "kind count lacks than"),
        ({"kind": "within", "item": "table2", "metric": "depth", "of": ["gini"]}, {}, "or share"),
        (COUNT, {"test": "x::y"}, "either a check or a test"),
        (None, {}, "either a check or a test"),
        (COUNT, {"place": None}, ""),
        (COUNT, {"unchecked": "no numbers"}, "either a check or a test, or the reason"),
        (COUNT, {"refuted": True}, "has refuted but no test"),
        (COUNT, {"to_published_digits": True}, "has to_published_digits but no test"),
        (None, {"test": "x::y"}, "a test of unknown tolerance"),
        ({**PARAMETER, "at_least": None}, {}, "either at_least or most_frequent"),
        ({**PARAMETER, "most_frequent": True}, {}, "either at_least or most_frequent"),
    ],
)
def test_bad_claims(check, entry, message):
    if not message:
        with pytest.raises(RetreeError, match="Claim \\? lacks name and text"):
            read_claims([{"place": "section 3", "check": check}], ITEMS, lambda item: NAMES)
        return
    with pytest.raises(RetreeError, match=message):
        read(check, **entry)


@pytest.mark.parametrize("paper", available("paper"))
def test_the_tests_that_claims_name_are_there(paper):
    claims = load_experiment(compose([f"paper={paper}", "item=all"])).paper.claims
    assert len({claim.name for claim in claims}) == len(claims)
    for claim in claims:
        if claim.test:
            file, _, function = claim.test.partition("::")
            assert f"\ndef {function}(" in (ROOT / file).read_text()


@pytest.mark.parametrize(
    ("paper", "n_claims"),
    [("structure_purity", 39), ("latent_space", 41), ("pruning", 27), ("cmdt", 28)],
)
def test_claims_are_about_numbers_that_their_item_has(paper, n_claims):
    experiment = load_experiment(compose([f"paper={paper}", "item=all"]))
    items = {item.name: item for item in experiment.items}
    assert len(experiment.paper.claims) == n_claims
    for check in (claim.check for claim in experiment.paper.claims if claim.check):
        item = items[check.item]
        metric = check.metric.removesuffix("_nested") if "nested" in item.select else check.metric
        assert metric in item.kind.metric_names
