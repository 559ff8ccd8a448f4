/* Walking down finished trees, and up. `tests` are the arrays of `retree.trees.tree.Tests`, one
 * after the other with those of the centres, as RETREE_VIEWS; `check_tests` has accepted them.
 * `weight` is the training weight of each node. Infinite values in X are refused, but for rows of
 * more than 64 columns. */
#pragma once

#include "../retree.h"

/* Refuses arrays that do not make a tree. */
RETREE_EXPORT int32_t retree_check_tests(const retree_array *tests);

/* leaves[i] = leaf of row i; where the tested value is missing, it takes the heaviest branch. */
RETREE_EXPORT int32_t retree_apply_tests(const retree_array *X, const retree_array *tests,
                                         const retree_array *weight, retree_array *leaves);

/* Adds to total[i] `factor` times the value of row i, which is divided over all branches where the
 * tested value is missing: each gets the part that it was `sent` of its parent's weight. With 2 in
 * `divide_missing` the parts are multiplied from the leaves up, with 1 from the root down. */
RETREE_EXPORT int32_t retree_add_values(const retree_array *X, const retree_array *tests,
                                        const retree_array *weight, const retree_array *sent,
                                        const retree_array *value, double factor,
                                        int64_t divide_missing, retree_array *total);

/* codes[i] = class of greatest value of row i, which is divided as above, the first where they
 * tie. */
RETREE_EXPORT int32_t retree_predict_codes(const retree_array *X, const retree_array *tests,
                                           const retree_array *weight, const retree_array *sent,
                                           const retree_array *value, int64_t divide_missing,
                                           retree_array *codes);

/* codes[i] = place of the greatest of shares[i], the first where they tie. */
RETREE_EXPORT int32_t retree_majority(const retree_array *shares, retree_array *codes);

/* depths[node] and parents[node], -1 for the root. */
RETREE_EXPORT int32_t retree_node_depths(const retree_array *children_ptr,
                                         const retree_array *children, retree_array *depths,
                                         retree_array *parents);

/* Links nodes with their children, of trees that come one after the other: a root has the parent
 * -1, other nodes one in their tree, before them. children_ptr has one more number for each tree
 * than it has nodes, and children one less. */
RETREE_EXPORT int32_t retree_link_children(const retree_array *parents, retree_array *children_ptr,
                                           retree_array *children);

/* below[node] = whether one of the nodes marked in `is_cut` is above it. */
RETREE_EXPORT int32_t retree_mark_below(const retree_array *is_cut, const retree_array *parents,
                                        retree_array *below);

/* Gives the nodes that no weight reaches the values of their parents. */
RETREE_EXPORT int32_t retree_inherit_empty(const retree_array *weight, const retree_array *parents,
                                           retree_array *value);

/* nodes[pointer[i]:pointer[i + 1]] = nodes from the root to leaves[i]. */
RETREE_EXPORT int32_t retree_mark_paths(const retree_array *leaves, const retree_array *parents,
                                        const retree_array *pointer, retree_array *nodes);
