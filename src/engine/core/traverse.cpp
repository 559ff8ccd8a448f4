// Walking down finished trees (retree/trees/tree.py).
#include "retree/traverse.h"

#include "core/array.hpp"
#include "core/guard.hpp"

namespace retree {
namespace {

struct Shape {
    std::span<const int32_t> children_ptr;
    std::span<const int32_t> children;

    Shape(const retree_array *pointer, const retree_array *edges)
        : children_ptr(vector_of<const int32_t>(pointer, "children_ptr")),
          children(vector_of<const int32_t>(edges, "children")) {
        require(!children_ptr.empty(), "The engine needs a tree of at least one node.");
    }

    int64_t n_nodes() const { return static_cast<int64_t>(children_ptr.size()) - 1; }
};

void apply_thresholds(Matrix<const double> X, const Shape &tree, std::span<const int32_t> feature,
                      std::span<const double> threshold, std::span<int32_t> leaves) {
    Poll poll;
    for (int64_t i = 0; i < X.rows; ++i) {
        if (i % 4096 == 0) poll.check();
        const double *row = X.data + i * X.columns;
        int32_t node = 0;
        while (feature[node] >= 0) {
            const int branch = row[feature[node]] <= threshold[node] ? 0 : 1;
            node = tree.children[tree.children_ptr[node] + branch];
        }
        leaves[i] = node;
    }
}

}  // namespace
}  // namespace retree

using namespace retree;

extern "C" {

int32_t retree_apply_thresholds(const retree_array *X, const retree_array *children_ptr,
                                const retree_array *children, const retree_array *feature,
                                const retree_array *threshold, retree_array *leaves) {
    return guarded([&] {
        const auto rows = matrix_of<const double>(X, "X");
        const Shape tree(children_ptr, children);
        apply_thresholds(rows, tree, vector_of<const int32_t>(feature, "feature", tree.n_nodes()),
                         vector_of<const double>(threshold, "threshold", tree.n_nodes()),
                         vector_of<int32_t>(leaves, "leaves", rows.rows));
    });
}

int32_t retree_node_depths(const retree_array *children_ptr, const retree_array *children,
                           retree_array *depths, retree_array *parents) {
    return guarded([&] {
        const Shape tree(children_ptr, children);
        const auto depth = vector_of<int32_t>(depths, "depths", tree.n_nodes());
        const auto parent = vector_of<int32_t>(parents, "parents", tree.n_nodes());
        if (depth.empty()) return;
        depth[0] = 0;
        parent[0] = -1;
        for (int32_t node = 0; node < tree.n_nodes(); ++node) {
            for (int32_t edge = tree.children_ptr[node]; edge < tree.children_ptr[node + 1];
                 ++edge) {
                depth[tree.children[edge]] = depth[node] + 1;
                parent[tree.children[edge]] = node;
            }
        }
    });
}
}
