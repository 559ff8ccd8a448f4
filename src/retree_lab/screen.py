"""Printing: sentences as they are, and tables whose numbers are whole at any width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

# Each column has a space on either side, and one between it and the next.
_PADDING, _EDGES = 3, 1


def say(text: str, console: Console, *, end: str = "\n", style: str | None = None) -> None:
    """Print a sentence, or a file's path, as it is."""
    console.print(text, markup=False, highlight=False, soft_wrap=True, end=end, style=style)


def say_all(sentences: Iterable[str], console: Console) -> None:
    """Print sentences as they are, each on a line."""
    for sentence in sentences:
        say(sentence, console)


def print_table(
    head: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    console: Console,
    *,
    keys: int = 1,
    left: Sequence[str] = (),
) -> None:
    """Print a table, in blocks below each other if it is wider than the screen.

    `keys`: how many columns, the first ones, name a row: each block has them. They are what is
    folded where even one further column does not fit.
    `left`: heads of the other columns that are of words, and no numbers.
    """
    lines = [[Text(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    for columns in _blocks(head, lines, console.width, keys):
        table = Table(box=box.SIMPLE)
        for i in columns:
            words = i < keys or head[i] in left
            table.add_column(
                Text(head[i]),
                justify="left" if words else "right",
                no_wrap=not words,
                overflow="fold",
            )
        for line in lines:
            table.add_row(*(line[i] for i in columns))
        console.print(table)


def _blocks(
    head: Sequence[str], lines: Sequence[Sequence[Text]], width: int, keys: int
) -> Iterator[list[int]]:
    """Yield the columns of each block."""
    widths = [
        _PADDING + max(cell_len(title), *(line[i].cell_len for line in lines), 0)
        for i, title in enumerate(head)
    ]
    first = [*range(keys)]
    # Names may be folded to half of the screen.
    room = width - _EDGES - min(sum(widths[:keys]), width // 2)
    block: list[int] = []
    for i in range(keys, len(head)):
        if block and sum(widths[j] for j in [*block, i]) > room:
            yield [*first, *block]
            block = []
        block.append(i)
    yield [*first, *block]
