// Error-based pruning with subtree raising.
#include "core/numbers.hpp"
#include "core/tests.hpp"
#include "pruning/errors.hpp"
#include "pruning/segments.hpp"
#include "retree/pruning.h"

namespace retree {
namespace {

constexpr double SLACK = 0.1;  // errors that a smaller tree may be estimated to make more

// A tree whose nodes can be cut off and moved up.
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
    std::vector<int32_t> reachable() const;
};

class Pruner {
public:
    Pruner(const Sample &sample, Draft &draft, std::span<const int32_t> sorted,
           Confidence confidence, bool subtree_raising)
        : draft_(draft),
          rows_(sample, draft.n_classes, draft.has_weights()),
          sorted_(sorted),
          confidence_(confidence),
          subtree_raising_(subtree_raising),
          errors_(draft.test.size()),
          trial_(draft.counts.size()),
          trial_weight_(2 * draft.test.size()) {}

    void prune(int64_t n_rows);

private:
    struct Visit {
        Segment segment;
        int64_t used;
        bool is_done;   // whether the children are pruned
        bool is_grown;  // whether it is where it was grown
    };

    void judge(const Visit &visit);
    int32_t largest_child(int32_t node);
    double redistribute(Segment top, int64_t used);
    void take_trial(int32_t node, int32_t top);
    std::span<double> trial_of(int32_t node) {
        return std::span(trial_).subspan(node * draft_.n_classes, draft_.n_classes);
    }

    Draft &draft_;
    SegmentedRows rows_;
    std::span<const int32_t> sorted_;  // features that J48 has sorted the rows of a node by
    Confidence confidence_;
    bool subtree_raising_;
    std::vector<double> errors_;                // estimated of the subtree of each node
    std::vector<double> trial_, trial_weight_;  // class weights and weights if a branch were raised
    std::vector<Visit> stack_;
    std::vector<Segment> segments_, redistributed_;
    Poll poll_;
};

// Replaces nodes, from the leaves up, by a leaf or by their largest branch.
void Pruner::prune(int64_t n_rows) {
    stack_.push_back({{0, 0, n_rows}, n_rows, false, true});
    while (!stack_.empty()) {
        poll_.check();
        const Visit visit = stack_.back();
        stack_.pop_back();
        const int32_t node = visit.segment.node;
        if (draft_.is_leaf(node)) {
            errors_[node] = estimated_errors(draft_.counts_of(node), confidence_);
        } else if (visit.is_done) {
            judge(visit);
        } else {
            if (visit.is_grown) rows_.sort(visit.segment, sorted_);
            const int64_t behind =
                rows_.divide(draft_.tests, draft_.test[node], visit.segment, visit.used, segments_);
            stack_.push_back({visit.segment, visit.used, true, visit.is_grown});
            for (const Segment &segment : segments_)
                stack_.push_back({segment, behind, false, visit.is_grown});
        }
    }
}

// Makes a node a leaf, or else gives its place to its largest branch, if that is estimated to make
// no more errors than the node's subtree; a raised branch is pruned again.
void Pruner::judge(const Visit &visit) {
    const int32_t node = visit.segment.node;
    const double leaf_errors = estimated_errors(draft_.counts_of(node), confidence_);
    errors_[node] = 0.0;
    for (const int32_t child : draft_.children_of(node)) errors_[node] += errors_[child];
    const int32_t largest = largest_child(node);
    double branch_errors = std::numeric_limits<double>::infinity();
    if (subtree_raising_)
        branch_errors = redistribute({largest, visit.segment.start, visit.segment.end}, visit.used);
    const double limit = errors_[node] + SLACK + TOLERANCE;
    if (leaf_errors < limit && leaf_errors < branch_errors + SLACK + TOLERANCE) {
        draft_.test[node] = -1;
        errors_[node] = leaf_errors;
    } else if (branch_errors < limit) {
        take_trial(node, largest);
        draft_.test[node] = draft_.test[largest];
        stack_.push_back({visit.segment, visit.used, false, false});
    }
}

// Returns the child of greatest weight, the last of those that are equal.
int32_t Pruner::largest_child(int32_t node) {
    double best = 0.0;
    int32_t largest = draft_.children_of(node).front();
    for (const int32_t child : draft_.children_of(node)) {
        const double weight = draft_.weight_of(child);
        if (weight > best - TOLERANCE) {
            best = weight;
            largest = child;
        }
    }
    return largest;
}

// Sends the rows of a segment down from its node; sets the trial counts of every node below and
// returns the estimated errors of the leaves.
double Pruner::redistribute(Segment top, int64_t used) {
    std::vector<Segment> stack{top};
    double errors = 0.0;
    while (!stack.empty()) {
        poll_.check();
        const Segment segment = stack.back();
        stack.pop_back();
        const auto counts = trial_of(segment.node);
        double &weight = trial_weight_[2 * segment.node];
        if (draft_.is_leaf(segment.node)) {
            weight = rows_.add_class_weights(segment, counts);
            errors += estimated_errors(counts, confidence_);
            continue;
        }
        used = rows_.divide(draft_.tests, draft_.test[segment.node], segment, used, redistributed_);
        const Distribution &made = rows_.distribution();
        std::copy(made.counts.begin(), made.counts.end(), counts.begin());
        weight = made.weight;
        for (size_t b = 0; b < made.sent.size(); ++b)
            trial_weight_[2 * redistributed_[b].node + 1] = made.sent[b];
        stack.insert(stack.end(), redistributed_.begin(), redistributed_.end());
    }
    return errors;
}

// Gives a node, and what was below its child `top`, the weights that they have with `top` raised.
void Pruner::take_trial(int32_t node, int32_t top) {
    if (draft_.has_weights()) {
        std::ranges::copy(trial_of(top), draft_.counts_of(node).begin());
        draft_.weight[2 * node] = trial_weight_[2 * top];
    }
    std::vector<int32_t> stack(draft_.children_of(top).begin(), draft_.children_of(top).end());
    while (!stack.empty()) {
        const int32_t below = stack.back();
        stack.pop_back();
        std::ranges::copy(trial_of(below), draft_.counts_of(below).begin());
        if (draft_.has_weights())
            std::copy_n(&trial_weight_[2 * below], 2, &draft_.weight[2 * below]);
        const auto children = draft_.children_of(below);
        stack.insert(stack.end(), children.begin(), children.end());
    }
}

// Returns the nodes that hang together with the root, depth first.
std::vector<int32_t> Draft::reachable() const {
    std::vector<int32_t> found, stack{0};
    while (!stack.empty()) {
        const int32_t node = stack.back();
        stack.pop_back();
        found.push_back(node);
        const auto children = children_of(node);
        stack.insert(stack.end(), children.rbegin(), children.rend());
    }
    return found;
}

}  // namespace
}  // namespace retree

