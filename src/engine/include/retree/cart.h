/* Growing CART's trees (`retree.trees.cart`). */
#pragma once

#include "../retree.h"

/* Name the criteria of `cart/criteria.hpp`, in the order of their numbers from 0 on.
 *
 * Results, both uint8: the names with a space between two, and of each whether it is of a
 * regression. */
RETREE_EXPORT int32_t retree_cart_criteria(retree_result *result);

/* How much better the sides of binary tests are than their nodes, by a criterion of classes.
 *
 * left and node have the class weights of left sides and of nodes, (n_tests, n_classes), as shares
 * of the node's weight. Result: the gains, 0 where a side is empty. */
RETREE_EXPORT int32_t retree_cart_gains(const retree_array *left, const retree_array *node,
                                        int64_t criterion, retree_result *result);

/* How a node is split and when it is not. */
typedef struct retree_cart_rule {
    int64_t criterion; /* its number */
    int64_t max_depth;
    int64_t min_samples_split;
    int64_t min_samples_leaf;
    double min_weight_fraction_leaf; /* of the weight of all rows */
    double min_impurity_decrease;
    double max_class_share;
    int64_t max_exact_levels; /* of a column whose subsets are all tried */
    int64_t n_threads;        /* that search the columns; they change no result */
} retree_cart_rule;

/* The columns are those of weighted_columns.h; total is the weight of all rows. target is read in a
 * regression, where all rows are of one class, and lies between -1 and 1.
 *
 * Results, nodes depth first: parent (-1 of the root), feature (-1 of a leaf), row of left_levels
 * (-1 unless the test is nominal), threshold (NaN unless it is numeric), sums (n_nodes, n_classes)
 * of the class weights or (n_nodes, 4) of weight, mean, variance and remaining mean, and
 * left_levels, uint8 (n_subsets, bytes with a bit for each level: level k is bit k % 8 of byte
 * k / 8). */
RETREE_EXPORT int32_t retree_cart_grow(const retree_array *X, const retree_array *y,
                                       const retree_array *weight, retree_array *rows,
                                       retree_array *entries, const retree_array *codes,
                                       const retree_array *n_levels, int64_t n_classes,
                                       double total, const retree_array *target,
                                       const retree_cart_rule *rule, retree_result *result);
