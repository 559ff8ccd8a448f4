// What nodes lose on rows that the tree was not grown on.
#include "core/tests.hpp"
#include "retree/pruning.h"

namespace retree {
namespace {

struct Loss {
    bool squared;

    double operator()(double target, double prediction) const {
        if (squared) return (target - prediction) * (target - prediction);
        return target == prediction ? 0.0 : 1.0;
    }
};

struct LossSample {
    Matrix<const double> X;
    std::span<const double> y, weight;
};

// A node that a part of a row passes.
struct Visit {
    int32_t node;
    double part;
};

void add_losses(const LossSample &sample, const Tests &tests, std::span<const double> node_weight,
                std::span<const double> prediction, Loss loss_of, bool divide,
                Matrix<double> sums) {
    Poll poll;
    std::vector<Visit> stack;
    for (int64_t i = 0; i < sample.X.rows; ++i) {
        if (i % 1024 == 0) poll.check();
        stack.push_back({0, sample.weight[i]});
        while (!stack.empty()) {
            const auto [node, part] = stack.back();
            stack.pop_back();
            const double loss = loss_of(sample.y[i], prediction[node]);
            sums(node, 0) += part * loss;
            sums(node, 1) += part * loss * loss;
            if (tests.feature[node] == LEAF) continue;
            const int32_t b = tests.branch_at(sample.X.row(i).data(), node);
            if (b != MISSING) {
                stack.push_back({tests.child(node, b), part});
            } else if (!divide) {
                stack.push_back({tests.heaviest_child(node, node_weight), part});
            } else {
                for (const int32_t child : tests.children_of(node))
                    if (node_weight[child] > 0.0)
                        stack.push_back({child, part * node_weight[child] / node_weight[node]});
            }
        }
    }
}

}  // namespace
}  // namespace retree

using namespace retree;

int32_t retree_node_losses(const retree_array *X, const retree_array *y, const retree_array *weight,
                           const retree_array *tests, const retree_array *node_weight,
                           const retree_array *prediction, int64_t squared, int64_t divide,
                           retree_array *sums) {
    return guarded([&] {
        const Tests tree(tests);
        const auto rows = matrix_of<const double>(X, "X", ANY, tree.n_features());
        const LossSample sample{rows, vector_of<const double>(y, "y", rows.rows),
                                vector_of<const double>(weight, "weight", rows.rows)};
        const auto losses = matrix_of<double>(sums, "sums", tree.n_nodes(), 2);
        std::fill(losses.data, losses.data + 2 * tree.n_nodes(), 0.0);
        add_losses(sample, tree,
                   vector_of<const double>(node_weight, "node_weight", tree.n_nodes()),
                   vector_of<const double>(prediction, "prediction", tree.n_nodes()),
                   {squared != 0}, divide != 0, losses);
    });
}
