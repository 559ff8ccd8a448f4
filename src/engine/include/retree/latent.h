/* Trees that are grown on linear combinations of the features. */
#pragma once

#include "../retree.h"

/* keys[i] = a number that depends on the values of row i of X alone. */
RETREE_EXPORT int32_t retree_hash_rows(const retree_array *X, retree_array *keys);

/* latent[i][k] = dot product of row i of X with direction k. The terms are added in the order of
 * the features, as an oblique test adds them, so a row is on the same side of a threshold in
 * training and in prediction, to the last bit. */
RETREE_EXPORT int32_t retree_project(const retree_array *X, const retree_array *directions,
                                     retree_array *latent);

/* Singular value decomposition of the rows of X, times the square roots of their weights. Results:
 * one singular value for each column, falling, and the right singular vectors, one a row, 0 where
 * the value is 0; float64. */
RETREE_EXPORT int32_t retree_decompose(const retree_array *X, const retree_array *weight,
                                       retree_result *result);

/* nearest[node] = greatest tested value on the left and least on the right of each threshold of a
 * tree with tests x[feature] <= threshold only; -inf and inf of a leaf. */
RETREE_EXPORT int32_t retree_gaps(const retree_array *X, const retree_array *children_ptr,
                                  const retree_array *children, const retree_array *feature,
                                  const retree_array *threshold, retree_array *nearest);
