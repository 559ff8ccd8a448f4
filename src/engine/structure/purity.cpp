#include "structure/purity.hpp"

namespace retree::structure {

void rank_wide_by_purity(const Node &node, int64_t column, std::span<const double> counts,
                         std::span<double> left, double min_side, RankedList &list) {
    node.poll.check();
    const Columns &columns = node.columns;
    const auto values = node.entries(column);
    if (columns.packing.is_same_value(values.front(), values.back())) return;
    std::ranges::fill(left, 0.0);
    MovingPurity moving(columns.weight, counts, left);
    for (int64_t i = 0; i + 1 < node.size(); ++i) {
        const int32_t c = columns.packing.label(values[i]);
        left[c] += moving.move(row_of(values[i]), c);
        if (columns.packing.is_same_value(values[i], values[i + 1])) continue;
        if (!moving.is_large_enough(min_side)) continue;
        const Purity purity = moving.purity();
        if (!purity.may_reach(list.cut())) continue;
        const double score = purity.value();
        if (score >= list.cut())
            list.offer({score, column, columns.wide[column], i, moving.n_left()});
    }
}

void count_pairs(const Node &node, Table<double> &ones) {
    ones.fill(0.0);
    const Columns &columns = node.columns;
    for (const int32_t row : node.rows()) {
        const auto of_class = ones.row(columns.y[row]);
        for (const int32_t j : columns.set_of(row)) of_class[j] += columns.weight[row];
    }
}

PairSplit pair_split(std::span<const double> counts, const Table<double> &ones, int64_t j) {
    PairSplit split;
    for (int64_t c = 0; c < std::ssize(counts); ++c) {
        const double right = ones(c, j);
        const double left = counts[c] - right;
        split.n_left += left;
        split.n_right += right;
        split.squares_left += left * left;
        split.squares_right += right * right;
    }
    return split;
}

void rank_pairs_by_purity(const Columns &columns, std::span<const double> counts,
                          const Table<double> &ones, double min_side, RankedList &list) {
    for (int64_t j = 0; j < columns.n_pair(); ++j) {
        const PairSplit split = pair_split(counts, ones, j);
        if (!split.is_large_enough(min_side)) continue;
        const double score = split.purity();
        if (score >= list.cut())
            list.offer({score, columns.n_wide() + j, columns.pair[j], 0, split.n_left});
    }
}

}  // namespace retree::structure
