"""`reports.context`: what a page says of how its numbers came about."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toy_paper import toy_item

from retree_lab.reports.context import runs_sentences

EACH = "20 replicates of the protocol, each with other folds"


@pytest.mark.parametrize(
    ("options", "sentences"),
    [
        ({"select": ()}, [EACH + ". Numbers are means over them."]),
        (
            {
                "select": ("best_test", "nested"),
                "nested_replicates": 3,
                "replicates_of": {"xor": 10},
            },
            [
                EACH + ", 10 on xor. Numbers are means over them.",
                "The nested selection is from the first 3 replicates.",
            ],
        ),
        (
            {"select": ("best_test", "nested")},
            [
                EACH + ". Numbers are means over them.",
                "The nested selection is from the first replicate.",
            ],
        ),
    ],
)
def test_runs_are_counted(options, sentences):
    item = toy_item("table2")
    protocol = replace(item.protocol, replicates=20)
    assert runs_sentences(replace(item, protocol=protocol, **options)) == sentences
    assert runs_sentences(replace(item, **options)) == []
    drawn = runs_sentences(replace(item, protocol=protocol, **options), ["xor", "not_in_it"])
    assert drawn[1] == "Each replicate also draws its own rows of xor."
