"""How often `retree identify` finds what made a column, and how often it names something else.

Columns are drawn from accuracies of Weka itself (tests/reference/weka_columns.csv.gz): some of
learners and protocols that the index has, on data sets for which it does, others of options,
learners and seeds that it lacks. Each is written with one, two or four digits for 1 to 20 data
sets, and some numbers are misprinted.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from retree.errors import RetreeError
from retree_lab import paths
from retree_lab.outside.index import read_index
from retree_lab.outside.matching import identify
from retree_lab.outside.reading import Number

# Weka's names, as the index has them.
LEARNERS = {
    "J48": "J48",
    **{name: name for name in ("J48 -U", "J48 -B", "REPTree -P")},
    "OneR": "OneR",
    "DecisionStump": "DecisionStump",
    "REPTree": "REPTree",
    "Bagging J48": "Bagging of J48",
    "Bagging REPTree": "Bagging of REPTree",
    "AdaBoostM1 Stump": "AdaBoostM1 of DecisionStump",
    "AdaBoostM1 J48": "AdaBoostM1 of J48",
    "RandomTree": "RandomTree",
    "RandomForest": "RandomForest",
    "RandomForest -I 10": "RandomForest, 10 trees",
}
PROTOCOLS = {
    "cv10": "10 folds, Weka's Explorer",
    "cv5": "5 folds, Weka's Explorer",
    "cv3": "3 folds, Weka's Explorer",
    "mean10": "10 folds, mean over the folds",
    "mean5": "5 folds, mean over the folds",
    "experimenter": "10 runs of 10 folds, Weka's Experimenter",
    "experimenter5": "10 runs of 5 folds, Weka's Experimenter",
    "splits66": "10 splits of 66 %, Weka's Experimenter",
    "openml": "10 folds, OpenML",
    "blocks": "10 blocks of the rows as they lie",
    "train": "training rows",
    "split66": "66 % training rows, Weka's Explorer",
}
SIZES, DIGITS, MISPRINTS = (1, 2, 3, 5, 10, 20), (1, 2, 4), (0.0, 0.05)
DRAWS = 500


def main() -> None:
    """Print a table of both rates."""
    file = paths.project_dir() / "tests" / "reference" / "weka_columns.csv.gz"
    rows = pd.read_csv(file)
    rows = rows[rows["dataset"].isin(read_index().datasets)]
    table = rows.pivot(index="dataset", columns=["learner", "protocol"], values="accuracy")
    known = [c for c in table if _is_known(*c)]
    others = [c for c in table if c not in known]
    index = read_index()
    places = [index.place(name) for name in table.index]
    for learner, protocol in known:
        learner_at, protocol_at = _places(learner, protocol)
        lacks = np.isnan(index.accuracy[places, learner_at, protocol_at])
        table.loc[lacks, (learner, protocol)] = np.nan
    print("| digits | data sets | misprints | found first | named | wrongly named | others named |")
    print("|--:|--:|--:|--:|--:|--:|--:|")
    for digits in DIGITS:
        for size in SIZES:
            for share in MISPRINTS:
                ours = [_draw(table, known, digits, size, share, i) for i in range(DRAWS)]
                rest = [_draw(table, others, digits, size, share, i) for i in range(DRAWS)]
                first, named, wrong = (np.mean([row[i] for row in ours]) for i in range(3))
                other = np.mean([row[1] for row in rest])
                cells = " | ".join(f"{x:.1%}" for x in (first, named, wrong, other))
                print(f"| {digits} | {size} | {share:.0%} | {cells} |", flush=True)


def _is_known(learner: str, protocol: str) -> bool:
    """Return whether the index has numbers of a column."""
    index = read_index()
    if learner not in LEARNERS or protocol not in PROTOCOLS:
        return False
    at = _places(learner, protocol)
    return not np.isnan(index.accuracy[:, at[0], at[1]]).all()


def _places(learner: str, protocol: str) -> tuple[int, int]:
    """Return where the index has a learner and a protocol."""
    index = read_index()
    return index.learners.index(LEARNERS[learner]), index.protocols.index(PROTOCOLS[protocol])


def _draw(
    table: pd.DataFrame,
    columns: list[tuple[str, str]],
    digits: int,
    size: int,
    share: float,
    seed: int,
) -> tuple[bool, bool, bool]:
    """Return whether a column is found first, whether something is named, and something else."""
    rng = np.random.default_rng([digits, size, round(100 * share), seed])
    learner, protocol = columns[rng.integers(len(columns))]
    values = table[(learner, protocol)].dropna()
    chosen = rng.choice(len(values), min(size, len(values)), replace=False)
    percent = rng.random() < 0.5
    unit = 10.0 ** -(digits if percent else digits + 2)
    numbers = {}
    for i in chosen:
        value = round(values.iloc[i] * (100 if percent else 1), digits if percent else digits + 2)
        if rng.random() < share:
            full = 100.0 if percent else 1.0
            value = min(abs(value + unit * rng.choice([-10, -1, 1, 10])), full)
        numbers[str(values.index[i])] = Number(value, unit)
    try:
        found = identify(read_index(), "column", numbers)
    except RetreeError:  # A misprint that no share is, such as 0.1 among per cents
        return False, False, False
    right = LEARNERS.get(learner, ""), PROTOCOLS.get(protocol, "")
    same = [e.equal for e in found.explanations if (e.learner, e.protocol) == right]
    first = bool(found.explanations) and found.explanations[0].equal in same
    named = bool(found.named)
    return first, named, named and right not in [(e.learner, e.protocol) for e in found.named]


if __name__ == "__main__":
    main()
