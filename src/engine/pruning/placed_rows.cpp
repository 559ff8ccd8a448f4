#include "pruning/placed_rows.hpp"

namespace retree {

bool PlacedRows::can_hold(const Sample &sample) {
    const std::span values(sample.X.data, static_cast<size_t>(sample.X.rows * sample.X.columns));
    const auto is_whole = [](double w) { return w >= 0.0 && w == std::floor(w); };
    return std::ranges::all_of(sample.weight, is_whole) && sum_of(sample.weight) < 0x1p53 &&
           std::ranges::none_of(values, [](double value) { return std::isnan(value); });
}

PlacedRows::PlacedRows(const Sample &sample, const Draft &draft)
    : sample_(sample),
      draft_(draft),
      row_(row_numbers(sample.X.rows)),
      old_row_(row_.size()),
      leaf_(row_.size()),
      range_(draft.test.size()),
      counts_(draft.counts.size()) {
    range_[0] = {0, sample.X.rows};
    place(0);
}

void PlacedRows::place(int32_t node) {
    const std::vector<int32_t> below = draft_.below(node);
    group_by_leaf(node, below);
    for (const int32_t each : below) std::ranges::fill(counts_of(each), 0.0);
    for (int64_t i = range_[node].start; i < range_[node].end; ++i)
        counts_of(leaf_[i])[sample_.y[old_row_[i]]] += sample_.weight[old_row_[i]];
    for (size_t k = below.size(); k-- > 0;)
        for (const int32_t child : draft_.children_of(below[k]))
            std::ranges::transform(counts_of(below[k]), counts_of(child),
                                   counts_of(below[k]).begin(), std::plus());
}

// Moves the rows of a node into the order of the leaves below it.
void PlacedRows::group_by_leaf(int32_t node, std::span<const int32_t> below) {
    const auto [start, end] = range_[node];
    for (const int32_t each : below) range_[each] = {0, 0};
    for (int64_t i = start; i < end; ++i) {
        old_row_[i] = row_[i];
        leaf_[i] = leaf_below(node, row_[i]);
        ++range_[leaf_[i]].end;
    }
    int64_t place = start;
    for (const int32_t each : below) {
        const int64_t n = range_[each].end;
        range_[each] = {place, place};
        place += n;
    }
    for (int64_t i = start; i < end; ++i) row_[range_[leaf_[i]].end++] = old_row_[i];
    for (size_t k = below.size(); k-- > 0;)
        if (!draft_.is_leaf(below[k]))
            range_[below[k]].end = range_[draft_.children_of(below[k]).back()].end;
}

int32_t PlacedRows::leaf_below(int32_t node, int32_t row) const {
    const double *const values = sample_.X.row(row).data();
    for (int32_t test = draft_.test[node]; test >= 0; test = draft_.test[node])
        node = draft_.tests.child(test, draft_.tests.branch_at(values, test));
    return node;
}

double PlacedRows::errors_if_raised(int32_t node, int32_t top, Confidence &confidence,
                                    double limit) {
    const auto for_others = [&](auto action) {
        for (int64_t i = range_[node].start; i < range_[top].start; ++i) action(i);
        for (int64_t i = range_[top].end; i < range_[node].end; ++i) action(i);
    };
    const auto count_of = [&](int64_t i) -> double & {
        return counts_of(leaf_[i])[sample_.y[row_[i]]];
    };
    for_others([&](int64_t i) {
        leaf_[i] = leaf_below(top, row_[i]);
        count_of(i) += sample_.weight[row_[i]];
    });
    const double errors = errors_of_leaves(top, confidence, limit);
    for_others([&](int64_t i) { count_of(i) -= sample_.weight[row_[i]]; });
    return errors;
}

double PlacedRows::errors_of_leaves(int32_t top, Confidence &confidence, double limit) {
    double errors = 0.0;
    stack_ = {top};
    while (!stack_.empty() && errors < limit) {
        const int32_t node = stack_.back();
        stack_.pop_back();
        if (draft_.is_leaf(node)) errors += confidence.errors_of(counts_of(node));
        const auto children = draft_.children_of(node);
        stack_.insert(stack_.end(), children.begin(), children.end());
    }
    return errors;
}

}  // namespace retree
