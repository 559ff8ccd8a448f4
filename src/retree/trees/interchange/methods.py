"""What trees and forests have in common for other programs."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from typing import Any

import retree
from retree.trees.tree import Tree

_VERSION = "_retree_version"


class OtherVersionWarning(UserWarning):
    """A pickle was written by another version of retree."""


class Interchange:
    """Export of a fitted tree or forest; pickles that know their version."""

    tree_: Tree
    n_features_in_: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted model as a document of plain values.

        Unlike a pickle it is read by all later versions, and nothing of it is executed.

        Returns
        -------
        dict
            As ``retree/trees/interchange/schema.json`` describes it; `retree.from_dict` makes an
            estimator of it that predicts the same, to the last bit.

        Raises
        ------
        ValueError
            If a parameter, a class or a level has no place in a document.
        """
        from retree.trees.interchange.document import document_of

        return document_of(self)

    def to_json(self) -> str:
        """Return the text of `to_dict`, which `retree.from_json` reads.

        Returns
        -------
        str
            ASCII only; every double is written so that the same double is read.

        Raises
        ------
        ValueError
            As `to_dict`.
        """
        return json.dumps(self.to_dict(), allow_nan=False)

    def export_python(self) -> str:
        """Return the source of a Python module that predicts as this does.

        Returns
        -------
        str
            It needs Python 3.10 or later and nothing else. ``predict_proba(row)`` takes a sequence
            of values or a mapping of feature names to values, None or NaN where missing, and
            returns the class shares, equal bit by bit to those here; ``predict(row)`` returns the
            class, or the mean of a regression.

        Raises
        ------
        ValueError
            If a class or a level is no string, number or boolean.
        """
        from retree.trees.interchange.model import model_of
        from retree.trees.interchange.python_code import python_code

        return python_code(model_of(self))

    def _held(self) -> tuple[Sequence[Tree], dict[str, Any]]:
        """Return the trees, and what else a forest holds."""
        return (self.tree_,), {}

    def _hold(self, trees: Sequence[Tree]) -> None:
        """Become a fitted estimator of what `_held` returned."""
        (self.tree_,) = trees

    def _columns(self) -> list[tuple[int, int | None]]:
        """Return the input feature of each column that the trees test, and None or a level."""
        return [(j, None) for j in range(self.n_features_in_)]

    def _input_names(self) -> list[str]:
        """Return the names of the input features."""
        names = getattr(self, "feature_names_in_", None)
        return [f"x[{j}]" if names is None else str(names[j]) for j in range(self.n_features_in_)]

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with the version that writes it."""
        state: dict[str, Any] = dict(super().__getstate__())  # type: ignore[arg-type]
        return state | {_VERSION: retree.__version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state; warn if another version has written it."""
        state = dict(state)
        written = state.pop(_VERSION, "0.1.0 or earlier")
        if written != retree.__version__:
            warnings.warn(
                f"This {type(self).__name__} was pickled by retree {written}, and this is "
                f"{retree.__version__}: its predictions may differ or fail. Fit it again, or keep "
                "models with to_json, which all later versions read.",
                OtherVersionWarning,
                stacklevel=2,
            )
        super().__setstate__(state)  # type: ignore[misc]
