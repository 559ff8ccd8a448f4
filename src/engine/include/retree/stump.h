/* Weka's DecisionStump (`retree.trees.weka`). */
#pragma once

#include "../retree.h"

/* Fills `orders`, int32 (n_numeric + 1, n_samples): the rows as they come, and as Weka has them
 * after it sorted them by one numeric feature after the other. n_levels, int32, is -1 of a numeric
 * feature. */
RETREE_EXPORT int32_t retree_stump_orders(const retree_array *X, const retree_array *n_levels,
                                          retree_array *orders);

/* Finds the test that leaves the least entropy. y, int32, are class codes; weights are positive.
 * Result: numbers, int32: feature, level that goes left (-1 of a numeric test), whether a row lacks
 * the value, whether there is a test at all; threshold; class weights, float64 (4, n_classes): of
 * all rows, of both sides, and of the rows that lack the value. */
RETREE_EXPORT int32_t retree_grow_stump(const retree_array *X, const retree_array *y,
                                        const retree_array *weight, const retree_array *n_levels,
                                        const retree_array *orders, int64_t n_classes,
                                        retree_result *result);
