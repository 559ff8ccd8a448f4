/* Sorted columns of weighted rows, which C4.5 and CART grow from. The arrays are the fields of
 * `retree.trees.weighted_columns.WeightedColumns`; src/engine/core/weighted_columns.hpp says what
 * an entry is. */
#pragma once

#include "../retree.h"

/* Fills entries, uint64 (n_numeric, n_rows), with the rows sorted by each numeric column (those
 * with n_levels < 0), and n_near, uint8 (n_numeric, n_rows), unless it is (n_numeric, 0): how many
 * of the values that follow the one of a code are too close to it for a threshold of C4.5, at most
 * 255. Equal values keep the order of rows. Threads, n_threads of them, share the columns. */
RETREE_EXPORT int32_t retree_presort_columns(const retree_array *X, const retree_array *y,
                                             const retree_array *rows, const retree_array *n_levels,
                                             int64_t n_classes, int64_t n_threads,
                                             retree_array *entries, retree_array *n_near);

/* Fills kept, uint64 (n_numeric, n_kept), with the entries of the rows of positive weight. */
RETREE_EXPORT int32_t retree_take_entries(const retree_array *entries, const retree_array *weight,
                                          retree_array *kept);
