/* OC1 and CART-LC. X: (n_samples, n_features) float64, finite; y: (n_samples,) int32, class codes
 * in 0, 1, ..., n_classes - 1; weight: (n_samples,) float64, positive, multiples of one power of 2
 * and together less than 2^53 of it. */
#pragma once

#include "../retree.h"

typedef enum retree_oblique_criterion {
    RETREE_OBLIQUE_TWOING = 0,
    RETREE_OBLIQUE_GINI = 1,
    RETREE_OBLIQUE_ENTROPY = 2,
    RETREE_OBLIQUE_SUM_MINORITY = 3,
    RETREE_OBLIQUE_MAX_MINORITY = 4
} retree_oblique_criterion;

/* How features are shifted and scaled in a node. */
typedef enum retree_scaling {
    RETREE_SCALE_AS_IS = 0,
    RETREE_SCALE_BY_RANGE = 1,
    RETREE_SCALE_BY_QUARTILES = 2
} retree_scaling;

/* The order in which OC1 perturbs coefficients. */
typedef enum retree_order {
    RETREE_ORDER_SEQUENTIAL = 0,
    RETREE_ORDER_BEST_FIRST = 1,
    RETREE_ORDER_RANDOM = 2
} retree_order;

typedef struct retree_oc1_rule {
    int64_t criterion;           /* retree_oblique_criterion */
    int64_t scaling;             /* retree_scaling */
    double min_rows_per_feature; /* nodes of no more are tested on single features */
    int64_t min_samples_split;
    int64_t max_depth;
    int64_t order; /* retree_order */
    int64_t n_restarts;
    int64_t max_jumps;
    double stagnation_probability;
} retree_oc1_rule;

typedef struct retree_cart_lc_rule {
    int64_t criterion; /* retree_oblique_criterion */
    int64_t scaling;   /* retree_scaling */
    double min_rows_per_feature;
    int64_t min_samples_split;
    int64_t max_depth;
    int64_t max_cycles;
    double elimination;
} retree_cart_lc_rule;

/* What the OC1 program (version 3) is asked for. */
typedef struct retree_original_rule {
    int64_t shifts; /* whether features below 0 are shifted to minimum 0 */
    double min_rows_per_feature;
    int64_t min_samples_split;
    int64_t max_depth;
    int64_t is_cart;    /* its CART mode */
    int64_t max_cycles; /* of CART-LC */
    int64_t n_restarts; /* climbs of OC1, the one from the axis-parallel test included */
    int64_t max_jumps;
} retree_original_rule;

/* Grow a tree. Result, nodes depth first: parent (n_nodes,) int32; feature (n_nodes,) int32, -1 for
 * a leaf, -2 for an oblique test; threshold (n_nodes,); counts (n_nodes, n_classes); normals of the
 * oblique tests (n_oblique, n_features). */
RETREE_EXPORT int32_t retree_grow_oc1(const retree_array *X, const retree_array *y,
                                      const retree_array *weight, int64_t n_classes,
                                      const retree_oc1_rule *rule, uint64_t seed,
                                      retree_result *result);
RETREE_EXPORT int32_t retree_grow_cart_lc(const retree_array *X, const retree_array *y,
                                          const retree_array *weight, int64_t n_classes,
                                          const retree_cart_lc_rule *rule, retree_result *result);

/* Grow a tree as the OC1 program does, by the twoing rule in 32-bit floats; `state` is that of
 * drand48, 48 bits. Result as above. */
RETREE_EXPORT int32_t retree_grow_original(const retree_array *X, const retree_array *y,
                                           int64_t n_classes, const retree_original_rule *rule,
                                           uint64_t state, retree_result *result);
