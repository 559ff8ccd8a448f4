/* Walking down finished trees. The arrays are the fields of `retree.trees.tree.Tree`. */
#ifndef RETREE_TRAVERSE_H
#define RETREE_TRAVERSE_H

#include "../retree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* leaves[i] = leaf of row i under tests x[feature] <= threshold. */
RETREE_EXPORT int32_t retree_apply_thresholds(const retree_array *X,
                                              const retree_array *children_ptr,
                                              const retree_array *children,
                                              const retree_array *feature,
                                              const retree_array *threshold, retree_array *leaves);

/* depths[node] and parents[node], -1 for the root. */
RETREE_EXPORT int32_t retree_node_depths(const retree_array *children_ptr,
                                         const retree_array *children, retree_array *depths,
                                         retree_array *parents);

#ifdef __cplusplus
}
#endif

#endif
