"""Recompute Table 2 on a few real data sets from nothing and hold it against the committed table.

Needs the data sets (RETREE_MIRROR, or network). Exits with 1 and names each number that moved.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import pandas as pd

from retree.cli import main as retree

ITEM = "table2"
COMMITTED = Path("results/structure_purity") / f"{ITEM}.csv"
DATASETS = ("sonar", "bupa", "appendicitis", "ecoil2", "divorce")
KEY = ["dataset", "method", "metric"]
# Another processor or mathematics library may round the last bits differently.
TOLERANCE = 1e-9


def recompute(datasets: list[str], folder: Path) -> pd.DataFrame:
    """Return the table of `datasets`, computed with a store of its own below `folder`."""
    overrides = [
        f"item={ITEM}",
        f"datasets=[{','.join(datasets)}]",
        f"results={folder}",
        f"store={folder / 'cells.sqlite'}",
    ]
    if code := retree(["run", "--report", *overrides]):
        raise SystemExit(code)
    return pd.read_csv(folder / COMMITTED.parent.name / COMMITTED.name)


def moved(committed: pd.DataFrame, recomputed: pd.DataFrame) -> list[str]:
    """Return a sentence for each row that is not the same in both tables."""
    both = committed.merge(recomputed, on=KEY, how="outer", suffixes=("_old", "_new"))
    sentences = []
    for row in both.to_dict("records"):
        old, new = row["reproduced_old"], row["reproduced_new"]
        same = abs(old - new) <= TOLERANCE or (pd.isna(old) and pd.isna(new))
        if not same or row["verdict_old"] != row["verdict_new"]:
            name = ", ".join(str(row[column]) for column in KEY)
            sentences.append(
                f"{name}: {old} ({row['verdict_old']}) is now {new} ({row['verdict_new']})"
            )
    return sentences


def main() -> int:
    """Compare and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="*", default=list(DATASETS))
    datasets = parser.parse_args().datasets
    with tempfile.TemporaryDirectory() as folder:
        recomputed = recompute(datasets, Path(folder))
    committed = pd.read_csv(COMMITTED)
    # Empty cells of the verdict column are no verdict, not a changed one.
    tables = [t.fillna({"verdict": ""}) for t in (committed, recomputed)]
    found = moved(*(t[t["dataset"].isin(datasets)] for t in tables))
    print("\n".join(found) or f"{len(recomputed)} numbers of {COMMITTED} are reproduced.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
