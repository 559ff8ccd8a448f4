"""The committed results, as the phrases need them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from retree.reports.rendered_tables import read_comparisons
from retree.statistics import AGREEING, JUDGED

RESULTS = Path(__file__).parents[2] / "results"


@cache
def table(paper: str, item: str) -> pd.DataFrame:
    """Return an item's csv; texts that are empty are ""."""
    frame = pd.read_csv(RESULTS / paper / f"{item}.csv")
    texts = frame.select_dtypes(exclude="number").columns
    return frame.fillna(dict.fromkeys(texts, ""))


@cache
def all_numbers() -> pd.DataFrame:
    """Return the published numbers of all papers that have a verdict."""
    found = read_comparisons(RESULTS)
    return found[(found["verdict"] != "") & found["published"].notna()]


def select(frame: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """Return the rows with these values, or with one of these in a list."""
    for name, value in values.items():
        frame = frame[frame[name].isin(value if isinstance(value, list | tuple) else [value])]
    return frame


def numbers(paper: str, **values: Any) -> pd.DataFrame:
    """Return the published numbers of a paper that have a verdict and these values."""
    return select(all_numbers(), paper=paper, **values)


def count(found: pd.DataFrame, *verdicts: str) -> int:
    """Return how many numbers have one of these verdicts."""
    return int(found["verdict"].isin(verdicts).sum())


def agree(found: pd.DataFrame) -> int:
    """Return how many numbers agree."""
    return count(found, *AGREEING)


def judged(found: pd.DataFrame) -> int:
    """Return how many numbers can be judged."""
    return count(found, *JUDGED)


def one(frame: pd.DataFrame, column: str, **values: Any) -> Any:
    """Return the only value of a column where the other columns have these values."""
    (value,) = select(frame, **values)[column]
    return value


def mean(paper: str, item: str, column: str = "reproduced", **values: Any) -> float:
    """Return the mean over data sets of a column of an item."""
    return float(select(table(paper, item), **values)[column].mean())


def claim(paper: str, name: str) -> Any:
    """Return the row of a claim."""
    return next(select(table(paper, "claims"), claim=name).itertuples())


def claims(paper: str) -> pd.DataFrame:
    """Return the claims of the paper itself."""
    found = table(paper, "claims")
    return found[found["ours"] != "yes"]


def outcomes(paper: str, outcome: str) -> int:
    """Return how many claims of the paper itself have an outcome."""
    return len(select(claims(paper), outcome=outcome))


def found_in(paper: str, page: str, pattern: str) -> str:
    """Return what the group of a pattern has on a committed page."""
    (found,) = re.findall(pattern, (RESULTS / paper / page).read_text())
    return str(found)


def signed(value: float, decimals: int = 2) -> str:
    """Return a number with its sign."""
    return f"{value:+.{decimals}f}".replace("-", "−")


def percent(share: float) -> str:
    """Return a share in per cent, without the sign."""
    return f"{100 * share:.0f}"


def only_if(condition: bool, phrase: str) -> str:
    """Return a phrase, or one that is on no page if what it says is no longer so."""
    return phrase if condition else f"{phrase} [no longer so]"


def share(found: pd.DataFrame) -> float:
    """Return the share of numbers that agree."""
    return agree(found) / judged(found)
