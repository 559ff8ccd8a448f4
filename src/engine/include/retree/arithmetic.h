/* Sums and elementary functions that are the same on every machine, of float64 vectors. */
#pragma once

#include "../retree.h"

/* sums[i] = sum of row i of X, float64 (n_rows, n_columns). */
RETREE_EXPORT int32_t retree_row_sums(const retree_array *X, retree_array *sums);

/* found[i] = the function of the i-th argument; a base is positive, a share from 0.5 to 1. */
RETREE_EXPORT int32_t retree_log(const retree_array *x, retree_array *found);
RETREE_EXPORT int32_t retree_log2(const retree_array *x, retree_array *found);
RETREE_EXPORT int32_t retree_exp(const retree_array *x, retree_array *found);
RETREE_EXPORT int32_t retree_power(const retree_array *base, const retree_array *exponent,
                                   retree_array *found);
RETREE_EXPORT int32_t retree_normal_quantile(const retree_array *share, retree_array *found);
