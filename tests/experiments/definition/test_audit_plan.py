"""The configuration of the audit of a print, and what is said of a wrong one."""

from __future__ import annotations

import pytest

from retree.errors import RetreeError, UnknownNameError
from retree_lab.experiments.definition.claim_config import Claim, CountCheck, MeanCheck
from retree_lab.experiments.definition.definitions import AuditPlan, OddSizes, check_audit
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.yaml_files import read_options

NAMES = {"item": "table2", "metric": "accuracy", "of": ("New",), "than": ("Old",), "relation": ">"}
CLAIMS = (
    Claim("twelve", "section 1", "On 12 sets.", CountCheck(**NAMES, at_least=12)),
    Claim("mean", "section 1", "On the mean.", MeanCheck(**NAMES)),
    Claim("chosen", "section 1", "Most.", CountCheck(**NAMES, at_least=9), our_choice=True),
    Claim("tested", "section 1", "Always.", test="tests/x.py::test_x"),
)
ITEMS = ("table2", "table4")


def read(content):
    plan = read_options(AuditPlan, content, "audit")
    check_audit(plan, ITEMS, CLAIMS)
    return plan


def test_all_that_can_be_said_is_read():
    content = {
        "folds": 10,
        "repeats": 10,
        "means": {"table4": {"accuracy": "table2"}},
        "odd": [{"metric": "nodes", "members": 30, "datasets": ["iris"]}],
        "marks": {"New": "Old"},
        "recount": ["twelve"],
    }
    plan = read(content)
    assert plan == AuditPlan(
        10, 10, content["means"], (OddSizes("nodes", ("iris",), 30),), {"New": "Old"}, ("twelve",)
    )
    assert plan.runs == 100


def test_a_paper_without_audit_has_none():
    assert load_paper("pruning").audit is None


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ({"folds": 5, "mean": {}}, UnknownNameError, "'mean'.*'means'"),
        ({"repeats": 2}, RetreeError, "audit lacks folds"),
        ({"folds": 5, "means": {"table4": {"accuracy": "table3"}}}, UnknownNameError, "table3"),
        ({"folds": 5, "means": {"table5": {"accuracy": "table2"}}}, UnknownNameError, "table5"),
        ({"folds": 5, "recount": ["thirteen"]}, UnknownNameError, "'thirteen'"),
        ({"folds": 5, "recount": ["mean"]}, RetreeError, "mean counts nothing"),
        ({"folds": 5, "recount": ["tested"]}, RetreeError, "tested counts nothing"),
        ({"folds": 5, "recount": ["chosen"]}, RetreeError, "chosen is checked by a measure of our"),
        ({"folds": 5, "odd": [{"member": 3}]}, UnknownNameError, "'member'"),
        ({"folds": 5, "odd": [{"members": 3}]}, RetreeError, "entry of odd of audit lacks metric"),
    ],
)
def test_a_wrong_audit_names_the_fix(content, error, message):
    with pytest.raises(error, match=message):
        read(content)
