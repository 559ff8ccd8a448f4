/* Thinning forests (`retree.forests`). `rows` are the arrays of
 * `retree.forests.row_assignment.ForestRows` as RETREE_VIEWS, `y` class codes, `value` the class
 * shares of the nodes of all trees; `tests` and `weight` as in traverse.h. Thinning goes once
 * through the trees; `ends`, the node in which each entry ends, `cut`, the nodes that have become
 * leaves, and the forest's `shares` move along. */
#pragma once

#include "../retree.h"

/* Sends the rows X, which `columns` has column by column, down a tree. A row without the tested
 * value is divided over all branches, or takes the heaviest. Result: stop, start, row, part. */
RETREE_EXPORT int32_t retree_place_rows(const retree_array *X, const retree_array *columns,
                                        const retree_array *tests, const retree_array *weight,
                                        int64_t has_missing, int64_t divide_missing,
                                        retree_result *result);

/* counts[node] = rows of each class that reach the node. */
RETREE_EXPORT int32_t retree_class_counts(const retree_array *rows, const retree_array *y,
                                          retree_array *counts);

/* ends[entry] = its leaf; shares[row] = the forest's class shares, eq. (1). */
RETREE_EXPORT int32_t retree_mean_shares(const retree_array *rows, const retree_array *value,
                                         const retree_array *tree_weight, retree_array *ends,
                                         retree_array *shares);

/* How gains are judged, and what the forest's shares are; see `ForestThinner`. */
typedef struct retree_thinning_rule {
    double delta;
    int64_t inclusive;
    int64_t wrong_sign;
    int64_t keeps_sums; /* what is cut goes on to count as the sum of what was below it */
    int64_t log_odds;
} retree_thinning_rule;

RETREE_EXPORT int32_t retree_thin_by_contribution(const retree_array *rows,
                                                  const retree_array *value, const retree_array *y,
                                                  const retree_array *tree_weight,
                                                  retree_array *ends, retree_array *cut,
                                                  retree_array *shares,
                                                  const retree_thinning_rule *rule);

RETREE_EXPORT int32_t retree_thin_by_accuracy(const retree_array *rows, const retree_array *value,
                                              const retree_array *y,
                                              const retree_array *tree_weight, retree_array *ends,
                                              retree_array *cut, retree_array *shares);

/* found[i] = Con(v, F, x), eqs. (6)-(9), of a row of class label[i], where node v has the class
 * shares node_shares[i] and the forest, of so many trees, shares[i]. */
RETREE_EXPORT int32_t retree_contributions(const retree_array *node_shares,
                                           const retree_array *shares, const retree_array *label,
                                           double n_trees, retree_array *found);
