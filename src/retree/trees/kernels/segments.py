"""Segments of the rows of a child: how often the class changes along an attribute (eq. 1).

Rows of equal value may stand in any order, so the order of the fewest segments counts. It is found
block of equal values by block: of the classes that can stand last there at no extra cost, any one
can stand first in the next block if it is there too, which saves a segment. That set is the classes
of the block, but for the one class that had to come first if only one could.

Counting stops where a count cannot become the fewest any more, and since more rows never make fewer
segments, what a child has bounds what the larger child of the next cut of the same column has.
"""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.columns import ROW_BITS, ROW_MASK
from retree.trees.kernels.compactness import rows_by_column
from retree.trees.kernels.jit import jit

_UNCOUNTED = 2**62  # more segments than there can be


@jit
def count_segments(entries, limit, class_bits, seen):
    """Return the least number of segments of sorted `entries`, or `limit` if it is no fewer.

    Parameters
    ----------
    entries : ndarray of uint64
        As in `Columns.entries`.
    limit : int
        Where to stop counting.
    class_bits : int
        Bits of the class in an entry.
    seen : ndarray of shape (n_classes,), int64
        Scratch: the block in which each class was met last.
    """
    shift = np.uint64(ROW_BITS + class_bits)
    class_mask = np.uint64((1 << class_bits) - 1)
    seen[:] = -2
    n_segments, block, excluded, i = 0, 0, -1, 0
    while i < len(entries):
        code = entries[i] >> shift
        n_classes, n_shared, shared = 0, 0, -1
        while i < len(entries) and entries[i] >> shift == code:
            c = np.int64((entries[i] >> np.uint64(ROW_BITS)) & class_mask)
            if seen[c] != block:
                n_classes += 1
                if seen[c] == block - 1 and c != excluded:
                    n_shared += 1
                    shared = c
                seen[c] = block
            i += 1
        n_segments += n_classes - (n_shared > 0)
        if n_segments >= limit:
            return limit
        excluded = shared if n_classes > 1 and n_shared == 1 else -1
        block += 1
    return n_segments


@jit
def _least_of_pairs(counts, ones, floor):
    """Return the least number of segments along the pair columns that a child is not constant in.

    Parameters
    ----------
    counts, ones : ndarray of shape (n_classes,) and (n_classes, n_pair)
        Rows of the child, all and those with the larger value of each pair column.
    floor : int
        Number of classes of the child.
    """
    if floor == 1:
        return 1
    least = _UNCOUNTED
    for j in range(ones.shape[1]):
        if least == floor:
            break
        low, high, shared = 0, 0, 0
        for c in range(len(counts)):
            has_high, has_low = ones[c, j] > 0, counts[c] > ones[c, j]
            low += has_low
            high += has_high
            shared += has_low and has_high
        if low > 0 and high > 0:
            least = min(least, low + high - (shared > 0))
    return least


@jit
def _number_present(counts):
    present = 0
    for n in counts:
        present += n > 0
    return present


@jit
def _move_rows(columns, rows, counts, ones, sign):
    """Add, or take away, `rows` to the class counts and bits of a child."""
    for row in rows:
        c = columns.y[row]
        counts[c] += sign
        for s in range(columns.set_start[row], columns.set_start[row + 1]):
            ones[c, columns.set_pairs[s]] += sign


@jit
def _count_classes_and_pairs(columns, rows, cuts, counts, ones, floor, found):
    """Fill `floor` and `found` with the classes, and the segments along pair columns, of children.

    The children of a cut differ from those of the next one by a run of rows. All runs but the
    longest are gone through: up to it from the front, beyond it from the back.
    """
    edges = np.empty(len(cuts) + 2, np.int64)
    edges[0], edges[-1] = 0, len(rows)
    edges[1:-1] = cuts + 1
    longest = np.argmax(np.diff(edges))
    for near in range(2):  # the side that is gone through
        own_counts, own_ones = np.zeros_like(counts), np.zeros_like(ones)
        rest_counts, rest_ones = counts.copy(), ones.copy()
        first, stop, step = (0, longest, 1) if near == 0 else (len(cuts) - 1, longest - 1, -1)
        for i in range(first, stop, step):
            run = rows[edges[i + near] : edges[i + near + 1]]
            _move_rows(columns, run, own_counts, own_ones, 1)
            _move_rows(columns, run, rest_counts, rest_ones, -1)
            floor[i, near] = _number_present(own_counts)
            floor[i, 1 - near] = _number_present(rest_counts)
            found[i, near] = _least_of_pairs(own_counts, own_ones, floor[i, near])
            found[i, 1 - near] = _least_of_pairs(rest_counts, rest_ones, floor[i, 1 - near])


