#include "pruning/segments.hpp"

namespace retree {

void SegmentedRows::find_branches(const Tests &tests, int32_t test, Segment segment) {
    branch_.clear();
    const int64_t column = std::max(tests.feature[test], 0);  // the first of an oblique test
    for (int64_t i = segment.start; i < segment.end; ++i) {
        const int64_t later = std::min(i + int64_t{ROWS_AHEAD}, segment.end - 1);
        prefetch(&sample_.X(row_[later], column));
        branch_.push_back(tests.branch_at(sample_.X.row(row_[i]).data(), test));
    }
}

void SegmentedRows::copy_segment(Segment segment) {
    old_row_.assign(row_.begin() + segment.start, row_.begin() + segment.end);
    old_weight_.assign(weight_.begin() + segment.start, weight_.begin() + segment.end);
}

// Sums the weights of the copied segment, whose branches are found, and sets the share of a row
// without a value that each branch gets; returns how many rows are without.
int64_t SegmentedRows::distribute(size_t n_branches) {
    auto &[counts, weight, sent] = distribution_;
    std::fill(counts.begin(), counts.end(), 0.0);
    weight = 0.0;
    sent.assign(n_branches, 0.0);
    const auto add = [&](size_t i) {
        counts[sample_.y[old_row_[i]]] += old_weight_[i];
        weight += old_weight_[i];
    };
    int64_t n_missing = 0;
    for (size_t i = 0; i < branch_.size(); ++i) {
        n_missing += branch_[i] == MISSING;
        if (branch_[i] == MISSING) continue;
        add(i);
        sent[branch_[i]] += old_weight_[i];
    }
    const auto shares = [&](size_t b) {
        return weight >= TOLERANCE ? sent[b] / weight : 1.0 / static_cast<double>(n_branches);
    };
    share_.resize(n_branches);
    for (size_t b = 0; b < n_branches; ++b) share_[b] = shares(b);
    if (n_missing == 0) return 0;
    for (size_t i = 0; i < branch_.size(); ++i) {
        if (branch_[i] != MISSING) continue;
        add(i);
        for (size_t b = 0; b < n_branches; ++b) sent[b] += share_[b] * old_weight_[i];
    }
    for (size_t b = 0; b < n_branches; ++b) share_[b] = shares(b);
    return n_missing;
}

// Puts row i of the copied segment into branch b.
void SegmentedRows::place(size_t b, size_t i, double share) {
    const int64_t at = place_[b]++;
    row_[at] = old_row_[i];
    weight_[at] = old_weight_[i] * share;
}

int64_t SegmentedRows::divide(const Tests &tests, int32_t test, Segment segment, int64_t used,
                              std::vector<Segment> &segments) {
    const auto children = tests.children_of(test);
    find_branches(tests, test, segment);
    copy_segment(segment);
    std::vector<int64_t> sizes(children.size());
    for (const int32_t b : branch_)
        if (b != MISSING) ++sizes[b];
    const int64_t n_missing = distribute(children.size());
    const bool is_behind = n_missing > 0 || keeps_order_;
    int64_t end = is_behind ? used : segment.start;
    segments.clear();
    place_.clear();
    for (size_t b = 0; b < children.size(); ++b) {
        const int64_t start = end;
        end += sizes[b] + (share_[b] > TOLERANCE ? n_missing : 0);
        segments.push_back({children[b], start, end});
        place_.push_back(start);
    }
    if (is_behind) {
        used = end;
        if (used > static_cast<int64_t>(row_.size())) {
            row_.resize(static_cast<size_t>(2 * used));
            weight_.resize(static_cast<size_t>(2 * used));
        }
    }
    for (size_t i = 0; i < branch_.size(); ++i) {
        if (branch_[i] != MISSING) {
            place(static_cast<size_t>(branch_[i]), i, 1.0);
            continue;
        }
        for (size_t b = 0; b < children.size(); ++b)
            if (share_[b] > TOLERANCE) place(b, i, share_[b]);
    }
    return used;
}

void SegmentedRows::divide_over_leaves(DraftDescent &descent, const Draft &draft, Segment segment,
                                       std::vector<Segment> &segments) {
    copy_segment(segment);
    branch_.resize(old_row_.size());
    descent.find_leaves(sample_.X, old_row_, segment.node, branch_);
    place_.resize(draft.test.size());
    const std::vector<int32_t> below = draft.below(segment.node);
    for (const int32_t node : below) place_[node] = 0;
    for (const int32_t leaf : branch_) ++place_[leaf];
    segments.clear();
    int64_t end = segment.start;
    for (const int32_t node : below) {
        if (!draft.is_leaf(node)) continue;
        const int64_t start = end;
        end += place_[node];
        place_[node] = start;
        segments.push_back({node, start, end});
    }
    for (size_t i = 0; i < branch_.size(); ++i) place(static_cast<size_t>(branch_[i]), i, 1.0);
}

void SegmentedRows::undo(Segment segment) {
    std::ranges::copy(old_row_, row_.begin() + segment.start);
    std::ranges::copy(old_weight_, weight_.begin() + segment.start);
}

void SegmentedRows::sort(Segment segment, std::span<const int32_t> features) {
    for (const int32_t feature : features) {
        copy_segment(segment);
        keyed_.clear();
        for (size_t i = 0; i < old_row_.size(); ++i)
            keyed_.push_back({sample_.X(old_row_[i], feature), static_cast<int32_t>(i)});
        weka_sort(keyed_);
        for (size_t i = 0; i < keyed_.size(); ++i) {
            const int64_t at = segment.start + static_cast<int64_t>(i);
            row_[at] = old_row_[keyed_[i].item];
            weight_[at] = old_weight_[keyed_[i].item];
        }
    }
}

double SegmentedRows::add_class_weights(Segment segment, std::span<double> counts) const {
    std::fill(counts.begin(), counts.end(), 0.0);
    double weight = 0.0;
    for (int64_t i = segment.start; i < segment.end; ++i) {
        counts[sample_.y[row_[i]]] += weight_[i];
        weight += weight_[i];
    }
    return weight;
}

}  // namespace retree
