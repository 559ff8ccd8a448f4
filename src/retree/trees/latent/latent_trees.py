"""Trees that are grown on latent features (He, Xu and Chen 2009): LAST, GSODT and LSODT."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any

from numpy.random import RandomState

from retree.trees.base import BaseTreeClassifier
from retree.trees.declaring import declare, parameter
from retree.trees.latent.base_learner import grow_and_prune
from retree.trees.latent.folding import fold
from retree.trees.latent.latent_base import BaseLatentTreeClassifier
from retree.trees.latent.latent_growing import (
    Pool,
    fit_directions,
    grow_centered,
    grow_local,
    make_transformer,
    to_latent,
)
from retree.trees.latent.transforms import SVDRotation
from retree.trees.mixed import Sample
from retree.trees.tree import Tree
from retree.trees.validation import none_or, one_of, whole

_BELOW = ("original", "rotated")


class _TransformedTree(BaseLatentTreeClassifier):
    """A tree grown on all rows after one transform."""

    def _grown(self, learner: BaseTreeClassifier, sample: Sample, pool: Pool) -> Tree:
        self.transformer_ = self._transformer()
        directions = fit_directions(self.transformer_, pool.X, pool.weight)
        latent, directions = to_latent(sample, directions)
        tree = grow_and_prune(learner, grow_centered, latent, len(self.classes_))
        return fold(tree, directions)

    def parts(self) -> dict[str, Any]:
        """Return the estimator that the tree is grown with, and what makes the latent features."""
        return {**super().parts(), "transformer": self._transformer()}

    @abstractmethod
    def _transformer(self) -> Any:
        """Return the unfitted transformer."""


@declare("latent_space")
class LatentSpaceTreeClassifier(_TransformedTree):
    """A tree grown on linear combinations of the features (the LAST framework).

    A linear transform of all rows makes latent features, on which the base learner grows a tree
    as on any features. The transform is then folded into the tests: `tree_` tests weighted sums
    of the original features, so prediction, rules and pruning do without it. A latent feature
    that is one of the original ones is tested like it.

    The threshold of a test stands in the middle between the neighbouring values of the rows that
    it was found on. The base learner may take one of these values, as C4.5 does, but a row that
    stands exactly on a threshold would change sides with the rounding of its weighted sum.

    Latent features in which the rows differ by no more than rounding are left out; if none are
    left, the tree is a leaf. The order of the rows does not matter.

    Parameters
    ----------
    transformer : {"svd", "pca", "ica"} or transformer
        "svd" is `SVDRotation`, which is neither centred nor scaled, "pca" the same with `center`,
        "ica" `IndependentComponents`. Any other transformer must return
        ``(X - mean_) @ components_.T``, or without ``mean_``.
    random_state : int, RandomState or None
        Draws the start of "ica".

    Attributes
    ----------
    transformer_ : transformer
        The fitted transformer.

    References
    ----------
    He P., Xu X., Chen L. (2009). Latent attribute space tree classifiers. Journal of Software
    20(7), 1735-1745.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import LatentSpaceTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> LatentSpaceTreeClassifier(transformer="pca").fit(X, y).get_n_leaves()
    5
    """

    transformer: Any = "svd"
    random_state: int | RandomState | None = None

    def _transformer(self) -> Any:
        return make_transformer(self.transformer, self.random_state)


@declare("global_svd", version=2)
class GlobalSVDTreeClassifier(_TransformedTree):
    """GSODT: a tree grown on all rows rotated by their singular value decomposition (Fig. 2).

    It is `LatentSpaceTreeClassifier` with "svd". The paper rotates by training and test rows
    together: give the latter as `X_unlabelled` of `fit`. The rotation of n rows of p features takes
    O(p^2 n + p^3).

    Attributes
    ----------
    transformer_ : SVDRotation
        The rotation.

    References
    ----------
    He P., Xu X., Chen L. (2009). Latent attribute space tree classifiers. Journal of Software
    20(7), 1735-1745.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import GlobalSVDTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> GlobalSVDTreeClassifier().fit(X, y).get_n_leaves()
    5
    """

    def _transformer(self) -> SVDRotation:
        return SVDRotation()


@declare("local_svd", version=2)
class LocalSVDTreeClassifier(BaseLatentTreeClassifier):
    """LSODT: the nodes of the top levels rotate their own rows (Fig. 4).

    In the top `levels` levels, each node finds its test on the latent features that the singular
    value decomposition of its own rows makes (see `SVDRotation`), unlabelled rows among them. The
    whole tree is pruned at the end, as the base learner prunes its own. Thresholds are those of
    `LatentSpaceTreeClassifier`. Each rotation of n rows of p features takes O(p^2 n + p^3).

    Parameters
    ----------
    levels : int or None
        Levels of nodes that rotate their rows; None is all levels.
    below : {"rotated", "original"}
        Attributes of the nodes below these levels: "rotated" is Fig. 4 taken literally, which hands
        on the rotated rows, so that one level makes the tree of `GlobalSVDTreeClassifier`.
    estimator : tree classifier of retree or None
        Base learner, whose tests compare features with thresholds; None is C4.5. Rows that its
        pruning keeps aside take part in the rotations, but not in growing.

    References
    ----------
    He P., Xu X., Chen L. (2009). Latent attribute space tree classifiers. Journal of Software
    20(7), 1735-1745.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import LocalSVDTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> LocalSVDTreeClassifier(levels=2).fit(X, y).get_n_leaves()
    5
    """

    levels: int | None = parameter(default=1, check=none_or(whole(1)))
    below: str = parameter(default="rotated", check=one_of(*_BELOW))

    def _grown(self, learner: BaseTreeClassifier, sample: Sample, pool: Pool) -> Tree:
        grow = partial(grow_local, pool=pool, levels=self.levels, below=self.below)
        return grow_and_prune(learner, grow, sample, len(self.classes_))
