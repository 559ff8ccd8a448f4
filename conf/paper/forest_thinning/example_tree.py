"""The tree of an example: a node, its leaves and the rows that end in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retree.errors import RetreeError
from retree.experiments.definition.item import Item
from retree.reports.context import Context
from retree.reports.figures import new_figure
from retree.reports.kind import Kind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BOX: dict[str, Any] = {"boxstyle": "round,pad=0.5", "facecolor": "white", "linewidth": 0.8}
_WORDS: dict[str, Any] = {"ha": "center", "va": "center", "linespacing": 1.4}


@dataclass(frozen=True, kw_only=True)
class ExampleTree(Kind[None]):
    """A test node with its leaves, their class shares, and the rows of each class."""

    node: tuple[float, ...]  # Class shares of the node
    leaves: tuple[tuple[float, ...], ...]  # Class shares of the leaves below it
    labels: tuple[int, ...]  # The class of each row, and the leaf that it ends in, both from 1
    ends: tuple[int, ...]

    def check(self, item: Item) -> None:
        """Refuse rows that end in no leaf, or not as many ends as labels."""
        if len(self.labels) != len(self.ends) or not set(self.ends) <= self._numbers:
            raise RetreeError(
                f"{item.name} needs an end for each label, from 1 to {len(self.leaves)}."
            )

    @property
    def _numbers(self) -> set[int]:
        return set(range(1, len(self.leaves) + 1))

    def texts(self) -> list[str]:
        """Return what stands in the node, and in each leaf."""
        everything = range(len(self.labels))
        texts = [self._text("v", self.node, everything)]
        for number, shares in enumerate(self.leaves, 1):
            rows = [i for i in everything if self.ends[i] == number]
            texts.append(self._text(f"v{number}", shares, rows))
        return texts

    def _text(self, name: str, shares: Sequence[float], rows: Sequence[int]) -> str:
        """Return name, class shares and rows of a node, those of each class in a line."""
        lines = [f"{name}: {', '.join(f'{share:.2f}' for share in shares)}"]
        for label in sorted(set(self.labels)):
            own = [f"x{i}" for i in rows if self.labels[i] == label]
            if own:
                lines.append(f"class {label}: {' '.join(own)}")
        return "\n".join(lines)

    def draw(self, context: Context, rows: None) -> Iterator[tuple[str, Figure]]:
        """Yield the figure."""
        figure = new_figure(1.9)
        axes = figure.subplots()
        axes.set(xlim=(0, 1), ylim=(0, 1))
        axes.set_axis_off()
        top, *leaves = self.texts()
        for number, text in enumerate(leaves):
            x = (number + 0.5) / len(leaves)
            axes.plot([0.5, x], [0.78, 0.22], color="black", linewidth=0.8, zorder=1)
            axes.text(x, 0.22, text, bbox=_BOX, zorder=2, **_WORDS)
        axes.text(0.5, 0.78, top, bbox=_BOX, zorder=2, **_WORDS)
        yield "", figure
