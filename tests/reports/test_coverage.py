"""What a page says of how its numbers came about."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toy_paper import toy_item

from retree.reports.coverage import runs_sentences


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"select": ()}, "Run 20 times, each time with other folds."),
        (
            {"select": ("nested",), "nested_replicates": 3, "replicates_of": {"xor": 10}},
            "Run 20 times, each time with other folds, 10 times on xor; the nested selection is "
            "that of the first 3 runs.",
        ),
        (
            {"select": ("nested",)},
            "Run 20 times, each time with other folds; the nested selection is that of the first "
            "run.",
        ),
    ],
)
def test_runs_are_counted(options, words):
    item = toy_item("table2")
    protocol = replace(item.protocol, replicates=20)
    assert runs_sentences(replace(item, protocol=protocol, **options)) == [words]
    assert runs_sentences(replace(item, **options)) == []
