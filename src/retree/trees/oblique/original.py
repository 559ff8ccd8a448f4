"""The search of the OC1 program itself, faults included, for OC1 and CART-LC alike."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from retree import engine
from retree.trees.mixed import Sample

AS_WRITTEN, ORIGINAL = SEARCHES = ("as_written", "original")


class OriginalRule(NamedTuple):
    """What the program is asked for, as the engine takes it."""

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
