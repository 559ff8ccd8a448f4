/* Trees by structure and purity, and by the order of the classes (retree/trees/structure). */
#pragma once

#include "../retree.h"

/* What candidates are ranked by. */
typedef enum retree_rank_by {
    RETREE_BY_PURITY = 0,
    RETREE_BY_MARGIN = 1,
    RETREE_BY_GAIN_RATIO = 2,
    RETREE_BY_HELLINGER = 3
} retree_rank_by;

/* What takes one of the k best of the ranking: the first, the one of least CSN, of least expected
 * segments or segments in total, or of the greatest blend of the ranking with expected segments,
 * which are normalised in either way. */
typedef enum retree_take {
    RETREE_TAKE_FIRST = 0,
    RETREE_TAKE_COMPACT = 1,
    RETREE_TAKE_EXPECTED = 2,
    RETREE_TAKE_TOTAL = 3,
    RETREE_TAKE_BLEND_RANGE = 4,
    RETREE_TAKE_BLEND_RATIO = 5
} retree_take;

typedef enum retree_penalty {
    RETREE_PENALTY_NONE = 0,
    RETREE_PENALTY_WITHIN = 1,
    RETREE_PENALTY_ACROSS = 2,
    RETREE_PENALTY_NEAREST = 3 /* eq. 6, which the others approximate */
} retree_penalty;

/* How a node is split and when it is not. */
typedef struct retree_structure_rule {
    int64_t rank_by; /* retree_rank_by */
    int64_t take;    /* retree_take */
    double omega1;
    int64_t penalty;          /* retree_penalty */
    int64_t squared;          /* square the distance of the centroids, as eq. 7 does */
    int64_t scale_by_child;   /* scale the rows of a child for CSN by its own ranges */
    int64_t along_split;      /* count segments along the feature of the split alone */
    int64_t rank_breaks_ties; /* of the second measure; otherwise feature and threshold do */
    int64_t min_samples_leaf; /* a node of no more rows is a leaf */
    int64_t least_ranked;     /* rows of the smaller child of a candidate */
    int64_t least_taken;      /* the same of the split that is chosen; with fewer there is none */
    int64_t max_depth;
} retree_structure_rule;

/* Grows the trees of all points. weight, float64 (n_samples,), is positive; the weights are
 * multiples of one power of 2, and together less than 2^53 of it. list_of, int64, is the ranked
 * list that each point chooses from, k, int64, of how many of its candidates, alpha the weight of
 * the ranking in a blend; omega2 has one number for each list, codes, int8 (n_classes,
 * n_dichotomies), the sides of CSN. Result: numbers (n_nodes, 3) int64: parent, feature (-1: leaf),
 * row that has the threshold; counts (n_nodes, n_classes), weights of the classes; and members
 * (n_nodes, n_points) uint8: the points whose trees have the node. Restricted to one point, the
 * nodes are its tree in depth-first order. */
RETREE_EXPORT int32_t retree_structure_grow(const retree_array *X, const retree_array *y,
                                            const retree_array *weight, int64_t n_classes,
                                            const retree_array *list_of, const retree_array *k,
                                            const retree_array *alpha, const retree_array *omega2,
                                            const retree_array *codes,
                                            const retree_structure_rule *rule,
                                            retree_result *result);
