#include "structure/frequency.hpp"

namespace retree::structure {

double GainRatio::operator()(std::span<const int64_t> counts, std::span<const int64_t> left,
                             int64_t n, int64_t n_left) const {
    double before = 0.0, inside = 0.0;
    for (int64_t c = 0; c < std::ssize(counts); ++c) {
        before += table_[counts[c]];
        inside += table_[left[c]] + table_[counts[c] - left[c]];
    }
    const double sides = table_[n_left] + table_[n - n_left];
    const double gain = (table_[n] - before) - (sides - inside);
    return std::max(gain, 0.0) / (table_[n] - sides);
}

double Hellinger::operator()(std::span<const int64_t> counts, std::span<const int64_t> left,
                             int64_t n, int64_t n_left) const {
    const auto root_of_share = [](int64_t part, int64_t whole) {
        return std::sqrt(static_cast<double>(part) / static_cast<double>(whole));
    };
    double total = 0.0;
    int64_t present = 0;
    for (int64_t c = 0; c < std::ssize(counts); ++c) {
        const int64_t own = counts[c], others = n - own;
        if (own == 0) continue;
        const int64_t own_left = left[c], others_left = n_left - left[c];
        const double to_left = root_of_share(own_left, own) - root_of_share(others_left, others);
        const double to_right =
            root_of_share(own - own_left, own) - root_of_share(others - others_left, others);
        total += std::sqrt(to_left * to_left + to_right * to_right);
        ++present;
    }
    return total / static_cast<double>(present);
}

namespace {

template <class Measure>
void rank_wide(const Measure &measure, const Node &node, int64_t column,
               std::span<const int64_t> counts, std::span<int64_t> left, int64_t min_side,
               RankedList &list) {
    node.poll.check();
    const Columns &columns = node.columns;
    const auto values = node.entries(column);
    const int64_t n = node.size();
    std::ranges::fill(left, 0);
    for (int64_t i = 0; i < n - min_side; ++i) {
        ++left[columns.packing.label(values[i])];
        if (columns.packing.is_same_value(values[i], values[i + 1]) || i + 1 < min_side) continue;
        const double score = 1.0 + measure(counts, left, n, i + 1);
        if (score >= list.cut()) list.offer({score, column, columns.wide[column], i});
    }
}

template <class Measure>
void rank_pairs(const Measure &measure, const Node &node, std::span<const int64_t> counts,
                const Table<int32_t> &ones, std::span<int64_t> left, int64_t min_side,
                RankedList &list) {
    const Columns &columns = node.columns;
    const int64_t n = node.size();
    for (int64_t j = 0; j < columns.n_pair(); ++j) {
        int64_t n_left = 0;
        for (int64_t c = 0; c < std::ssize(counts); ++c) {
            left[c] = counts[c] - ones(c, j);
            n_left += left[c];
        }
        if (std::min(n_left, n - n_left) < std::max<int64_t>(1, min_side)) continue;
        const double score = 1.0 + measure(counts, left, n, n_left);
        if (score >= list.cut()) list.offer({score, columns.n_wide() + j, columns.pair[j], 0});
    }
}

}  // namespace

template <class Measure>
void rank_by_frequency(const Measure &measure, const Node &node, std::span<const int64_t> counts,
                       const Table<int32_t> &ones, std::span<int64_t> left, int64_t min_side,
                       RankedList &list) {
    rank_pairs(measure, node, counts, ones, left, min_side, list);
    for (int64_t j = 0; j < node.columns.n_wide(); ++j)
        rank_wide(measure, node, j, counts, left, min_side, list);
}

template void rank_by_frequency(const GainRatio &, const Node &, std::span<const int64_t>,
                                const Table<int32_t> &, std::span<int64_t>, int64_t, RankedList &);
template void rank_by_frequency(const Hellinger &, const Node &, std::span<const int64_t>,
                                const Table<int32_t> &, std::span<int64_t>, int64_t, RankedList &);

}  // namespace retree::structure
