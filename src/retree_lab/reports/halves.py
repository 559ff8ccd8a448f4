"""How well an interpretation that was chosen by its fit agrees where it was not chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from retree_lab.reports.document import Block, Bullets, Table, Text
from retree_lab.reports.formatting import percent
from retree_lab.statistics.power import N_RESAMPLES, chosen_on_half

COLUMNS = ("method", "n_interpretations", "n_datasets", "best", "share", "in_half", "in_other_half")
_NOTE = (
    f"{N_RESAMPLES:,} times a random half of the data sets chooses the interpretation that "
    "agrees on most of them. The last two columns say on how many it then agrees: in the half that "
    "chose it, and in the other one. The difference is the optimism of choosing by fit."
)


def halves_table(agreement: Iterable[tuple[str, str, Mapping[str, bool]]]) -> pd.DataFrame:
    """Return a row for each method of several interpretations, as in ``<item>_halves.csv``.

    `agreement`: method, interpretation, and whether this agrees on each data set. Data sets that
    not all interpretations of a method have are left out.
    """
    by_method: dict[str, dict[str, Mapping[str, bool]]] = {}
    for method, name, agrees in agreement:
        by_method.setdefault(method, {})[name] = agrees
    rows = []
    for method, by_name in by_method.items():
        common = [
            d
            for d in next(iter(by_name.values()))
            if all(d in agrees for agrees in by_name.values())
        ]
        if len(by_name) < 2 or len(common) < 2:
            continue
        answers = np.array([[agrees[d] for d in common] for agrees in by_name.values()], bool)
        best = int(answers.sum(axis=1).argmax())
        shares = (float(answers[best].mean()), *chosen_on_half(answers))
        rows.append((method, len(by_name), len(common), list(by_name)[best], *shares))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def halves_section(table: pd.DataFrame) -> list[Block]:
    """Return the table as a section of an item's page; nothing without rows."""
    if table.empty:
        return []
    header = ["method", "interpretations", "data sets", "best of all", "agrees on"]
    header += ["in the half that chose", "in the other half"]
    rows = [
        [method, str(n), str(n_sets), best, *(f"{percent(share)}%" for share in shares)]
        for method, n, n_sets, best, *shares in table.itertuples(index=False, name=None)
    ]
    heading = Text("Chosen on one half of the data sets, judged on the other")
    return [heading, Table(header, rows), Bullets([_NOTE])]
