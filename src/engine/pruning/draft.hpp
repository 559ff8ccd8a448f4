// A tree whose nodes can be cut off and moved up.
#pragma once

#include "core/descent.hpp"
#include "core/numbers.hpp"
#include "core/tests.hpp"
#include "pruning/errors.hpp"

namespace retree {

struct Draft {
    const Tests &tests;
    std::vector<int32_t> test;   // node whose test and children each node has, -1 of a leaf
    std::vector<double> counts;  // (node_count, n_classes)
    std::vector<double> weight;  // (node_count, 2) as in J48, or empty, see retree/pruning.h
    int64_t n_classes;

    Draft(const Tests &tree, Matrix<const double> class_weights, Matrix<const double> weights)
        : tests(tree),
          test(static_cast<size_t>(class_weights.rows)),
          counts(class_weights.data,
                 class_weights.data + class_weights.rows * class_weights.columns),
          weight(weights.data, weights.data + 2 * weights.rows),
          n_classes(class_weights.columns) {
        for (int32_t node = 0; node < tests.n_nodes(); ++node)
            test[node] = tests.feature[node] == LEAF ? -1 : node;
    }

    // Makes leaves of the nodes that err as such no more than the leaves below them.
    void collapse() {
        std::vector<uint8_t> marked(test.size());
        mark_collapsible(tests, {counts.data(), std::ssize(test), n_classes}, marked);
        for (size_t node = 0; node < test.size(); ++node)
            if (marked[node]) test[node] = -1;
    }
    std::span<double> counts_of(int32_t node) {
        return std::span(counts).subspan(node * n_classes, n_classes);
    }
    bool has_weights() const { return !weight.empty(); }
    double weight_of(int32_t child) {
        return has_weights() ? weight[2 * child + 1] : sum_of(counts_of(child));
    }
    bool is_leaf(int32_t node) const { return test[node] < 0; }
    std::span<const int32_t> children_of(int32_t node) const {
        if (is_leaf(node)) return {};
        return tests.children_of(test[node]);
    }
    // Returns a node and what is below it, depth first.
    std::vector<int32_t> below(int32_t top) const {
        std::vector<int32_t> found, stack{top};
        while (!stack.empty()) {
            const int32_t node = stack.back();
            stack.pop_back();
            found.push_back(node);
            const auto children = children_of(node);
            stack.insert(stack.end(), children.rbegin(), children.rend());
        }
        return found;
    }
};

// Sends rows without missing values down a draft.
class DraftDescent {
public:
    explicit DraftDescent(const Draft &draft) : descent_(draft.tests), place_(draft.test.size()) {
        const auto children = draft.tests.children;
        for (size_t k = 0; k < children.size(); ++k)
            place_[children[k]] = static_cast<int32_t>(k) + 1;
        for (int32_t node = 0; node < draft.tests.n_nodes(); ++node)
            if (draft.is_leaf(node) && draft.tests.feature[node] != LEAF) cut(node);
    }

    // Sets the leaf below a node that each of some rows ends in.
    void find_leaves(Matrix<const double> X, std::span<const int32_t> rows, int32_t top,
                     std::span<int32_t> leaf) const {
        constexpr size_t n = Descent::N_ROWS;
        Descent::Block block;
        for (size_t i = 0; i < rows.size(); i += n) {
            const auto some = rows.subspan(i, std::min(n, rows.size() - i));
            std::ranges::copy(descent_.leaves_of(X, some, place_[top], block),
                              leaf.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }

    // Makes a node a leaf, or gives it the test and children of one below.
    void cut(int32_t node) { descent_.cut(place_[node]); }
    void raise(int32_t node, int32_t top) { descent_.raise(place_[node], place_[top]); }

private:
    Descent descent_;
    std::vector<int32_t> place_;  // of each node in it
};

}  // namespace retree
