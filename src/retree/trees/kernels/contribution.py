"""What the nodes of a tree contribute to the decisions of a forest (Guo and Fan 2014)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.forest_rows import TIE, first_greatest, make_leaf, nodes_in_use
from retree.trees.kernels.jit import jit

_SLACK = 1e-9  # rounding must not prune


class Rule(NamedTuple):
    """How gains are judged, and what the forest's shares are.

    Attributes
    ----------
    delta : float
        Nodes of a gain below it are cut.
    inclusive : bool
        Whether nodes of a gain equal to `delta` are cut too.
    as_printed : bool
        Algorithm 1 to the letter: it takes the gain with the wrong sign, and a pruned node still
        counts as the sum of what was below it.
    log_odds : bool
        Whether the forest's class shares are proportional to the exponentials of the weighted sums
        of the trees', not those sums themselves; all trees then have the same say in eqs. (6)-(9).
    """

    delta: float
    inclusive: bool
    as_printed: bool
    log_odds: bool


class Decisions(NamedTuple):
    """The forest's decision of each row, as far as contributions depend on it."""

    rival: np.ndarray  # (n_samples,) int32, class decided on, or the runner-up if that is right
    gap: np.ndarray  # (n_samples,) float64, how much the forest prefers it to the other of the two


class Groups(NamedTuple):
    """The rows of a tree by the leaf they end in, their class and their rival.

    Those of one leaf that agree in both have contributions that differ by a factor only. The groups
    of node ``v`` and of all below it are ``start[v]:start[stop[v]]``.
    """

    start: np.ndarray  # (n_nodes + 1,) int64, set for the nodes of the tree that are in use
    label: np.ndarray  # (n_groups,) int32
    rival: np.ndarray  # (n_groups,) int32
    weight: np.ndarray  # (n_groups,) float64, sum of 1 / (M gap + 1) times the part of each row
    place: np.ndarray  # (n_classes, n_classes) int64, last group of a label and a rival


@jit
def _runner_up(values, first):
    """Return the place of the greatest value but that at `first`, the first of those that tie."""
    greatest = -np.inf
    for k in range(len(values)):
        if k != first:
            greatest = max(greatest, values[k])
    for k in range(len(values)):
        if k != first and values[k] > greatest - TIE:
            return k
    return first


@jit
def decide(shares, label):
    """Return rival and gap of one row of class `label`; see `Decisions`."""
    f = first_greatest(shares)
    rival = _runner_up(shares, f) if f == label else f
    # Of tied classes the first is not always the greatest.
    return rival, max(0.0, shares[f] - shares[rival if f == label else label])


@jit
def contribution(node_shares, t, label, rival, weight):
    """Return Con(v, F, x), eqs. (6)-(9).

    In all four cases it is what the node's shares p^v speak for the row's class y rather than for
    another, over M gap + 1: if the node is right (t = y), eqs. (6) and (7), the other is the rival,
    else, eqs. (8) and (9), the node's own choice t.

    Parameters
    ----------
    node_shares : ndarray of shape (n_classes,)
        Class shares p^v of the node.
    t : int
        Class that it predicts.
    label, rival : int
        Class y of the row and its rival, see `Decisions`.
    weight : float
        1 / (M gap + 1) times the part of the row that reaches the node; of several rows the sum.
    """
    other = rival if t == label else t
    return weight * (node_shares[label] - node_shares[other])


@jit
def _group_rows(nodes, rows, y, decisions, say, cut, groups):
    """Set the `groups` of a tree that has as much to say as one of M = 1 / `say` trees."""
    n = 0
    groups.place[:] = -1
    for v in nodes:
        groups.start[v] = n
        if not cut[v] and rows.stop[v] > v + 1:
            continue
        for e in range(rows.start[v], rows.start[rows.stop[v]]):
            row = rows.row[e]
            label, rival = y[row], decisions.rival[row]
            g = groups.place[label, rival]
            if g < groups.start[v]:
                g = n
                n += 1
                groups.place[label, rival] = g
                groups.label[g], groups.rival[g], groups.weight[g] = label, rival, 0.0
            groups.weight[g] += rows.part[e] * say / (decisions.gap[row] + say)
    groups.start[rows.stop[nodes[0]]] = n


