"""Parameters, fitting and trees that OC1 and CART-LC share."""

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
    """The options of the program, as the engine takes them."""

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
    """Grow a tree as the OC1 program does (version 3, of 1994, which goes with Murthy et al.).

    The program differs from the paper that describes it:

    - It computes in 32-bit floats. Coefficients that change by 1e-4 or less stay as they are.
    - CART-LC takes each suggested change of a coefficient, even one for the worse, and never
      returns to its best hyperplane. A node's search ends after a cycle that changed the impurity
      by less than 1e-4, or after `max_cycles` and one more.
    - Steps are chosen as if x_m + g were positive, in OC1 x_m. Where features are negative, the
      cut that is made is not the one that was chosen. OC1 therefore shifts features below 0 to
      minimum 0 in each node (`shifts`). It does not shift the axis-parallel test with them, from
      which its first climb begins. CART-LC does not shift.
    - OC1 never perturbs the constant term alone. It takes up to eleven steps without gain in a row.
      The climb from the axis-parallel test is one of `n_restarts`.
    - A hyperplane with all rows on one side has the impurity of the node, which becomes a leaf.
    - Coefficients of CART-LC may grow without bound and overflow. What remains of such a test is
      the sign of one feature or, if all sums are no numbers, nothing: then all rows go right, and
      the node below starts anew, down to `max_depth`.
    - Each tied cut along a line takes the place of the one before it with probability 1/2, by the
      numbers of drand48. One stream of them serves all nodes, depth first.

    Tests compare sums of doubles here, so that a row very near to a hyperplane may be predicted
    on the other side. A test of more than one coefficient that has overflowed compares the sum of
    these features with 0. In the program, the product of a large finite coefficient and a value
    can overflow too, on test rows as well. All 30 trees that we compared are those of the program,
    node by node. The accuracy on test rows differs in 6 of them, by up to 2 points: CART-LC on
    ringnorm, twonorm and waveform, where coefficients overflow.

    `sample`: rows, of numbers up to 3.4e38. Their order matters only after an overflow.

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
    """Parameters that the families share, and growing by each family's own search.

    Whole weights repeat the rows, of which pruning may then keep some aside. Others are added up.

    Parameters
    ----------
    criterion : {"twoing", "gini", "entropy", "sum_minority", "max_minority"}
        The impurity.
    min_rows_per_feature : float
        A node of no more rows than this many a feature gets an axis-parallel test.
    min_samples_split : int
        A node of fewer rows is a leaf. With 4, axis-parallel trees have the leaves of the original.
    pruning_params : dict or None
        Parameters of the pruning, see `retree.trees.pruning.fitting.grow_pruned`. None is, for
        "cost_complexity", OC1's own: ``{"validation_fraction": 0.1}``.
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
        """The criterion, or the Gini index where that is no impurity."""
        return ENTROPY if self.criterion == ENTROPY else GINI

    def draw_seed(self, rng: Any) -> int:
        """Return the seed of all trees of a fit, drawn before pruning draws its rows."""
        return int(rng.randint(2**31))

    def grow(self, sample: Sample, rng: int) -> Tree:
        """Return the unpruned tree of checked rows: of all, or of those that pruning leaves."""
        n_classes = len(self.classes_)
        if self.search == ORIGINAL:
            state = seeded_state(rng)
            return _tree(*grow_original(sample, n_classes, self._original_rule(), state))
        rule, seeds = SimpleNamespace(**self._rule(), **self._search()), (rng,) * self._draws
        return _tree(*engine.call(self._grows, *sample[:3], n_classes, rule, *seeds))

    def in_rows(self, sample: Sample) -> Sample:
        """Return the sample sorted, its rows repeated if their weights are whole.

        The program has no weights: it counts rows, and draws among the cuts of rows that tie.
        """
        sample = sample.with_weight()
        is_whole = bool((sample.weight == np.floor(sample.weight)).all())
        if self.search == ORIGINAL and not is_whole:
            raise ValueError(
                'search="original" follows a program that counts rows, so sample weights must '
                'be whole numbers: use search="as_written", or round the weights to multiples of '
                "a unit and divide by that."
            )
        return sorted_sample(repeated_rows(sample, self) if is_whole else sample)

    @abstractmethod
    def _search(self) -> dict[str, int | float]:
        """Return the parameters of the search as the engine names them."""

    @abstractmethod
    def _original_rule(self) -> OriginalRule:
        """Return what the OC1 program is asked for; check that it can do it."""

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
    """Return the rows sorted by values, class and weight, so that their order does not matter."""
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
