"""Methods of trees and forests that export them: documents, text, rules, pictures, pickles."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import pandas as pd
from sklearn.utils.validation import check_is_fitted

import retree
from retree.errors import needs_extra
from retree.trees.declaring import Contract
from retree.trees.rows import input_names
from retree.trees.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from retree.trees.export.describe import Names
    from retree.trees.export.html import HtmlTree


_VERSION = "_retree_version"


class OtherVersionWarning(UserWarning):
    """A pickle was written by another version of retree."""


class Pickled:
    """Pickling with a record of the version, and with types that skops can hold."""

    def __copy__(self) -> Self:
        """Return a shallow copy; its state need not be suited for a file."""
        made = type(self).__new__(type(self))
        vars(made).update(vars(self))
        return made

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with the version of retree, and with levels in a form for skops."""
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        if "categories_" in state:
            levels = [_plain_index(each) for each in state["categories_"]]
            state = state | {"categories_": levels}
        return state | {_VERSION: retree.__version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state; warn if another version has written it."""
        state = dict(state)
        written = state.pop(_VERSION, "of an earlier version")
        if written != retree.__version__:
            keep = ", or keep models with to_json, which all later versions read"
            warnings.warn(
                f"This {type(self).__name__} was pickled by retree {written}, and this is "
                f"{retree.__version__}: its predictions may differ or fail. Fit it again"
                f"{keep if hasattr(self, 'to_json') else ''}.",
                OtherVersionWarning,
                stacklevel=2,
            )
        if "categories_" in state:
            state["categories_"] = [_index(levels) for levels in state["categories_"]]
        super().__setstate__(state)  # type: ignore[misc]


class Interchange(Pickled):
    """Export of a fitted tree or forest."""

    tree_: Tree
    n_features_in_: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted model as a document of plain values.

        Unlike a pickle, all later versions can read it, and reading it executes no code.

        Returns
        -------
        dict
            A document that follows ``retree/trees/interchange/schema.json``. `retree.from_dict`
            turns it back into an estimator, whose predictions are equal bit by bit.

        Raises
        ------
        ValueError
            If a parameter, a class or a level cannot be stored in a document.
        """
        from retree.trees.interchange.document import document_of

        return document_of(self)

    def to_json(self) -> str:
        """Return the document of `to_dict` as JSON, which `retree.from_json` reads.

        Returns
        -------
        str
            ASCII text; reading it gives exactly the same doubles.

        Raises
        ------
        ValueError
            As for `to_dict`.
        """
        return json.dumps(self.to_dict(), allow_nan=False)

    def export_sql(self, table: str, *, keys: Sequence[str] = ()) -> str:
        """Return an SQL query that makes the predictions of this tree or forest for a table.

        Parameters
        ----------
        table : str
            Name of the table, whose columns have the names of the features.
        keys : sequence of str, default=()
            Columns of the table to put first in the result. Databases return rows in any order, so
            name the columns that identify a row.

        Returns
        -------
        str
            Plain SQL, tested in SQLite and DuckDB. The result has a column for the share of each
            class and a column ``prediction``; for a regression only the latter. NULL is a missing
            value, as are levels that `fit` has not seen; NaN is not supported. Class shares are
            equal bit by bit to `predict_proba`. The result is NULL for rows that a tree divides
            over several branches, as C4.5 does if a tested value is missing.

        Raises
        ------
        ValueError
            If a tree tests for the nearest centre, is deeper than 12 levels or belongs to a forest
            of more than 500 trees, if trees add up log odds, or if SQL cannot hold a name or a
            label.
        """
        from retree.trees.interchange.model import model_of
        from retree.trees.interchange.sql import sql_code

        return sql_code(model_of(self), table, keys)

    def to_sklearn(self) -> Any:
        """Return a fitted scikit-learn estimator that makes the same predictions.

        Other programs read such an estimator: skl2onnx, treelite, shap and dtreeviz. Tests of
        levels become exactly equivalent thresholds between the numbers of the levels; the estimator
        is then a pipeline that begins with an encoder of the levels.

        Returns
        -------
        DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier, VotingClassifier \
            or Pipeline A forest whose trees have different voting weights becomes a
            ``VotingClassifier``. Class shares of a tree are equal for rows of float32 numbers,
            those of a forest equal except for rounding. There are three differences. scikit-learn
            rounds all values to float32, so a row takes another branch if a threshold lies between
            a value and its rounded value. Rows without a tested value take the heaviest branch, so
            predictions for them differ from those of trees that divide such rows, as C4.5 does.
            ``predict`` can differ where the highest shares differ by less than 1e-6, which retree
            treats as tied.

        Raises
        ------
        ValueError
            If a tree tests weighted sums or the nearest centre, if levels that are numbers are not
            in ascending order, or if a tree would need more than 100,000 nodes.
        """
        from retree.trees.interchange.model import model_of
        from retree.trees.interchange.sklearn_models import sklearn_model

        return sklearn_model(model_of(self), getattr(self, "feature_names_in_", None))

    def _held(self) -> tuple[Sequence[Tree], dict[str, Any]]:
        """Return the trees, and the other values that a forest holds."""
        return (self.tree_,), {}

    def _hold(self, trees: Sequence[Tree]) -> None:
        """Become fitted, with what `_held` returned."""
        (self.tree_,) = trees

    def _columns(self) -> list[tuple[int, int | None]]:
        """Return the input feature of each column that the trees test, and its level or None."""
        return [(j, None) for j in range(self.n_features_in_)]


def _plain_index(levels: Any) -> Any:
    """Return an Index as a dict of plain values, if the dict restores the same Index."""
    if not isinstance(levels, pd.Index):
        return levels
    plain: dict[str, Any] = {
        "values": levels.tolist(),
        "dtype": str(levels.dtype),
        "name": levels.name,
    }
    is_plain = all(isinstance(v, str | bool | int | float) for v in plain["values"])
    try:
        same = is_plain and levels.identical(_index(plain))
    except TypeError:
        same = False
    return plain if same else levels


def _index(levels: Any) -> Any:
    """Return the Index that `_plain_index` turned into plain values."""
    if not isinstance(levels, dict):
        return levels
    return pd.Index(levels["values"], dtype=levels["dtype"], name=levels["name"])


class TreeExports(Interchange):
    """Text, rules and pictures of ``tree_``."""

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
        """Return the HTML for a notebook: scikit-learn's diagram with the fitted tree below it."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._repr_svg_() or ""
        return bundle

    def _repr_html_inner(self) -> str:
        """Return the same HTML for readers that do not ask for a MIME bundle."""
        inner: str = super()._repr_html_inner()  # type: ignore[misc]
        return inner + (self._repr_svg_() or "")

    def _repr_svg_(self) -> str | None:
        """Return a drawing of the fitted tree, cut at a depth that is legible."""
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
        """Return the names of features, classes and levels, by default those seen in `fit`."""
        check_is_fitted(self)
        return {
            "feature_names": self.feature_names() if feature_names is None else feature_names,
            "class_names": self._class_names(class_names),
            "levels": getattr(self, "categories_", None) if self.contract.tests_levels else None,
        }
