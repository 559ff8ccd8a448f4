"""Text, rules and pictures of a fitted tree, as its methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from retree.errors import needs_extra
from retree.trees.contract import Contract
from retree.trees.interchange.methods import Interchange
from retree.trees.rows import input_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from retree.trees.export.describe import Names
    from retree.trees.export.html import HtmlTree


class TreeExports(Interchange):
    """Text, rules and pictures of an estimator that has grown ``tree_``."""

    _class_names: Callable[[Names | None], Any]
    contract: ClassVar[Contract]

    def export_text(
        self,
        *,
        feature_names: Names | None = None,
        class_names: Names | None = None,
        style: str = "counts",
        decimals: int | None = None,
        max_depth: int | None = None,
    ) -> str:
        """Return the tree as indented text; see `retree.trees.export.rules.export_text`."""
        from retree.trees.export.rules import export_text

        names = self._names(feature_names, class_names)
        how: dict[str, Any] = {"style": style, "decimals": decimals, "max_depth": max_depth}
        return export_text(self.tree_, **names, **how)

    def export_html(
        self,
        *,
        feature_names: Names | None = None,
        class_names: Names | None = None,
        open_depth: int = 2,
        title: str = "Decision tree",
    ) -> HtmlTree:
        """Return the tree as an interactive page; see `retree.trees.export.html.export_html`."""
        from retree.trees.export.html import export_html

        names = self._names(feature_names, class_names)
        divides = self.contract.divides_missing
        return export_html(
            self.tree_, **names, divide_missing=divides, open_depth=open_depth, title=title
        )

    def export_rules(
        self,
        *,
        feature_names: Names | None = None,
        class_names: Names | None = None,
        order: str = "leaves",
        decimals: int = 4,
    ) -> str:
        """Return the tree as rules, one per leaf; see `retree.trees.export.rules.export_rules`."""
        from retree.trees.export.rules import export_rules

        names = self._names(feature_names, class_names)
        return export_rules(self.tree_, **names, order=order, decimals=decimals)

    def export_graphviz(
        self,
        *,
        feature_names: Names | None = None,
        class_names: Names | None = None,
        max_depth: int | None = None,
        filled: bool = True,
    ) -> str:
        """Return the tree as DOT; see `retree.trees.export.pictures.export_graphviz`."""
        from retree.trees.export.pictures import export_graphviz

        names = self._names(feature_names, class_names)
        return export_graphviz(self.tree_, **names, max_depth=max_depth, filled=filled)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        feature_names: Names | None = None,
        class_names: Names | None = None,
        max_depth: int | None = None,
    ) -> Axes:
        """Draw the tree; see `retree.trees.export.plot.plot_tree`."""
        with needs_extra("drawing a tree"):
            from retree.trees.export.plot import plot_tree

        names = self._names(feature_names, class_names)
        return plot_tree(self.tree_, **names, ax=ax, max_depth=max_depth)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return what a notebook shows: scikit-learn's diagram, and below it the fitted tree."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._repr_svg_() or ""
        return bundle

    def _repr_html_inner(self) -> str:
        """Return the same for readers that do not ask for a MIME bundle."""
        inner: str = super()._repr_html_inner()  # type: ignore[misc]
        return inner + (self._repr_svg_() or "")

    def _repr_svg_(self) -> str | None:
        """Return a drawing of the fitted tree, cut at the depth that is still legible."""
        if not hasattr(self, "tree_"):
            return None
        try:
            from retree.trees.export.plot import tree_svg
        except ModuleNotFoundError:
            # Without matplotlib a notebook shows what scikit-learn shows.
            return None
        return tree_svg(self.tree_, **self._names())

    def feature_names(self) -> list[str]:
        """Return the column names seen in `fit`, or ``x[0], x[1], …`` if there were none."""
        return input_names(self)

    def _names(
        self, feature_names: Names | None = None, class_names: Names | None = None
    ) -> dict[str, Any]:
        """Return the names of features, classes and levels: those given, or those seen in `fit`."""
        check_is_fitted(self)
        return {
            "feature_names": self.feature_names() if feature_names is None else feature_names,
            "class_names": self._class_names(class_names),
            "levels": getattr(self, "categories_", None) if self.contract.tests_levels else None,
        }
