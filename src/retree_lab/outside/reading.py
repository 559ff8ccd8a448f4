"""Tables as people paste them: csv, Markdown or LaTeX, data sets by methods."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from retree.errors import RetreeError
from retree_lab.plain_files import read_records

# What a row is called that is about the rows above it.
MEAN_ROWS = ("mean", "average", "avg", "avg.", "ave.", "ave", "mean value", "overall mean")
RANK_ROWS = ("average rank", "avg. rank", "avg rank", "mean rank", "rank", "ave. rank")
# What a column is called that says how many rows a data set has.
SIZE_HEADS = ("rows", "instances", "n", "size", "#instances", "n_instances", "examples", "cases")

# What is read of a table, and of a csv of one number a line.
MOST_ROWS, MOST_COLUMNS, MOST_LINES = 2_000, 200, 50_000

_NUMBER = r"[-+]?(?:\d+(?:[.,]\d+)?|[.,]\d+)"
_CELL = re.compile(
    rf"^(?P<before>[^\d.,+-]*)(?P<value>{_NUMBER})\s*(?P<percent>%?)\s*"
    rf"(?:(?:±|\+/-|\+-|\()\s*(?P<std>{_NUMBER})\s*%?\s*\)?)?(?P<after>[^\d]*)$"
)
_LATEX = {r"\pm": "±", r"\%": "%", r"\_": "_", r"\&": "&", r"\bullet": "•", r"\circ": "◦"}
_BOLD = re.compile(r"\\(?:textbf|mathbf|bf|bm|boldsymbol)\b|\*\*")
_SPACES = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|cline\{[^}]*\}|cmidrule[^ ]*\})|\$|~")


@dataclass(frozen=True)
class Number:
    """A number of a table as printed."""

    value: float
    unit: float  # Of its last digit
    std: float = math.nan  # What stands behind ±, or in brackets
    std_unit: float = math.nan
    bold: bool = False
    mark: str = ""  # Signs beside it: a star, a bullet


@dataclass(frozen=True)
class OutsideTable:
    """A table of data sets by methods; a cell without a number is None."""

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    cells: tuple[tuple[Number | None, ...], ...]  # By data set, then by method
    sizes: dict[str, int] = field(default_factory=dict)  # Rows of the data sets that it names
    means: dict[str, Number] = field(default_factory=dict)  # The row of averages, by method
    ranks: dict[str, Number] = field(default_factory=dict)  # The row of average ranks, by method
    name: str = ""  # What it is called, where a file has several
    metric: str = ""  # What its numbers are, where it says so

    def column(self, method: str) -> dict[str, Number]:
        """Return the numbers of a method, by data set."""
        at = self.methods.index(method)
        rows = zip(self.datasets, self.cells, strict=True)
        return {name: cell for name, row in rows if (cell := row[at]) is not None}


def read_tables(text: str) -> list[OutsideTable]:
    """Return the tables that `text` holds, whichever of the three forms it has.

    The first column names the data sets, and the first line the methods. Columns without numbers
    are left out. A column of rows is taken as such by its head, and so are rows of averages. A csv
    of the columns ``dataset``, ``method`` and ``value`` is a table for each text in its columns
    ``table`` and ``metric``.

    Raises
    ------
    RetreeError
        If there is no number in it, it is too large, a data set or a method appears twice, or a
        line is longer than the first.
    """
    lines = [line for line in _lines(text) if any(cell.strip() for cell in line)]
    if len(lines) < 2:
        raise RetreeError(
            "This is not a table: give a csv, Markdown or LaTeX table with a header line, "
            "and a line for each data set."
        )
    head, *body = lines
    is_long = {"dataset", "method", "value"} <= {name.strip().casefold() for name in head}
    _check_size(len(body), len(head), MOST_LINES if is_long else MOST_ROWS)
    width = len(head)
    for i, line in enumerate(body, start=2):
        if any(cell.strip() for cell in line[width:]):
            raise RetreeError(
                f"Line {i} of the table has {len(line)} cells, and the first has {width}: correct "
                "it."
            )
    rows = [[*line[:width], *[""] * (width - len(line))] for line in body]
    if not is_long:
        return [_table([_plain(name) for name in head], rows)]
    names = [name.strip().casefold() for name in head]
    apart: dict[tuple[str, ...], list[list[str]]] = {}
    at = [names.index(name) if name in names else None for name in ("table", "metric")]
    for row in rows:
        apart.setdefault(tuple("" if i is None else row[i].strip() for i in at), []).append(row)
    tables = []
    for (name, metric), some in apart.items():
        wide = _wide(names, some)
        _check_size(len(wide[1]), len(wide[0]), MOST_ROWS)
        table = _table([_plain(text) for text in wide[0]], wide[1])
        tables.append(replace(table, name=name, metric=metric))
    return tables


def _check_size(rows: int, columns: int, most: int) -> None:
    if rows > most or columns > MOST_COLUMNS:
        raise RetreeError(
            f"This table has {rows:,} rows and {columns:,} columns; at most {most:,} and "
            f"{MOST_COLUMNS} are read: give a part of it."
        )


def number_of(text: str) -> Number | None:
    """Return the number that a cell shows, None if it shows none.

    Examples
    --------
    >>> number_of("94.67 ± 1.20*")
    Number(value=94.67, unit=0.01, std=1.2, std_unit=0.01, bold=False, mark='*')
    """
    plain = _plain(text)
    match = _CELL.match(plain)
    if match is None:
        return None
    value, unit = _value(match["value"])
    std, std_unit = _value(match["std"]) if match["std"] else (math.nan, math.nan)
    mark = (match["before"] + match["after"]).strip("() ")
    if any(sign.isalnum() and sign != "v" for sign in mark):
        return None
    return Number(value, unit, std, std_unit, bool(_BOLD.search(text)), mark)


def _value(text: str) -> tuple[float, float]:
    """Return a number, and the unit of its last digit; a comma may be its point."""
    text = text.replace(",", ".")
    return float(text), round(10.0 ** -len(text.partition(".")[2]), 12)


def _plain(text: str) -> str:
    """Return a cell without what LaTeX and Markdown say about its looks."""
    for command, sign in _LATEX.items():
        text = text.replace(command, sign)
    text = re.sub(r"\\multicolumn\{\d+\}\{[^}]*\}", "", _SPACES.sub(" ", text))
    text = re.sub(r"\\[a-zA-Z]+\s*", "", text).replace("**", "")
    return " ".join(re.sub(r"[{}^]|\\", "", text).split())


def _lines(text: str) -> Iterable[list[str]]:
    """Return the cells of each line."""
    if re.search(r"(?<!\\)&", text) and r"\\" in text:
        body = re.sub(r"(?<!\\)%.*", "", text)
        body = re.sub(r"^.*?\\begin\{tabular\*?\}(?:\{[^}]*\})*", "", body, flags=re.DOTALL)
        body = re.sub(r"\\end\{tabular.*$", "", body, flags=re.DOTALL)
        return [re.split(r"(?<!\\)&", line) for line in re.split(r"\\\\(?:\[[^\]]*\])?", body)]
    piped = [line.strip() for line in text.splitlines() if line.strip().startswith("|")]
    if len(piped) > 1:
        cells = [re.split(r"(?<!\\)\|", line.strip("|")) for line in piped]
        return [line for line in cells if not all(re.fullmatch(r"\s*:?-+:?\s*", c) for c in line)]
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = max("\t;,", key=first.count)
    return [cells for _, cells in read_records(text.strip(), "this csv", separator)]


def _wide(head: Sequence[str], body: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """Return heads and lines of a table of one value in each line."""
    dataset, method, value = (head.index(name) for name in ("dataset", "method", "value"))
    std = head.index("std") if "std" in head else None
    cells: dict[str, dict[str, str]] = {}
    methods: dict[str, None] = {}
    for line in body:
        row = cells.setdefault(line[dataset], {})
        if line[method] in row:
            raise RetreeError(
                f"{line[method]} has two values on {line[dataset]}: give one table at a time."
            )
        spread = f" ± {line[std]}" if std is not None and line[std].strip() else ""
        row[line[method]] = line[value] + spread
        methods.setdefault(line[method])
    wide = [[name, *(row.get(m, "") for m in methods)] for name, row in cells.items()]
    return ["dataset", *methods], wide


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> OutsideTable:
    numbers = [[number_of(cell) for cell in row[1:]] for row in rows]
    names = [_plain(row[0]) for row in rows]
    kept = [i for i in range(len(head) - 1) if any(line[i] is not None for line in numbers)]
    sizes = next((i for i in kept if head[i + 1].casefold() in SIZE_HEADS), None)
    methods = [i for i in kept if i != sizes]
    heads = tuple(head[i + 1] or f"column {i + 2}" for i in methods)
    about = {"means": MEAN_ROWS, "ranks": RANK_ROWS}
    rows_about: dict[str, dict[str, Number]] = {key: {} for key in about}
    datasets: list[str] = []
    cells: list[tuple[Number | None, ...]] = []
    counts: dict[str, int] = {}
    for name, line in zip(names, numbers, strict=True):
        chosen = tuple(line[i] for i in methods)
        key = next((key for key, aliases in about.items() if name.casefold() in aliases), None)
        if key is not None:
            rows_about[key] = {m: c for m, c in zip(heads, chosen, strict=True) if c is not None}
        elif any(cell is not None for cell in chosen):
            datasets.append(name)
            cells.append(chosen)
            if sizes is not None and (size := line[sizes]) is not None:
                counts[name] = int(size.value)
    if not datasets:
        raise RetreeError("There is no number in this table: give accuracies of data sets.")
    for what, given in (("data set", datasets), ("column", heads)):
        if twice := sorted({name for name in given if given.count(name) > 1}):
            raise RetreeError(f"The {what} {twice[0]!r} appears twice: give one table at a time.")
    table = OutsideTable(tuple(datasets), heads, tuple(cells), counts)
    return replace(table, means=rows_about["means"], ranks=rows_about["ranks"])
