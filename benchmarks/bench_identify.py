"""How often `retree identify` finds what made a column, and how often it names something else.

Columns are drawn from accuracies of Weka itself (tests/reference/weka_columns.csv.gz). Some come
from learners, protocols and data sets in the index, others from options, learners and seeds that
it lacks. Each is written with one to three digits for 1 to 5 data sets, and some numbers are
misprinted. A name is right if everything it says is right: if the options of J48 are left open,
any J48 may have made the column; if the folds are left open, any seed.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from retree.errors import RetreeError
from retree_lab import paths
from retree_lab.outside.index import read_index
from retree_lab.outside.likelihood import family
from retree_lab.outside.matching import Name, identify
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
SIZES, DIGITS, MISPRINTS = (1, 2, 3, 5), (1, 2, 3), (0.0, 0.05)
DRAWS = 300


def main() -> None:
    """Print a table of all rates."""
    table = read_columns()
    columns: list[tuple[str, str]] = table.columns.tolist()
    known = [c for c in columns if is_known(*c)]
    others = [c for c in columns if not is_known(*c)]
    about = "found first | named | exactly | wrongly | others named | wrongly"
    print(f"| digits | data sets | {about} | with misprints: {about} |")
    print("|--:|--:" + "|--:" * 12 + "|")
    for digits in DIGITS:
        for size in SIZES:
            rates = []
            for share in MISPRINTS:
                ours, rest = (
                    np.mean([drawn(table, c, digits, size, share, i) for i in range(DRAWS)], axis=0)
                    for c in (known, others)
                )
                rates += [*ours, rest[1], rest[3]]
            cells = " | ".join(f"{x:.1%}" for x in rates)
            print(f"| {digits} | {size} | {cells} |", flush=True)
    print("\n| digits | data sets | other options | other folds | another learner | any of them |")
    print("|--:|--:|--:|--:|--:|--:|")
    for digits in DIGITS:
        for size in SIZES:
            ties = np.mean([tied(table, known, digits, size, i) for i in range(4 * DRAWS)], axis=0)
            print(f"| {digits} | {size} | {' | '.join(f'{x:.1%}' for x in ties)} |", flush=True)


def tied(
    table: pd.DataFrame, columns: list[tuple[str, str]], digits: int, size: int, seed: int
) -> tuple[bool, bool, bool, bool]:
    """Return whether a column has the same numbers as other entries of the index.

    Of its learner with other options by the same protocol, of the same by other protocols, of
    other learners, of any.
    """
    index = read_index()
    rng = np.random.default_rng([digits, size, seed])
    learner, protocol = columns[rng.integers(len(columns))]
    values = table[(learner, protocol)].dropna()
    chosen = rng.choice(len(values), min(size, len(values)), replace=False)
    places = [index.place(str(values.index[i])) for i in chosen]
    written = np.round(100 * index.accuracy[places], digits)
    i, j = _places(learner, protocol)
    same = (written == written[:, i, j][:, None, None]).all(axis=0)
    same[i, j] = False
    is_kin = np.array([family(name) == family(LEARNERS[learner]) for name in index.learners])
    return same[is_kin, j].any(), same[i].any(), same[~is_kin].any(), same.any()


def read_columns() -> pd.DataFrame:
    """Return Weka's accuracies by data set, learner and protocol.

    Of columns that the index has, those of data sets for which it lacks them are left out.
    """
    index = read_index()
    rows = pd.read_csv(paths.project_dir() / "tests" / "reference" / "weka_columns.csv.gz")
    rows = rows[rows["dataset"].isin(index.datasets)]
    table = rows.pivot(index="dataset", columns=["learner", "protocol"], values="accuracy")
    places = [index.place(name) for name in table.index]
    columns: list[tuple[str, str]] = table.columns.tolist()
    for learner, protocol in columns:
        if is_known(learner, protocol):
            learner_at, protocol_at = _places(learner, protocol)
            lacks = np.isnan(index.accuracy[places, learner_at, protocol_at])
            table.loc[lacks, (learner, protocol)] = np.nan
    return table


def is_known(learner: str, protocol: str) -> bool:
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


def drawn(
    table: pd.DataFrame,
    columns: list[tuple[str, str]],
    digits: int,
    size: int,
    share: float,
    seed: int,
) -> tuple[bool, bool, bool, bool]:
    """Return whether a column is found first, named, named with options and folds, and wrongly."""
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
        return False, False, False, False
    right = LEARNERS.get(learner, ""), PROTOCOLS.get(protocol, "")
    same = [e.equal for e in found.explanations if (e.learner, e.protocol) == right]
    first = bool(found.explanations) and found.explanations[0].equal in same
    name = found.named
    exactly = name is not None and not (name.any_options or name.any_folds)
    return (
        first,
        name is not None,
        exactly,
        name is not None and not _is_right(name, *right, learner),
    )


def _is_right(name: Name, learner: str, protocol: str, wekas: str) -> bool:
    """Return whether a name is true of a column; what the index lacks is "".

    `wekas`: the learner as Weka's columns have it, J48 -C 0.1.
    """
    plain = LEARNERS.get(family(wekas), "none")
    right_learner = (plain if name.any_options else learner) in name.learners
    return right_learner and (name.any_folds or protocol in name.protocols)


if __name__ == "__main__":
    main()
