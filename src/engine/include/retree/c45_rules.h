/* C4.5rules. Rows that meet a condition, or are of a class, are given as bits, uint64 (...,
 * n_words): row i is bit i % 64 of word i / 64, and bits of no row are 0. */
#pragma once

#include "../retree.h"

/* Drops conditions of a rule as long as the upper limit of its error, or its error, does not rise
 * for some condition. `met` are the conditions, uint64 (n_conditions, n_words), `target` the rows
 * of its class, of `n_rows`, `weight` that of each row, empty if all are 1. `quantile` is that of
 * the normal distribution that limits exceed with a chance of `confidence`; `error_of_none` is the
 * error of no rows. kept[d] = whether condition d is left, uint8; error[0] = the limit of what is
 * left. */
RETREE_EXPORT int32_t retree_rule_conditions(const retree_array *met, int64_t n_rows,
                                             const retree_array *target, const retree_array *weight,
                                             double confidence, double quantile,
                                             double error_of_none, retree_array *kept,
                                             retree_array *error);

/* The rules of a class, and groups of rows that the same of them cover: covers, uint8 (n_groups,
 * n_bytes), has rule k at bit 7 - k % 8 of byte k / 8; `right` and `wrong` are the weights of the
 * rows of the class, and of others, in each group, which are `of_class` and `total` together;
 * `bits` those that each rule takes. costs[s] =
 * bits of the rules of a set, uint8 (n_sets, n_rules), and of what they get wrong. If `climbs`,
 * each set is first changed by one rule at a time as long as that saves bits. */
RETREE_EXPORT int32_t retree_rule_sets(const retree_array *covers, const retree_array *right,
                                       const retree_array *wrong, const retree_array *bits,
                                       double total, double of_class, int64_t climbs,
                                       retree_array *sets, retree_array *costs);
