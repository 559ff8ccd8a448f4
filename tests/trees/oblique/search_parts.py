"""The parts of the search for an oblique test, called one by one."""

from typing import NamedTuple

import engine_parts
import numpy as np

from retree.trees.oblique.oblique_base import CRITERIA
from retree.trees.oblique.oblique_trees import ORDERS

TIE = 2.0**-37  # of the rows: goodnesses that differ by less are tied


class Cut(NamedTuple):
    goodness: float
    below: int
    above: int


class Step(NamedTuple):
    before: float
    reached: float
    size: float


def goodness_and_bound(left, most, totals, criterion):
    """Return the goodness of `left`, and what no counts from `left` to `most` exceed."""
    sides = (np.ascontiguousarray(side, np.float64) for side in (left, most, totals))
    return engine_parts.call("oblique_goodness", *sides, CRITERIA[criterion])[0]


def search_line(value, direction, y, criterion, width=1.0, bar=-np.inf, weight=None):
    """Return the best cut of rows sorted by class."""
    rows = np.ascontiguousarray(value, np.float64)[:, None]
    codes = np.ascontiguousarray(y, np.int32)
    score, places = engine_parts.call(
        "oblique_cut",
        rows,
        direction,
        codes,
        np.ones(len(codes)) if weight is None else weight,
        CRITERIA[criterion],
        width,
        bar,
    )
    return Cut(float(score[0]), *places.tolist())


def best_step(X, y, criterion, weights, m, stagnant):
    """Scale `weights` and return the best step of one of them."""
    found = engine_parts.call("oblique_step", X, y, CRITERIA[criterion], m, stagnant, weights)
    return Step(*found[0])


def search_oc1(X, y, criterion, start, order, n_restarts=0, max_jumps=0, stagnation=1.0, seed=0):
    """Return the hyperplane that OC1 finds; without restarts and jumps it is a climb's end."""
    weights = start.copy()
    options = ORDERS[order], n_restarts, max_jumps, stagnation, seed
    engine_parts.call("search_oc1", X, y, CRITERIA[criterion], *options, weights)
    return weights


def search_cart_lc(X, y, criterion, start, max_cycles=100, elimination=0.0):
    """Return the hyperplane that CART-LC finds."""
    weights = start.copy()
    engine_parts.call("search_cart_lc", X, y, CRITERIA[criterion], max_cycles, elimination, weights)
    return weights