using namespace retree;

int32_t retree_prune_error_based(const retree_array *X, const retree_array *y,
                                 const retree_array *weight, const retree_array *tests,
                                 const retree_array *counts, const retree_array *weights,
                                 const retree_array *sorted, double confidence,
                                 int64_t subtree_raising, retree_result *result) {
    return guarded([&] {
        const Tests tree(tests);
        const auto class_weights = matrix_of<const double>(counts, "counts", tree.n_nodes());
        require(class_weights.columns > 0, "The engine needs at least one class.");
        const auto rows = matrix_of<const double>(X, "X", ANY, tree.n_features());
        const Sample sample{rows, codes_of<const int32_t>(y, rows.rows, class_weights.columns),
                            vector_of<const double>(weight, "weight", rows.rows)};
        const auto row_sums = matrix_of<const double>(weights, "weights", ANY, 2);
        require(row_sums.rows == 0 || row_sums.rows == tree.n_nodes(),
                "The engine needs weights of each node, or none.");
        const auto features = vector_of<const int32_t>(sorted, "sorted");
        for (const int32_t feature : features)
            require(0 <= feature && feature < tree.n_features(),
                    "The engine needs features to sort by that the tree has.");
        Draft draft(tree, class_weights, row_sums);
        Pruner(sample, draft, features, Confidence(confidence), subtree_raising != 0)
            .prune(rows.rows);
        std::vector<int32_t> kept = draft.reachable(), test;
        std::vector<double> kept_counts, kept_weights;
        for (const int32_t node : kept) {
            test.push_back(draft.test[node]);
            const auto own = draft.counts_of(node);
            kept_counts.insert(kept_counts.end(), own.begin(), own.end());
            if (draft.has_weights())
                kept_weights.insert(kept_weights.end(),
                                    {draft.weight[2 * node], draft.weight[2 * node + 1]});
        }
        const auto n_kept = static_cast<int64_t>(kept.size());
        result->add(std::move(kept));
        result->add(std::move(test));
        result->add(std::move(kept_counts), n_kept, class_weights.columns);
        result->add(std::move(kept_weights), draft.has_weights() ? n_kept : 0, 2);
    });
}
