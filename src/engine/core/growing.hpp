// What growing a tree depth first has in common in all families.
#pragma once

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
};

}  // namespace retree
