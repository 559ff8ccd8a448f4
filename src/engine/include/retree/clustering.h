/* Clustering about weighted centres (`retree.clustering`). A centre has a slot for each numeric
 * column and one for each level of a nominal one; column j has start[j] to start[j + 1]. */
#pragma once

#include "../retree.h"

/* Row j of `columns` (n_features, n_samples) is column j. positions[c] = centre of the samples with
 * label c. */
RETREE_EXPORT int32_t retree_find_centres(const retree_array *columns, const retree_array *labels,
                                          const retree_array *start, const retree_array *nominal,
                                          int64_t modes, retree_array *positions);

/* Moves the centres `positions` until no round lowers the cost; sets the labels of the samples, -1
 * for one without values. Result: positions, cost (1 number), rounds (1 number). */
RETREE_EXPORT int32_t retree_cluster(const retree_array *columns, const retree_array *positions,
                                     const retree_array *weight, double gamma, int64_t metric,
                                     const retree_array *start, const retree_array *nominal,
                                     int64_t modes, int64_t max_rounds, retree_array *labels,
                                     retree_result *result);
