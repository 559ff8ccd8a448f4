/* Java's random numbers, which Weka draws with. */
#pragma once

#include "../retree.h"

/* drawn = rows drawn with java.util.Random; `state`, uint64, is its state before and after.
 * A place below keep[row] is that row, and another one other[row]. */
RETREE_EXPORT int32_t retree_weka_draw(const retree_array *keep, const retree_array *other,
                                       retree_array *state, retree_array *drawn);
