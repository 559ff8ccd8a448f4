/* ID3 and C4.5: growing. */
#pragma once

#include "../retree.h"

/* Grows the tree of weighted columns, the arguments up to total; rows and entries are moved about.
 * times, int32, says how often each row of X counts in a least number of rows; if it is empty, each
 * counts once. A value less than slack above the middle of a gap may be its threshold;
 * n_declared classes, not fewer than n_classes, enter the least weight of a side.
 * Results, by node in depth-first order: parent (-1 of the root), tested feature (-1 of a leaf),
 * level that a binary nominal test sends left (else -1), int32; threshold (NaN unless the test is
 * numeric), float64; class weights, float64 (node_count, n_classes);
 * weight of the node, and what of it the test above says that it sends, float64 (node_count, 2). */
RETREE_EXPORT int32_t retree_c45_grow(const retree_array *X, const retree_array *y,
                                      const retree_array *weight, retree_array *rows,
                                      retree_array *entries, const retree_array *n_near,
                                      const retree_array *codes, const retree_array *n_levels,
                                      int64_t n_classes, double total, const retree_array *times,
                                      double min_cases, int64_t mdl_correction,
                                      int64_t binary_splits, int64_t by_gain, int64_t max_depth,
                                      double slack, int64_t n_declared, retree_result *result);
