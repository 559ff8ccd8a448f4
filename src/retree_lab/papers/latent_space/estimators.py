"""GSODT and LSODT with unpruned C4.5, since the paper does not say how its trees are pruned."""

from __future__ import annotations

from typing import Any

from retree import C45Classifier, GlobalSVDTreeClassifier, LocalSVDTreeClassifier


class UnprunedGSODT(GlobalSVDTreeClassifier):
    """GSODT whose trees are not pruned."""

    def parts(self) -> dict[str, Any]:
        """Return the base learner, and the transformer that makes the latent features."""
        return {**super().parts(), "estimator": _unpruned()}


class UnprunedLSODT(LocalSVDTreeClassifier):
    """LSODT whose trees are not pruned."""

    def parts(self) -> dict[str, Any]:
        """Return the base learner."""
        return {**super().parts(), "estimator": _unpruned()}


def _unpruned() -> C45Classifier:
    return C45Classifier(pruning=None, collapse=False)
