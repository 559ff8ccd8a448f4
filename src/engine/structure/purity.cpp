#include "structure/purity.hpp"

namespace retree::structure {

void rank_wide_by_purity(const Node &node, int64_t column, std::span<const int64_t> counts,
                         std::span<int64_t> left, int64_t min_side, RankedList &list) {
    node.poll.check();
    const Columns &columns = node.columns;
    const auto values = node.entries(column);
    const int64_t n = node.size();
    if (columns.packing.is_same_value(values.front(), values.back())) return;
    std::ranges::fill(left, 0);
    MovingSquares squares(counts);
    for (int64_t i = 0; i < n - min_side; ++i) {
        const int32_t c = columns.packing.label(values[i]);
        squares.move(left[c]++, counts[c]);
        if (columns.packing.is_same_value(values[i], values[i + 1]) || i + 1 < min_side) continue;
        const Purity purity(squares.left(), i + 1, squares.right(), n - i - 1);
        if (!purity.may_reach(list.cut())) continue;
        const double score = purity.value();
        if (score >= list.cut()) list.offer({score, column, columns.wide[column], i});
    }
}

void count_pairs(const Node &node, Table<int32_t> &ones) {
    ones.fill(0);
    const Columns &columns = node.columns;
    for (const int32_t row : node.rows()) {
        const auto of_class = ones.row(columns.y[row]);
        for (const int32_t j : columns.set_of(row)) ++of_class[j];
    }
}

PairSplit pair_split(std::span<const int64_t> counts, const Table<int32_t> &ones, int64_t j) {
    PairSplit split;
    for (int64_t c = 0; c < std::ssize(counts); ++c) {
        const int64_t right = ones(c, j);
        const int64_t left = counts[c] - right;
        split.n_left += left;
        split.n_right += right;
        split.squares_left += left * left;
        split.squares_right += right * right;
    }
    return split;
}

void rank_pairs_by_purity(const Columns &columns, std::span<const int64_t> counts,
                          const Table<int32_t> &ones, int64_t min_side, RankedList &list) {
    for (int64_t j = 0; j < columns.n_pair(); ++j) {
        const PairSplit split = pair_split(counts, ones, j);
        if (!split.is_large_enough(min_side)) continue;
        const double score = split.purity();
        if (score >= list.cut()) list.offer({score, columns.n_wide() + j, columns.pair[j], 0});
    }
}

}  // namespace retree::structure
