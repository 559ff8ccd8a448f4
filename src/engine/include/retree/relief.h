/* Relief-F (`retree.relief`). */
#pragma once

#include "../retree.h"

/* weights[j] = Relief-F's weight of column j, which is row j of `columns` (n_features, n_samples).
 * The samples stand in the order of their classes, numeric columns have range 1, nominal ones level
 * codes; class c has the samples from class_start[c] to class_start[c + 1]. `sampled`, int32, are
 * those whose neighbours are looked at. */
RETREE_EXPORT int32_t retree_relief_weights(const retree_array *columns,
                                            const retree_array *nominal,
                                            const retree_array *class_start,
                                            const retree_array *sampled, int64_t n_neighbors,
                                            retree_array *weights);
