#include "pruning/error_based.hpp"

#include "pruning/placed_rows.hpp"
#include "retree/pruning.h"

namespace retree {
namespace {

constexpr double SLACK = 0.1;  // errors that a smaller tree may be estimated to make more

bool has_whole_weights(const Sample &sample) {
    const auto is_whole = [](double w) { return w >= 0.0 && w == std::floor(w); };
    return std::ranges::all_of(sample.weight, is_whole) && sum_of(sample.weight) < 0x1p53;
}

class Pruner {
public:
    Pruner(const Sample &sample, Draft &draft, const ErrorBased &how)
        : draft_(draft),
          rows_(sample, draft.n_classes, draft.has_weights()),
          sorted_(how.sorted),
          confidence_(how.confidence),
          subtree_raising_(how.subtree_raising),
          errors_(draft.test.size()),
          trial_(draft.counts.size()),
          trial_weight_(2 * draft.test.size()) {
        if (!subtree_raising_ || draft.has_weights() || !how.is_complete) return;
        if (has_whole_weights(sample))
            placed_.emplace(sample, draft, confidence_, how.placed, how.n_rows, how.n_threads);
        else
            descent_.emplace(draft);
    }

    void prune(int64_t n_rows);

private:
    struct Visit {
        Segment segment;
        int64_t used;
        bool is_done;   // whether the children are pruned
        bool is_grown;  // whether it is where it was grown
    };

    void enter(const Visit &visit);
    void judge(const Visit &visit);
    void raise(int32_t node, int32_t top);
    int32_t largest_child(int32_t node);
    double redistribute(Segment top, int64_t used);
    double errors_if_raised(const Visit &visit, int32_t top, double limit);
    double errors_of_leaves(Segment top);
    void take_trial(int32_t node, int32_t top);
    std::span<double> trial_of(int32_t node) {
        return std::span(trial_).subspan(node * draft_.n_classes, draft_.n_classes);
    }

    Draft &draft_;
    SegmentedRows rows_;
    std::optional<PlacedRows> placed_;     // instead of `rows_`, where sums are exact
    std::optional<DraftDescent> descent_;  // where they are not, but no value is missing
    std::span<const int32_t> sorted_;      // features that J48 has sorted the rows of a node by
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
            errors_[node] = confidence_.errors_of(draft_.counts_of(node));
        } else if (visit.is_done) {
            judge(visit);
        } else {
            enter(visit);
        }
    }
}

// Puts the children of a node on the stack.
void Pruner::enter(const Visit &visit) {
    const int32_t node = visit.segment.node;
    int64_t behind = visit.used;
    if (placed_ || !subtree_raising_) {
        segments_.clear();
        for (const int32_t child : draft_.children_of(node)) segments_.push_back({child, 0, 0});
    } else {
        if (visit.is_grown) rows_.sort(visit.segment, sorted_);
        behind =
            rows_.divide(draft_.tests, draft_.test[node], visit.segment, visit.used, segments_);
    }
    stack_.push_back({visit.segment, visit.used, true, visit.is_grown});
    for (const Segment &segment : segments_)
        stack_.push_back({segment, behind, false, visit.is_grown});
}

// Makes a node a leaf, or else gives its place to its largest branch, if that is estimated to make
// no more errors than the node's subtree; a raised branch is pruned again.
void Pruner::judge(const Visit &visit) {
    const int32_t node = visit.segment.node;
    const double leaf_errors = confidence_.errors_of(draft_.counts_of(node));
    errors_[node] = 0.0;
    for (const int32_t child : draft_.children_of(node)) errors_[node] += errors_[child];
    const int32_t largest = largest_child(node);
    const double limit = errors_[node] + SLACK + TOLERANCE;
    const double branch_errors = errors_if_raised(visit, largest, limit);
    if (leaf_errors < limit && leaf_errors < branch_errors + SLACK + TOLERANCE) {
        draft_.test[node] = -1;
        errors_[node] = leaf_errors;
        if (placed_) placed_->cut(node);
        if (descent_) descent_->cut(node);
    } else if (branch_errors < limit) {
        raise(node, largest);
        stack_.push_back({visit.segment, visit.used, false, false});
    }
}

