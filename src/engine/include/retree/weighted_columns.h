/* Sorted columns of weighted rows, which C4.5 and CART grow from. The arrays are the fields of
 * `retree.trees.weighted_columns.WeightedColumns`; src/engine/core/weighted_columns.hpp says what
 * an entry is. */
#pragma once

#include "../retree.h"

/* Fills entries, uint64 (n_numeric, n_rows), with the rows sorted by each numeric column (those
 * with n_levels < 0). Equal values keep the order of rows. Unless counts_near is 0, the entries
 * say which values are too close for a threshold of C4.5, which asks for that. Threads, n_threads
 * of them, share the columns. Fills codes, int32 (n_nominal, n_samples), with the levels in the
 * other columns, -1 where X has none. */
RETREE_EXPORT int32_t retree_presort_columns(const retree_array *X, const retree_array *y,
                                             const retree_array *rows, const retree_array *n_levels,
                                             int64_t n_classes, int64_t counts_near,
                                             int64_t n_threads, retree_array *entries,
                                             retree_array *codes);

/* Fills kept, uint64 (n_numeric, n_kept), with the entries of the rows of positive weight. */
RETREE_EXPORT int32_t retree_take_entries(const retree_array *entries, const retree_array *weight,
                                          retree_array *kept);
