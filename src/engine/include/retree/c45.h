/* ID3 and C4.5: growing. */
#pragma once

#include "../retree.h"

/* How a node is split and when it is not, and whether the tree is pruned. */
typedef struct retree_c45_rule {
    double min_cases;
    int64_t mdl_correction;
    int64_t binary_splits;
    int64_t by_gain; /* ID3: the greatest gain counts, and min_cases is the only minimum */
    int64_t max_depth;
    double slack;       /* a value less than this above the middle of a gap may be its threshold */
    int64_t n_declared; /* classes, if more than have rows: they enter the least weight of a side */
    int64_t n_threads;  /* that search the columns; they change no result */
    int64_t prunes;     /* by errors, as retree_prune_error_based does, with what follows */
    double confidence;
    int64_t subtree_raising;
    int64_t collapses;
} retree_c45_rule;

/* Grows and prunes the tree of weighted columns, the arguments up to total; rows and entries are
 * moved about. times, int32, says how often each row of X counts in a least number of rows; if it
 * is empty, each counts once. Results, by node in depth-first order: parent (-1 of the root),
 * tested feature (-1 of a leaf), level that a binary nominal test sends left (else -1), int32;
 * threshold (NaN unless the test is numeric), float64; class weights, float64 (node_count,
 * n_classes); weight of the node, and what of it the test above says that it sends, float64
 * (node_count, 2), none where no value of the rows is missing: these are then sums of the class
 * weights. */
RETREE_EXPORT int32_t retree_c45_grow(const retree_array *X, const retree_array *y,
                                      const retree_array *weight, retree_array *rows,
                                      retree_array *entries, const retree_array *codes,
                                      const retree_array *n_levels, int64_t n_classes, double total,
                                      const retree_array *times, const retree_c45_rule *rule,
                                      retree_result *result);
