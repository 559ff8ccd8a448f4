/* Parts of growing by structure and purity, by themselves. */
#pragma once

#include "retree.h"

/* scores = gain ratio and Hellinger distance of the class counts of a node and its left child. */
RETREE_EXPORT int32_t retree_structure_frequency(const retree_array *counts,
                                                 const retree_array *left, retree_array *scores);

/* found[0] = least number of segments of rows with sorted int64 values, or `limit` if it is no
 * fewer. */
RETREE_EXPORT int32_t retree_structure_segments(const retree_array *values, const retree_array *y,
                                                int64_t n_classes, int64_t limit,
                                                retree_array *found);
