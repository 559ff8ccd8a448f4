/* Relief-F (`retree.relief`). */
#pragma once

#include "../retree.h"

/* weights[j] = Relief-F's weight of column j. Rows stand in the order of their classes, numeric
 * columns have range 1, nominal ones level codes; class c has the rows from class_start[c] to
 * class_start[c + 1]. `sampled` are the rows whose neighbours are looked at. */
RETREE_EXPORT int32_t retree_relief_weights(const retree_array *rows, const retree_array *nominal,
                                            const retree_array *class_start,
                                            const retree_array *sampled, int64_t n_neighbors,
                                            retree_array *weights);