// Returns the estimated errors of the leaves below a child that gets all rows of its parent, or a
// part of them that reaches `limit`.
double Pruner::errors_if_raised(const Visit &visit, int32_t top, double limit) {
    if (!subtree_raising_) return INF;
    if (placed_) return placed_->errors_if_raised(visit.segment.node, top, limit);
    const Segment all{top, visit.segment.start, visit.segment.end};
    if (descent_) {
        const double errors = errors_of_leaves(all);
        if (errors >= limit) return errors;
        rows_.undo(all);
    }
    return redistribute(all, visit.used);
}

// Returns what `redistribute` returns, and leaves the rows in the same order, in less time.
double Pruner::errors_of_leaves(Segment top) {
    rows_.divide_over_leaves(*descent_, draft_, top, redistributed_);
    double errors = 0.0;
    for (const Segment &leaf : std::views::reverse(redistributed_)) {
        rows_.add_class_weights(leaf, trial_of(leaf.node));
        errors += confidence_.errors_of(trial_of(leaf.node));
    }
    return errors;
}

// Puts a child in the place of a node.
void Pruner::raise(int32_t node, int32_t top) {
    if (!placed_) take_trial(node, top);
    draft_.test[node] = draft_.test[top];
    if (descent_) descent_->raise(node, top);
    if (!placed_) return;
    placed_->raise(node, top);
    for (const int32_t below : draft_.below(node))
        if (below != node)
            std::ranges::copy(placed_->counts_of(below), draft_.counts_of(below).begin());
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
            errors += confidence_.errors_of(counts);
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

}  // namespace

Pruned prune_error_based(const Sample &sample, Draft &draft, const ErrorBased &how) {
    Pruner(sample, draft, how).prune(std::ssize(sample.rows));
    Pruned left;
    left.kept = draft.below(0);
    for (const int32_t node : left.kept) {
        left.test.push_back(draft.test[node]);
        const auto own = draft.counts_of(node);
        left.counts.insert(left.counts.end(), own.begin(), own.end());
        if (draft.has_weights())
            left.weights.insert(left.weights.end(),
                                {draft.weight[2 * node], draft.weight[2 * node + 1]});
    }
    return left;
}

}  // namespace retree

using namespace retree;

int32_t retree_prune_error_based(const retree_array *X, const retree_array *y,
                                 const retree_array *weight, const retree_array *tests,
                                 const retree_array *counts, const retree_array *weights,
                                 const retree_array *sorted, double confidence,
                                 int64_t subtree_raising, int64_t collapses,
                                 retree_result *result) {
    return guarded([&] {
        const Tests tree(tests);
        const auto class_weights = matrix_of<const double>(counts, "counts", tree.n_nodes());
        require(class_weights.columns > 0, "The engine needs at least one class.");
        const auto values = matrix_of<const double>(X, "X", ANY, tree.n_features());
        const auto rows = row_numbers(values.rows);
        const Sample sample{values, codes_of<const int32_t>(y, values.rows, class_weights.columns),
                            vector_of<const double>(weight, "weight", values.rows), rows};
        const auto row_sums = matrix_of<const double>(weights, "weights", ANY, 2);
        require(row_sums.rows == 0 || row_sums.rows == tree.n_nodes(),
                "The engine needs weights of each node, or none.");
        const auto features = vector_of<const int32_t>(sorted, "sorted");
        for (const int32_t feature : features)
            require(0 <= feature && feature < tree.n_features(),
                    "The engine needs features to sort by that the tree has.");
        Draft draft(tree, class_weights, row_sums);
        if (collapses != 0) draft.collapse();
        const bool is_complete =
            std::none_of(values.data, values.data + values.rows * values.columns,
                         [](double value) { return std::isnan(value); });
        Pruned left = prune_error_based(
            sample, draft, {confidence, subtree_raising != 0, features, {}, {}, is_complete, 1});
        const auto n_kept = std::ssize(left.kept), n_weights = std::ssize(left.weights) / 2;
        result->add(std::move(left.kept));
        result->add(std::move(left.test));
        result->add(std::move(left.counts), n_kept, class_weights.columns);
        result->add(std::move(left.weights), n_weights, 2);
    });
}
