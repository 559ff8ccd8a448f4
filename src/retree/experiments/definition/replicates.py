"""Replicates: a whole protocol once more, with other seeds of the split.

Replicate q of a protocol of r repeats consists of its repeats q r to (q + 1) r - 1. The first one
is the protocol itself.
"""

from __future__ import annotations

from retree.experiments.definition.item import Item
from retree.experiments.definition.protocol import Protocol


def count_replicates(item: Item, dataset: str) -> int:
    """Return how many replicates `item` takes of its protocol on a data set.

    They are ``protocol.replicates``, or fewer where the item's ``replicates_of`` says so.
    """
    most = item.protocol.replicates
    return min(item.replicates_of.get(dataset, most), most)


def count_nested(item: Item, dataset: str) -> int:
    """Return how many of these replicates, the first ones, have a nested selection.

    Where nothing else chooses parameters, all have.
    """
    if not item.chosen_on_test:
        return count_replicates(item, dataset)
    return min(item.nested_replicates, count_replicates(item, dataset))


def repeats_of(protocol: Protocol, replicate: int) -> range:
    """Return the repeats that a replicate of `protocol` consists of."""
    return range(replicate * protocol.repeats, (replicate + 1) * protocol.repeats)
