"""Bases of estimators, as scikit-learn has them but with types, so that parameters are checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    # Where a base has no types, a type checker takes any parameters.
    class _Untyped:
        def __getattr__(self, name: str) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...

    class BaseEstimator(_Untyped):
        """Parameters."""

        @classmethod
        def _get_param_names(cls) -> list[str]: ...
        def set_params(self, **params: Any) -> Self:
            """Set parameters."""
            ...

    class ClassifierMixin(_Untyped):
        """A classifier."""

    class RegressorMixin(_Untyped):
        """A regressor."""

    class TransformerMixin(_Untyped):
        """A transformer."""

    class SelectorMixin(_Untyped):
        """A selection of features."""

        def transform(self, X: Any) -> Any:
            """Return the columns that are kept."""
            ...
else:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "RegressorMixin",
    "TransformerMixin",
]
