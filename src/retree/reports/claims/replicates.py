"""The numbers of single replicates, for claims that are asked of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from retree.experiments.claims import Check, Comparing, WithinCheck
from retree.reports.comparison import NOTHING, Comparison
from retree.reports.published import Printed

Compared = Mapping[str, Sequence[Comparison]]
Find = Callable[[str, str, str, str], Printed]


@dataclass(frozen=True)
class Held:
    """In how many replicates a claim holds, of how many.

    Of a claim on means, `low` and `high` are the 95 % prediction interval of the left side minus
    the right one in one run; otherwise NaN.
    """

    count: int
    total: int
    low: float = float("nan")
    high: float = float("nan")


def replicates(check: Check | None, compared: Compared) -> list[Find]:
    """Return what finds the numbers of each replicate of a check's table; none without replicates.

    Replicates are of single data sets: where one has fewer than the others, they are taken again
    from its first.

    Parameters
    ----------
    check : Check or None
        The claim's check.
    compared : dict
        The comparisons of the items, by the item's name.
    """
    if not isinstance(check, (Comparing, WithinCheck)):
        return []
    cells = {
        (c.dataset, c.method): c
        for c in compared.get(check.item, ())
        if c.metric == check.metric and c.n_replicates > 1
    }
    total = max((len(c.runs) for c in cells.values()), default=0)
    return [_finder(cells, number) for number in range(total)]


def _finder(cells: Mapping[tuple[str, str], Comparison], number: int) -> Find:
    def find(item: str, dataset: str, method: str, metric: str) -> Printed:
        cell = cells.get((dataset, method))
        if cell is None:
            return NOTHING
        i = number % len(cell.runs)
        return Printed(cell.runs[i], cell.run_stds[i])

    return find
