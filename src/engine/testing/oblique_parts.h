/* Parts of the search for an oblique test, by themselves. X, y and criteria are as in oblique.h. */
#pragma once

#include "retree.h"

/* The parts of the search by themselves. `weights` are the coefficients of a hyperplane of X as it
 * is, each column of which must vary, and the constant term; those found take their place. */
RETREE_EXPORT int32_t retree_search_oc1(const retree_array *X, const retree_array *y,
                                        int64_t criterion, int64_t order, int64_t n_restarts,
                                        int64_t max_jumps, double stagnation, uint64_t seed,
                                        retree_array *weights);
RETREE_EXPORT int32_t retree_search_cart_lc(const retree_array *X, const retree_array *y,
                                            int64_t criterion, int64_t max_cycles,
                                            double elimination, retree_array *weights);

/* The best step of coefficient `m`; with `stagnant`, one without gain too. The weights are scaled
 * first. Result: goodness before, after it (-inf if there is no step), and the step (3,). */
RETREE_EXPORT int32_t retree_oblique_step(const retree_array *X, const retree_array *y,
                                          int64_t criterion, int64_t m, int64_t stagnant,
                                          retree_array *weights, retree_result *result);

/* The best cut of the rows with these values (n_samples, 1), directions and weights, of
 * goodness `bar` at least. Result: goodness, -inf if there is none (1,); the rows just below and
 * above it, -1 if there is none (2,) int64. */
RETREE_EXPORT int32_t retree_oblique_cut(const retree_array *value, const retree_array *direction,
                                         const retree_array *y, const retree_array *weight,
                                         int64_t criterion, double width, double bar,
                                         retree_result *result);

/* Goodness of a cut with `left` rows of each of the classes on its left side, and what no cut with
 * `left` to `most` of them exceeds, NaN for twoing (2,). */
RETREE_EXPORT int32_t retree_oblique_goodness(const retree_array *left, const retree_array *most,
                                              const retree_array *totals, int64_t criterion,
                                              retree_result *result);