@jit
def _node_contributions(nodes, stop, groups, value, own):
    """Set Con(v, F), eq. (2), of some `nodes` of a tree."""
    for v in nodes:
        node_shares, total = value[v], 0.0
        t = first_greatest(node_shares)
        for g in range(groups.start[v], groups.start[stop[v]]):
            total += contribution(
                node_shares, t, groups.label[g], groups.rival[g], groups.weight[g]
            )
        own[v] = total


@jit
def cut_low_gain(nodes, stop, own, rule, cut):
    """Cut the nodes of low contribution gain, eq. (4), from the leaves up.

    Parameters
    ----------
    nodes : ndarray of int64
        Those of a tree, as they stand in it.
    stop : ndarray of shape (n_nodes,)
        The node after the last one below each.
    own : ndarray of shape (n_nodes,)
        Con(v, F); becomes that of the subtree, eq. (3).
    rule : Rule
    cut : ndarray of shape (n_nodes,), bool
    """
    least = rule.delta + (_SLACK if rule.inclusive else -_SLACK)
    for v in nodes[::-1]:
        if cut[v] or stop[v] == v + 1:
            continue
        below, child = 0.0, v + 1
        while child < stop[v]:
            below += own[child]
            child = stop[child]
        gain = own[v] - below if rule.as_printed else below - own[v]
        cut[v] = gain < least
        if rule.as_printed or not cut[v]:
            own[v] = below


@jit
def _told(shares, log_odds):
    """Return the forest's class shares of a row; see `Rule`."""
    if not log_odds:
        return shares
    odds = np.exp(shares - shares.max())
    return odds / odds.sum()


@jit
def _decide_again(first, last, rows, y, shares, log_odds, decisions):
    """Set the decisions of the rows of some entries."""
    for e in range(first, last):
        row = rows.row[e]
        told = _told(shares[row], log_odds)
        decisions.rival[row], decisions.gap[row] = decide(told, y[row])


@jit
def thin_by_contribution(rows, value, y, tree_weight, rule, ends, cut, shares):
    """Go once through the trees and cut the nodes of low contribution gain.

    Parameters
    ----------
    rows : ForestRows
    value : ndarray of shape (n_nodes, n_classes)
        Class shares of the nodes.
    y : ndarray of shape (n_samples,)
        Class codes.
    tree_weight : ndarray of shape (n_trees,)
        What each tree counts for in the forest; they sum to 1 unless they make log odds.
    rule : Rule
    ends : ndarray of shape (n_entries,)
        Node in which each entry ends; moves along, as the next two do.
    cut : ndarray of shape (n_nodes,), bool
        Nodes that have become leaves.
    shares : ndarray of shape (n_samples, n_classes)
        Class shares of the forest, or their log odds.
    """
    own, decisions = np.empty(len(value)), Decisions(np.empty(len(y), np.int32), np.empty(len(y)))
    for j in range(len(y)):
        told = _told(shares[j], rule.log_odds)
        decisions.rival[j], decisions.gap[j] = decide(told, y[j])
    groups = _make_groups(rows, value.shape[1])
    for i in range(len(tree_weight)):
        nodes = nodes_in_use(i, rows, cut)
        say = 1.0 / len(tree_weight) if rule.log_odds else tree_weight[i]
        _group_rows(nodes, rows, y, decisions, say, cut, groups)
        _node_contributions(nodes, rows.stop, groups, value, own)
        cut_low_gain(nodes, rows.stop, own, rule, cut)
        for v in nodes_in_use(i, rows, cut):
            first, last = rows.start[v], rows.start[rows.stop[v]]
            if cut[v] and first < last and ends[first] != v:
                make_leaf(v, rows, ends, value, tree_weight[i], shares)
                _decide_again(first, last, rows, y, shares, rule.log_odds, decisions)


@jit
def _make_groups(rows, n_classes):
    """Return arrays with room for the groups of any tree."""
    n = 0
    for i in range(len(rows.first) - 1):
        n = max(n, rows.start[rows.first[i + 1]] - rows.start[rows.first[i]])
    start, place = np.empty(len(rows.start), np.int64), np.empty((n_classes, n_classes), np.int64)
    return Groups(start, np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n), place)
