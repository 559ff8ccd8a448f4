/* Learners of Weka that draw Java's random numbers. */
#pragma once

#include "../retree.h"

/* How REPTree grows and prunes. */
typedef struct retree_reptree_rule {
    double min_cases;
    int64_t max_depth;
    int64_t folds;    /* one of them is held out */
    int64_t prune;    /* if not, nothing is held out */
    int64_t seed;     /* of the numbers that shuffle the rows */
    int64_t is_exact; /* no value is missing and weights are whole, so no sum depends on an order */
    int64_t takes_entries; /* whether entries serve this tree only, which then needs fewer copies */
} retree_reptree_rule;

/* Grows a REPTree of `drawn`, int32, rows of X in their order, which may repeat.
 * weight is that of each row of X; entries and codes are those of all rows, as for C4.5. terms is
 * n log(n) of 0, 1, ... as far as the caller has it.
 * Results, by node in depth-first order: parent (-1 of the root), tested feature (-1 of a leaf),
 * int32; threshold (NaN unless the test is numeric), float64; class weights, float64 (node_count,
 * n_classes), with the rows that were held out; float64 (node_count, 3): weight of the node, what
 * the test above sent here while the tree grew, and of how much the branches got that. */
RETREE_EXPORT int32_t retree_reptree_grow(const retree_array *X, const retree_array *y,
                                          const retree_array *weight, retree_array *entries,
                                          const retree_array *codes, const retree_array *n_levels,
                                          int64_t n_classes, const retree_array *drawn,
                                          const retree_array *terms,
                                          const retree_reptree_rule *rule, retree_result *result);

/* How RandomTree grows. */
typedef struct retree_random_tree_rule {
    double min_cases;
    int64_t max_depth;
    int64_t n_tried;     /* features drawn for a node, and more until one gains something */
    int64_t is_exact;    /* as of REPTree */
    int64_t counts_rows; /* whether a row that is drawn again is one row with a higher weight */
} retree_random_tree_rule;

/* Grows Weka's RandomTrees, one of each row of `drawn`, int32 (n_trees, n_drawn), as REPTree is
 * grown; `seeds`, int64 (n_trees,), of the numbers that draw features.
 * The nodes of the trees come one tree after the other. */
RETREE_EXPORT int32_t retree_random_trees_grow(
    const retree_array *X, const retree_array *y, const retree_array *weight, retree_array *entries,
    const retree_array *codes, const retree_array *n_levels, int64_t n_classes,
    const retree_array *drawn, const retree_array *seeds, const retree_array *terms,
    const retree_random_tree_rule *rule, retree_result *result);

/* terms[n] = n log(n), as Weka adds them up. */
RETREE_EXPORT int32_t retree_n_log_n(retree_array *terms);
