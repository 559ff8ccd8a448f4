"""Pages in words, whose numbers are read from the rendered results by name.

A paper or a study may have a template ``page.md``. In it ``{{ counts(item="table2").agree }}`` is
how many numbers of an item agree, and ``{{ value("ranks", "average_rank", method="J48") | fixed(2)
}}`` a number of a csv file. The functions are methods of `Numbers`, or of ``paper("cmdt")`` for
another paper. A name that is not there is an error, and so is ``only_if`` of what is no longer so.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import fmean, geometric_mean
from typing import Any

import pandas as pd

from retree.errors import RetreeError, needs_extra, unknown_name
from retree_lab.reports.agreement import count_headlines, read_folder
from retree_lab.reports.figures import finding
from retree_lab.reports.formatting import percent

TEMPLATE = "page.md"
_WORDS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


class Numbers:
    """The rendered results in a folder, by name.

    Each function takes further names as conditions: ``method="Gini"``, ``method=["BNM+Gini",
    "Gini"]`` or, of empty cells, ``reproduced=None``.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tables: dict[str, pd.DataFrame] = {}

    def counts(self, **where: Any) -> Mapping[str, Any]:
        """Return the headline counts of published numbers, as `count_headlines` does."""
        if "" not in self._tables:
            self._tables[""] = read_folder(self._folder)
        (row,) = count_headlines(self._select("", where), []).to_dict("records")
        return {str(name): value for name, value in row.items()}

    def column(self, item: str, name: str, /, **where: Any) -> list[Any]:
        """Return the values of a column of ``<item>.csv``, without empty ones."""
        rows = self._select(item, where)
        self._check(item, name)
        return list(rows[name].dropna())

    def value(self, item: str, name: str, /, **where: Any) -> Any:
        """Return the only value of a column."""
        values = self.column(item, name, **where)
        if len(values) != 1:
            raise RetreeError(f"{self._path(item)}: {len(values)} values of {name} with {where}")
        return values[0]

    def mean(self, item: str, name: str, /, **where: Any) -> float:
        """Return the mean of a column."""
        return fmean(self.column(item, name, **where))

    def gap(self, item: str, name: str, high: str, low: str, /, **where: Any) -> float:
        """Return the mean difference of two methods over data sets, but for ``without``."""
        left_out = where.pop("without", [])
        one, other = (
            self._select(item, {**where, "method": method}).set_index("dataset")[name]
            for method in (high, low)
        )
        return float((one - other).drop(labels=left_out).mean())

    def below(self, item: str, /, **where: Any) -> int:
        """Return how many published numbers are lower than ours."""
        rows = self._select(item, where)
        return int((rows["published"] < rows["reproduced"]).sum())

    def same(self, item: str, /, **where: Any) -> Mapping[str, int]:
        """Return how many numbers there are, ours and published, and how many are the same."""
        rows = self._select(item, where).dropna(subset=["published", "reproduced"])
        return {"of": len(rows), "equal": int((rows["published"] == rows["reproduced"]).sum())}

    def rows(self, item: str, /, **where: Any) -> list[Any]:
        """Return rows as they are."""
        return self._select(item, where, empty=True).to_dict("records")

    def ratio(self, item: str, name: str, method: str, over: str, /) -> float:
        """Return the geometric mean over data sets of a method's values over another one's."""
        one, other = (
            self._select(item, {"method": m}).set_index("dataset")[name] for m in (method, over)
        )
        return geometric_mean((one / other).dropna())

    def names(self, item: str, name: str, /, **where: Any) -> list[Any]:
        """Return the different values of a column, in their order."""
        return list(dict.fromkeys(self.column(item, name, **where)))

    def count(self, item: str, /, **where: Any) -> int:
        """Return how many rows an item has."""
        return len(self._select(item, where, empty=True))

    def claim(self, name: str) -> Mapping[str, Any]:
        """Return a judged claim: ``held`` of ``replicates``, ``here`` and the other columns."""
        (row,) = self._select("claims", {"claim": name}).to_dict("records")
        return {str(key): value for key, value in row.items()}

    def claims(self, **where: Any) -> int:
        """Return how many claims the paper itself makes, with ``here="yes"`` for example."""
        rows = self._select("claims", where, empty=True)
        return int((rows["ours"] != "yes").sum())

    def _path(self, item: str) -> Path:
        return self._folder / f"{item}.csv"

    def _table(self, item: str) -> pd.DataFrame:
        if item not in self._tables:
            if not (path := self._path(item)).is_file():
                raise unknown_name("table", item, [p.stem for p in self._folder.glob("*.csv")])
            self._tables[item] = pd.read_csv(path)
        return self._tables[item]

    def _check(self, item: str, name: str) -> None:
        if name not in self._table(item):
            raise unknown_name(f"column of {item}", name, map(str, self._table(item)))

    def _select(self, item: str, where: Mapping[str, Any], empty: bool = False) -> pd.DataFrame:
        rows = self._table(item)
        for name, value in where.items():
            self._check(item, name)
            wanted = value if isinstance(value, list) else [value]
            rows = rows[rows[name].isna() if value is None else rows[name].isin(wanted)]
            if rows.empty and not empty:
                raise RetreeError(f"{self._path(item)} has no row with {name} {value!r}")
        return rows


def fill(
    text: str, results: Path, paper: str | None = None, source: Path | None = None, **more: Any
) -> str:
    """Return a template with today's numbers.

    `paper`: whose numbers stand without ``paper("...")``; `source`: the template's path; `more`:
    what else it may name.
    """
    with needs_extra("a page with a template"):
        from jinja2 import StrictUndefined, TemplateError
        from jinja2.sandbox import SandboxedEnvironment

    papers: dict[str, Numbers] = {}

    def numbers(name: str) -> Numbers:
        return papers.setdefault(name, Numbers(results / name))

    environment = SandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.filters |= FILTERS
    names: dict[str, Any] = {"paper": numbers, "only_if": _only_if}
    names |= {"finding": lambda file: finding(results / file), **more}
    if paper is not None:
        functions = [name for name in vars(Numbers) if not name.startswith("_")]
        names |= {name: getattr(numbers(paper), name) for name in functions}
    try:
        # Lines that only compute leave blank ones.
        return re.sub(r"\n{3,}", "\n\n", environment.from_string(text).render(names))
    except (RetreeError, TemplateError, TypeError, ValueError, KeyError) as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == "<template>"]
        line = getattr(error, "lineno", None) or lines[-1]
        raise RetreeError(f"{source or TEMPLATE}:{line}: {error}") from error


def _only_if(condition: bool, sentence: str = "") -> str:
    """Return nothing as long as a condition holds that the words around depend on."""
    if not condition:
        raise RetreeError(f"The condition of only_if is no longer true: {sentence or 'see there'}")
    return ""


FILTERS: dict[str, Callable[..., str]] = {
    "fixed": lambda value, decimals=0: f"{value:,.{decimals}f}".replace("-", "−"),
    "signed": lambda value, decimals=2: f"{value:+.{decimals}f}".replace("-", "−"),
    "digits": lambda value, count=2: f"{value:.{count}g}",
    "percent": percent,
    "word": lambda value: _WORDS[value] if 0 <= value < len(_WORDS) else f"{value:,}",
    "listed": lambda names: " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])),
    "ordinal": lambda value: _ORDINALS[int(value) - 1],
}