@jit
def _least_of_wide(columns, start, end, member, floor, least, lower, buffer, seen):
    """Return the least number of segments of a child along wide columns, or `least` if it is fewer.

    Parameters
    ----------
    member : ndarray of shape (n_samples,), uint8
        1 for the rows of the child.
    floor : int
        Its number of classes.
    lower : ndarray of shape (n_wide,), int64
        Lower bounds of the number along each column; they are tightened.
    """
    shift = np.uint64(ROW_BITS + columns.class_bits)
    n_wide = len(lower)
    first = np.argmin(lower) if n_wide > 0 else 0
    for step in range(n_wide):
        # The column of the lowest bound changes places with the first one.
        j = first if step == 0 else (0 if step == first else step)
        if least <= floor:
            break
        if lower[j] >= least:
            continue
        n = 0
        for entry in columns.entries[j, start:end]:
            buffer[n] = entry
            n += member[entry & ROW_MASK]
        if buffer[0] >> shift == buffer[n - 1] >> shift:
            lower[j] = floor  # constant, so it sorts nothing
            continue
        lower[j] = count_segments(buffer[:n], least, columns.class_bits, seen)
        least = lower[j]
    return least


@jit
def _count_along_wide(columns, start, end, rows, cuts, floor, found, member, buffer, seen):
    """Lower `found` to the segments of the children along wide columns."""
    edges = np.empty(len(cuts) + 2, np.int64)
    edges[0], edges[-1] = 0, len(rows)
    edges[1:-1] = cuts + 1
    for side in range(2):
        if (found[:, side] == floor[:, side]).all():
            continue
        for row in rows:
            member[row] = 0
        # The children of a side grow, so what one of them has is a bound for the next one.
        lower = np.zeros(len(columns.wide), np.int64)
        first, stop, step = (0, len(cuts), 1) if side == 0 else (len(cuts) - 1, -1, -1)
        for i in range(first, stop, step):
            for row in rows[edges[i + side] : edges[i + side + 1]]:
                member[row] = 1
            found[i, side] = _least_of_wide(
                columns, start, end, member, floor[i, side], found[i, side], lower, buffer, seen
            )


@jit
def segments_of_cuts(
    columns, start, end, column, cuts, counts, ones, along_split, member, buffer, seen, found
):
    """Fill `found` with the numbers of segments of the children of cuts of one column.

    An attribute that is constant in a child sorts nothing and does not count; a child in which all
    are constant has as many segments as classes.

    Parameters
    ----------
    columns : Columns
    start, end : int
        The segment of the node.
    column : int
        The column that is cut, wide columns first.
    cuts : ndarray of shape (n_cuts,), int64
        Ascending; a cut at position i leaves the first i + 1 rows on the left.
    counts, ones : ndarray of shape (n_classes,) and (n_classes, n_pair), int64 and int32
        Rows of the node, all and those with the larger value of each pair column.
    along_split : bool
        Count along the column that is cut, instead of along the one of the fewest segments.
    member, buffer, seen : ndarray
        Scratch: (n_samples,) uint8, (n_samples,) uint64, (n_classes,) int64.
    found : ndarray of shape (n_cuts, 2), int64
        Receives the numbers of the left and of the right child.
    """
    if along_split and column < len(columns.wide):
        values = columns.entries[column, start:end]
        for i in range(len(cuts)):
            left, right = values[: cuts[i] + 1], values[cuts[i] + 1 :]
            found[i, 0] = count_segments(left, _UNCOUNTED, columns.class_bits, seen)
            found[i, 1] = count_segments(right, _UNCOUNTED, columns.class_bits, seen)
        return
    rows = rows_by_column(columns, start, end, column)
    floor = np.empty_like(found)
    _count_classes_and_pairs(columns, rows, cuts, counts, ones, floor, found)
    if along_split:
        found[:] = floor
        return
    _count_along_wide(columns, start, end, rows, cuts, floor, found, member, buffer, seen)
    for i in range(len(cuts)):
        for side in range(2):
            if found[i, side] == _UNCOUNTED:
                found[i, side] = floor[i, side]
