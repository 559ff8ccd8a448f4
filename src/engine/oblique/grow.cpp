#include "oblique/grow.hpp"

#include "core/partition.hpp"
#include "oblique/random.hpp"

namespace retree::oblique {
namespace {

struct Pending {
    int64_t start;
    int64_t end;
    int64_t depth;
    int64_t parent;
    uint64_t seed;
};

// Whether a node is a leaf whatever its tests.
bool is_terminal(const Pending &node, std::span<const double> counts, const Rule &rule) {
    const double n = sum_of(counts);
    return node.depth >= rule.max_depth || n < static_cast<double>(rule.min_samples_split) ||
           std::ranges::max(counts) == n;
}

// Moves the rows of a node to their sides; returns where the right side begins.
int64_t partition(Data &data, int64_t start, int64_t end, const std::vector<uint8_t> &goes_left,
                  std::vector<int32_t> &buffer) {
    const auto n = static_cast<size_t>(end - start);
    int64_t right = start;
    for (int64_t i = start; i < end; ++i) right += goes_left[data.rows[i]];
    split_values(std::span(data.rows).subspan(start, n), goes_left.data(), buffer.data());
    for (int64_t j = 0; j < data.X.columns; ++j)
        split_values(std::span(data.sorted).subspan(j * data.X.rows + start, n), goes_left.data(),
                     buffer.data());
    return right;
}

}  // namespace

Nodes grow(Data &data, const Rule &rule, uint64_t seed, Poll &poll) {
    Nodes nodes;
    TestChooser chooser(data, rule, poll);
    std::vector<int32_t> buffer(data.rows.size());
    std::vector<Pending> stack{{0, data.X.rows, 0, -1, seed}};
    grow_depth_first(stack, poll, [&](const Pending &node) {
        const int64_t number = nodes.add_leaf(node.parent);
        const auto counts = data.count_classes(node.start, node.end);
        nodes.counts.insert(nodes.counts.end(), counts.begin(), counts.end());
        if (is_terminal(node, counts, rule)) return;
        const Test test = chooser.choose(node.start, node.end, counts, node.seed);
        if (test.feature == LEAF) return;
        nodes.feature.back() = static_cast<int32_t>(test.feature);
        nodes.threshold.back() = test.threshold;
        nodes.normals.insert(nodes.normals.end(), test.normal.begin(), test.normal.end());
        const int64_t right = partition(data, node.start, node.end, chooser.goes_left, buffer);
        const auto child = [&](int64_t start, int64_t end, uint64_t side) {
            stack.push_back(
                {start, end, node.depth + 1, number, Random::child_seed(node.seed, side)});
        };
        child(right, node.end, 1);
        child(node.start, right, 0);
    });
    return nodes;
}

}  // namespace retree::oblique
