// What growing a tree depth first has in common in all families.
#pragma once

#include "core/team.hpp"
#include "core/tests.hpp"

namespace retree {

// Takes the newest node off the stack until none is left; `expand` puts its children on the stack,
// the one that is to be grown first last.
template <class Node, class Expand>
void grow_depth_first(std::vector<Node> &stack, Poll &poll, Expand expand) {
    while (!stack.empty()) {
        poll.check();
        Node node = std::move(stack.back());
        stack.pop_back();
        expand(std::move(node));
    }
}

// The nodes, depth first: each is a leaf until it gets a test.
struct NodeRecords {
    std::vector<int32_t> parent;    // -1 of the root
    std::vector<int32_t> feature;   // that is tested, or LEAF
    std::vector<double> threshold;  // NaN unless the test has one

    int64_t size() const { return std::ssize(parent); }

    // Adds a leaf and returns its number.
    int32_t add_leaf(int64_t parent_number) {
        parent.push_back(static_cast<int32_t>(parent_number));
        feature.push_back(LEAF);
        threshold.push_back(std::numeric_limits<double>::quiet_NaN());
        return static_cast<int32_t>(parent.size()) - 1;
    }

    // Adds node i of other records.
    void copy(const NodeRecords &other, int64_t i, int64_t parent_number) {
        add_leaf(parent_number);
        feature.back() = other.feature[i];
        threshold.back() = other.threshold[i];
    }
};

// The rows up to which one member of a team grows a node and all below it, while others grow other
// nodes: few enough for even shares and a prompt stop, none for a team of one.
inline int64_t most_rows_aside(const Team &team, int64_t n_rows, int64_t n_columns) {
    if (team.size() == 1) return 0;
    const int64_t share = n_rows * n_columns / (64 * team.size());
    return std::clamp(share, Team::LEAST_WORK, int64_t{1} << 20) / n_columns;
}

// Puts the records of subtrees in the place of leaves, whose numbers ascend.
template <class Records>
Records joined(const Records &top, std::span<const int32_t> leaves, std::vector<Records> subtrees) {
    Records all;
    std::vector<int32_t> number(static_cast<size_t>(top.size()));
    size_t next = 0;
    for (int64_t i = 0; i < top.size(); ++i) {
        const int32_t parent = top.parent[i] < 0 ? -1 : number[top.parent[i]];
        number[i] = static_cast<int32_t>(all.size());
        if (next == leaves.size() || leaves[next] != i) {
            all.copy(top, i, parent);
            continue;
        }
        const Records subtree = std::move(subtrees[next++]);
        for (int64_t k = 0; k < subtree.size(); ++k)
            all.copy(subtree, k, k == 0 ? parent : number[i] + subtree.parent[k]);
    }
    return all;
}

// Returns the records of a tree from its start, the root. The wide nodes are grown column by
// column, what is below them side by side. A grower puts starts aside, without a parent, and tells
// the leaves in their place.
template <class Grower, class Training, class Start>
auto grow_by_members(const Training &training, const Start &root) {
    const int64_t n_rows = training.columns.n_rows(), n_columns = training.columns.X.columns;
    Team team(training.rule.n_threads, n_columns), alone(1, 1);
    const int64_t most_rows = most_rows_aside(team, n_rows, n_columns);
    Grower wide(training, team, Poll(), n_rows);
    auto top = wide.grow(root, most_rows);
    if (wide.aside().empty()) return top;
    std::vector<std::unique_ptr<Grower>> growers(static_cast<size_t>(team.size()));
    std::vector<decltype(top)> subtrees(wide.aside().size());
    team.share(std::ssize(subtrees), n_rows * n_columns, [&](int64_t member, int64_t i) {
        auto &own = growers[member];
        if (!own)
            own = std::make_unique<Grower>(training, alone, member == 0 ? Poll() : Poll::silent(),
                                           most_rows);
        subtrees[i] = own->grow(wide.aside()[i], 0);
    });
    return joined(top, wide.leaves(), std::move(subtrees));
}

}  // namespace retree
