/* Pruning. `tests` are the arrays of a tree as in traverse.h, `counts` the class weights of its
 * nodes, float64 (node_count, n_classes). */
#pragma once

#include "../retree.h"

/* marked[node] = whether it errs as a leaf no more in training than the leaves below it. */
RETREE_EXPORT int32_t retree_collapsible(const retree_array *tests, const retree_array *counts,
                                         retree_array *marked);

/* errors[i] = estimated errors of a leaf with the class weights counts[i]. */
RETREE_EXPORT int32_t retree_estimated_errors(const retree_array *counts, double confidence,
                                              retree_array *errors);

/* Error-based pruning with the training rows X, y, weight. `weights`, float64 (node_count, 2), has
 * the weight of each node, and what of it the test above says that it sends; if it is empty, these
 * are the sums of its counts. `sorted`, int32, has the features that J48 has sorted the rows of a
 * node by, in their order; it may be empty. If `collapses`, nodes that are collapsible are leaves
 * from the start. Results, by node that is left, in depth-first order:
 * its number, and that of the node whose test it has, -1 of a leaf, int32; its class weights and
 * its weights, float64. */
RETREE_EXPORT int32_t
retree_prune_error_based(const retree_array *X, const retree_array *y, const retree_array *weight,
                         const retree_array *tests, const retree_array *counts,
                         const retree_array *weights, const retree_array *sorted, double confidence,
                         int64_t subtree_raising, int64_t collapses, retree_result *result);

/* sums[node] = weighted loss of the node as a leaf on the rows that pass it, and sum of the
 * weighted squares of the losses: 1 for a wrong class or, if `squared`, the squared difference of y
 * and prediction. A row without the tested value passes the heaviest branch or, if `divide`, every
 * one with a part of its weight. */
RETREE_EXPORT int32_t retree_node_losses(const retree_array *X, const retree_array *y,
                                         const retree_array *weight, const retree_array *tests,
                                         const retree_array *node_weight,
                                         const retree_array *prediction, int64_t squared,
                                         int64_t divide, retree_array *sums);
