"""The parts that OC1 and CART-LC share: parameters, fitting, and making the tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.trees.base import NumericTreeClassifier
from retree.trees.declaring import changed, parameter, parameters
from retree.trees.decreases import ENTROPY, GINI
from retree.trees.mixed import Sample, repeated_rows
from retree.trees.parameters import (
    Pruning,
    WithClassWeight,
    WithDepth,
    WithFilling,
    WithLeaves,
    WithPruning,
    WithSmoothing,
)
from retree.trees.tree import OBLIQUE, Tree
from retree.trees.validation import check_flag, check_weight, depth_limit, one_of, whole

AS_WRITTEN, ORIGINAL = SEARCHES = ("as_written", "original")


class OriginalRule(NamedTuple):
    """The options of the OC1 program, as the engine takes them."""

    shifts: bool
    min_rows_per_feature: float
    min_samples_split: int
    max_depth: int
    is_cart: bool = False
    max_cycles: int = 0
    n_restarts: int = 0
    max_jumps: int = 0


def grow_original(
    sample: Sample, n_classes: int, rule: OriginalRule, state: int
) -> tuple[NDArray[Any], ...]:
    """Grow a tree as the OC1 program does (version 3 of 1994, published with Murthy et al.).

    The program differs from the paper that describes it:

    - It computes with 32-bit floats. Changes of a coefficient by 1e-4 or less are ignored.
    - CART-LC accepts each suggested change of a coefficient, even if it makes the split worse, and
      never returns to its best hyperplane. The search in a node ends after a cycle that changes the
      impurity by less than 1e-4, or after ``max_cycles + 1`` cycles.
    - Steps are chosen as if x_m + g (in OC1 x_m) were positive. If features are negative, the
      resulting cut is not the chosen one. OC1 therefore shifts features with values below 0 to
      minimum 0 in each node (`shifts`). But it does not shift the axis-parallel test from which its
      first climb starts. CART-LC shifts nothing.
    - OC1 never perturbs the constant term alone. It makes up to eleven steps without gain in a row.
      The climb from the axis-parallel test counts as one of the `n_restarts`.
    - If all rows are on one side of the hyperplane, it has the impurity of the node, and the node
      becomes a leaf.
    - Coefficients of CART-LC may grow without bound and overflow. Such a test then depends only on
      the sign of one feature. If all sums are NaN, all rows go right and the search starts again in
      the node below, down to `max_depth`.
    - Each tied cut along a line replaces the previous one with probability 1/2, using random
      numbers of drand48. All nodes, depth first, use a single stream of them.

    Tests here compare sums of doubles, so a row very near a hyperplane may be predicted on the
    other side of it. If more than one coefficient of a test has overflowed, the test compares the
    sum of these features with 0. In the program, the product of a large finite coefficient and a
    value can overflow too, also on test rows. All 30 trees that we compared equal those of the
    program, node by node. The accuracy on test rows differs for 6 of them, by up to 2 points:
    CART-LC on ringnorm, twonorm and waveform, where coefficients overflow.

    `sample`: rows of numbers up to 3.4e38. Their order matters only after an overflow.

    References
    ----------
    Murthy S. K. (1994). OC1, version 3. Files mktree.c and perturb.c. The online appendix of
    Journal of Artificial Intelligence Research 2, 1-32.
    """
    return engine.call("grow_original", sample.X, sample.y, n_classes, rule, state)


def seeded_state(seed: int) -> int:
    """Return the state of drand48 after srand48 with a seed in [0, 2**32)."""
    return (seed << 16) + 0x330E


CRITERIA, SCALING = map(engine.choices, ("oblique_criterion", "scaling"))


@parameters
class BaseObliqueClassifier(
    WithDepth,
    WithPruning,
    WithFilling,
    WithClassWeight,
    WithSmoothing,
    WithLeaves,
    NumericTreeClassifier,
    ABC,
):
    """Parameters that OC1 and CART-LC share, and growing by the search of each.

    Rows are repeated as often as their weights say if these are whole numbers, so pruning may hold
    out some of the copies. Other weights are added up.

    Parameters
    ----------
    criterion : {"twoing", "gini", "entropy", "sum_minority", "max_minority"}
        The impurity that the search minimises, see `OC1Classifier`.
    min_rows_per_feature : float
        A node with at most this many rows per feature gets an axis-parallel test.
    min_samples_split : int
        Minimum number of rows of a node to be split. With 4, axis-parallel trees have as many
        leaves as those of the original system.
    pruning_params : dict or None
        Parameters of the pruning, see `retree.trees.pruning.fitting.grow_pruned`. For
        "cost_complexity", None means OC1's own, ``{"validation_fraction": 0.1}``.
    """

    criterion: Literal["twoing", "gini", "entropy", "sum_minority", "max_minority"] = parameter(
        default="twoing", check=one_of(*CRITERIA)
    )
    normalise: bool = parameter(default=True, check=check_flag)
    min_rows_per_feature: float = parameter(default=2.0, check=check_weight)
    min_samples_split: int = parameter(default=4, check=whole(2))
    max_depth: int | None = 50
    pruning: Pruning | None = "cost_complexity"
    search: Literal["as_written", "original"] = parameter(
        default=AS_WRITTEN, check=one_of(*SEARCHES), neutral=True
    )

    _grows: ClassVar[str]  # the function of the engine
    declares = changed(draws=True)
    _draws = False  # whether that function takes a seed
    _scaling: ClassVar[str]  # how features are shifted and scaled if `normalise` is set

    @property
    def impurity(self) -> str:
        """The criterion, or the Gini index if the criterion is not an impurity."""
        return ENTROPY if self.criterion == ENTROPY else GINI

    def draw_seed(self, rng: Any) -> int:
        """Return the seed for all trees of a fit, drawn before pruning draws its rows."""
        return int(rng.randint(2**31))

    def grow(self, sample: Sample, rng: int) -> Tree:
        """Grow the unpruned tree of checked rows, without those that pruning holds out."""
        n_classes = len(self.classes_)
        if self.search == ORIGINAL:
            state = seeded_state(rng)
            return _tree(*grow_original(sample, n_classes, self._original_rule(), state))
        rule, seeds = SimpleNamespace(**self._rule(), **self._search()), (rng,) * self._draws
        return _tree(*engine.call(self._grows, *sample[:3], n_classes, rule, *seeds))

    def in_rows(self, sample: Sample) -> Sample:
        """Return the sample sorted, with rows repeated if all weights are whole numbers.

        The OC1 program has no weights: it counts rows, and draws among tied cuts.
        """
        sample = sample.with_weight()
        is_whole = bool((sample.weight == np.floor(sample.weight)).all())
        if self.search == ORIGINAL and not is_whole:
            raise ValueError(
                'search="original" follows a program that counts rows, so sample weights must be '
                'whole numbers: use search="as_written", or round the weights to multiples of a '
                "unit and divide them by it."
            )
        return sorted_sample(repeated_rows(sample, self) if is_whole else sample)

    @abstractmethod
    def _search(self) -> dict[str, int | float]:
        """Return the parameters of the search as the engine names them."""

    @abstractmethod
    def _original_rule(self) -> OriginalRule:
        """Return the options for the OC1 program; raise if it does not support them."""

    def _rule_of_original(self, is_cart: bool = False, **search: int) -> OriginalRule:
        """Return the options of the OC1 program, from the shared parameters and a `search`."""
        if self.criterion != "twoing" or self.max_depth is None:
            raise ValueError(
                'search="original" supports only the twoing rule and may not end without '
                'max_depth: set criterion="twoing" and a max_depth.'
            )
        return OriginalRule(
            shifts=bool(self.normalise),
            min_rows_per_feature=float(self.min_rows_per_feature),
            min_samples_split=int(self.min_samples_split),
            max_depth=int(self.max_depth),
            is_cart=is_cart,
            **{name: int(value) for name, value in search.items()},
        )

    def all_pruning_params(self) -> Mapping[str, Any] | None:
        """Return the parameters of the pruning, by default OC1's own."""
        if self.pruning == "cost_complexity" and self.pruning_params is None:
            return {"validation_fraction": 0.1}
        return self.pruning_params

    def _rule(self) -> dict[str, int | float]:
        """Return the shared parameters as the engine names them."""
        return {
            "criterion": CRITERIA[self.criterion],
            "scaling": SCALING[self._scaling if self.normalise else "as_is"],
            "min_rows_per_feature": float(self.min_rows_per_feature),
            "min_samples_split": int(self.min_samples_split),
            "max_depth": depth_limit(self.max_depth),
        }


def sorted_sample(sample: Sample) -> Sample:
    """Return the rows sorted by values, class and weight: their given order has no effect."""
    return sample.take(np.lexsort((sample.weight, sample.y, *sample.X.T)))


def _tree(
    parent: NDArray[np.int32],
    feature: NDArray[np.int32],
    threshold: NDArray[np.float64],
    counts: NDArray[np.float64],
    normals: NDArray[np.float64],
) -> Tree:
    """Return the tree of the nodes that the engine grew, depth first.

    Shapes: `parent` (node_count,), `normals` (n_oblique, n_features).
    `normals`: coefficients of the oblique tests, in the order of their nodes.
    """
    is_oblique = feature == OBLIQUE
    all_normals = np.zeros((len(parent), normals.shape[1]))
    all_normals[is_oblique] = normals
    return Tree.from_parents(
        parent,
        n_features=normals.shape[1],
        feature=feature,
        threshold=threshold,
        counts=counts,
        normals=all_normals if is_oblique.any() else None,
    )
