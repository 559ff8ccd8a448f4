/* Growing CMDT trees (`retree.trees.cmdt`). */
#pragma once

#include "../retree.h"

/* How nodes are split. */
typedef struct retree_cmdt_rule {
    int64_t weights;
    int64_t modes;
    int64_t metric; /* as in clustering.h */
    double gamma;   /* NaN: chosen by the Gini index */
    double beta;
    int64_t n_neighbors;
    int64_t n_samples;
    int64_t max_rounds;
    int64_t min_parent;
} retree_cmdt_rule;

/* Row j of `values` (n_features, n_samples) is column j, numeric ones on the scale of distances.
 * The samples stand in the order of their classes `y`; these, the values and `priority` are moved
 * about. `start` has the first slot of each column in a centre, `spread` the range of each numeric
 * column, else 1, and `priority`, int32, says which rows Relief-F looks at first. Result, nodes in
 * depth-first order: numbers (parent, first centre, number of centres, metric), gamma, weights of
 * the columns, class counts; positions of the centres. */
RETREE_EXPORT int32_t retree_grow_cmdt(retree_array *values, retree_array *y, int64_t n_classes,
                                       const retree_array *start, const retree_array *nominal,
                                       const retree_array *spread, retree_array *priority,
                                       const retree_cmdt_rule *rule, retree_result *result);
