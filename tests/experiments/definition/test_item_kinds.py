"""Kinds of items as a configuration names them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from retree.errors import RetreeError, UnknownNameError
from retree_lab.experiments.definition.item import KINDS, find_kind, read_kind
from retree_lab.experiments.definition.item_config import paper_items
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.experiments.definition.protocol_config import default_protocol
from retree_lab.reports.kinds import Kind

TABLE = {
    "kind": "metric_table",
    "caption": "Errors",
    "metrics": ["error_pct"],
    "datasets": ["bupa"],
    "methods": ["c45_pruned", "oc1"],
}


@dataclass(frozen=True, kw_only=True)
class OwnKind(Kind[None]):
    """A kind of a study's own."""

    colour: str = "blue"


@pytest.fixture(scope="module")
def paper():
    return load_paper("latent_space")


@pytest.fixture
def read(paper):
    def read(**options):
        content = {k: v for k, v in (TABLE | options).items() if v is not None}
        (item,) = paper_items(replace(paper, items={"table9": content}), default_protocol())
        return item

    return read


def test_options_are_those_of_the_kind(read):
    item = read(baseline="oc1", published_protocol="same")
    assert (item.kind.metrics, item.kind.baseline, item.kind.means) == (
        ("error_pct",),
        "oc1",
        False,
    )
    assert item.select == ()
    assert item.published_protocol == "same"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "metrik_table"}, "kind of item: 'metrik_table'. Did you mean 'metric_table'"),
        (
            {"baseine": "oc1"},
            r"key of table9 \(metric_table\): 'baseine'. Did you mean 'baseline'",
        ),
        ({"baseline": "oc2"}, "method of table9: 'oc2'. Did you mean 'oc1'"),
        ({"metrics": ["error_pc"]}, "metric 'error_pc'. Did you mean 'error_pct'"),
        ({"select": ["nestd"]}, "'nestd'. Did you mean 'nested'"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(read, options, message):
    with pytest.raises(UnknownNameError, match=message):
        read(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": None}, r"table9 \(metric_table\) lacks metrics; add it\.$"),
        ({"metrics": "error_pct"}, "metrics of table9 .* must be a list, not 'error_pct'"),
        ({"means": "yes"}, "means of table9 .* must be true or false, not 'yes'"),
        ({"kind": None}, "table9 lacks kind; add one of computed, dataset_table, "),
        ({"kind": "rank_diagram", "metrics": ["error_pct", "depth"]}, "ranks by one metric"),
        ({"kind": "no.such.module:Table"}, "no.such.module:Table cannot be imported"),
        (
            {"kind": "retree_lab.paths:conf_dir"},
            "is not a kind of item; derive it from retree_lab.reports",
        ),
    ],
)
def test_what_is_wrong_is_one_sentence(read, options, message):
    with pytest.raises(RetreeError, match=message):
        read(**options)


def test_a_kind_of_ones_own_is_named_by_where_it_stands(read):
    item = read(kind=f"{__name__}:OwnKind", metrics=None, colour="red")
    assert item.kind == OwnKind(colour="red")
    with pytest.raises(UnknownNameError, match=r"key of table9 \(OwnKind\): 'color'"):
        read(kind=f"{__name__}:OwnKind", metrics=None, color="red")


def test_a_kind_may_stand_in_a_file_of_the_study(tmp_path):
    (tmp_path / "kinds.py").write_text(
        "from dataclasses import dataclass\n\nfrom retree_lab.reports.kinds import Kind\n\n\n"
        "@dataclass(frozen=True, kw_only=True)\nclass Blue(Kind[None]):\n    shade: str\n"
    )
    kind, _ = read_kind("kinds.py:Blue", {"shade": "dark"}, "table9", tmp_path)
    assert kind.shade == "dark"
    with pytest.raises(RetreeError, match=r"Unknown name in .*kinds\.py: 'Red'"):
        find_kind("kinds.py:Red", tmp_path)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_is_there_and_takes_shared_options(name):
    assert issubclass(find_kind(name), Kind)
    with pytest.raises(RetreeError, match="key of table9"):
        read_kind(name, {"own_names": True, "no_such": 1}, "table9")
