/* Trees by structure and purity, and by the order of the classes (retree/trees/structure). */
#pragma once

#include "../retree.h"

/* Grows the trees of all points; the parameters are the fields of `Rule` in structure/rule.hpp.
 * Result: numbers (n_nodes, 3 + n_classes) int64: parent, feature (-1: leaf), row that has
 * the threshold, class counts; and members (n_nodes, n_points) uint8: the points whose trees have
 * the node. Restricted to one point, the nodes are its tree in depth-first order. */
RETREE_EXPORT int32_t retree_structure_grow(
    const retree_array *X, const retree_array *y, int64_t n_classes, int64_t rank_by, int64_t take,
    const retree_array *list_of, const retree_array *k, const retree_array *alpha, double omega1,
    const retree_array *omega2, int64_t penalty, int64_t squared, int64_t scale_by_child,
    const retree_array *codes, int64_t along_split, int64_t rank_breaks_ties,
    int64_t min_samples_leaf, int64_t least_ranked, int64_t least_taken, int64_t max_depth,
    retree_result *result);

/* scores = gain ratio and Hellinger distance of the class counts of a node and its left child. */
RETREE_EXPORT int32_t retree_structure_frequency(const retree_array *counts,
                                                 const retree_array *left, retree_array *scores);

/* found[0] = least number of segments of rows with sorted int64 values, or `limit` if it is no
 * fewer. */
RETREE_EXPORT int32_t retree_structure_segments(const retree_array *values, const retree_array *y,
                                                int64_t n_classes, int64_t limit,
                                                retree_array *found);
