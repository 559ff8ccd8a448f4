#include "structure/frequency.hpp"

namespace retree::structure {

template <class Count>
double GainRatio::operator()(std::span<const Count> counts, std::span<const Count> left, Count n,
                             Count n_left) const {
    double before = 0.0, inside = 0.0;
    for (size_t c = 0; c < counts.size(); ++c) {
        before += term(counts[c]);
        inside += term(left[c]) + term(counts[c] - left[c]);
    }
    const double sides = term(n_left) + term(n - n_left);
    const double gain = (term(n) - before) - (sides - inside);
    return std::max(gain, 0.0) / (term(n) - sides);
}

template <class Count>
double Hellinger::operator()(std::span<const Count> counts, std::span<const Count> left, Count n,
                             Count n_left) const {
    const auto root_of_share = [](Count part, Count whole) {
        return std::sqrt(static_cast<double>(part) / static_cast<double>(whole));
    };
    double total = 0.0;
    int64_t present = 0;
    for (size_t c = 0; c < counts.size(); ++c) {
        const Count own = counts[c], others = n - own;
        if (own == 0) continue;
        const Count own_left = left[c], others_left = n_left - left[c];
        const double to_left = root_of_share(own_left, own) - root_of_share(others_left, others);
        const double to_right =
            root_of_share(own - own_left, own) - root_of_share(others - others_left, others);
        total += std::sqrt(to_left * to_left + to_right * to_right);
        ++present;
    }
    return total / static_cast<double>(present);
}

template double GainRatio::operator()(std::span<const int64_t>, std::span<const int64_t>, int64_t,
                                      int64_t) const;
template double GainRatio::operator()(std::span<const double>, std::span<const double>, double,
                                      double) const;
template double Hellinger::operator()(std::span<const int64_t>, std::span<const int64_t>, int64_t,
                                      int64_t) const;
template double Hellinger::operator()(std::span<const double>, std::span<const double>, double,
                                      double) const;

namespace {

// Ranks the splits of a node by the counts of its classes.
template <class Measure, class Count>
class Ranking {
public:
    Ranking(const Measure &measure, const Node &node, std::span<const double> counts,
            double min_side, RankedList &list)
        : measure_(measure),
          node_(node),
          counts_(counts.begin(), counts.end()),
          left_(counts.size()),
          n_(std::accumulate(counts_.begin(), counts_.end(), Count{0})),
          min_side_(static_cast<Count>(min_side)),
          list_(list) {}

    void rank_wide(int64_t column) {
        node_.poll.check();
        const Columns &columns = node_.columns;
        const auto values = node_.entries(column);
        Count n_left = 0;
        std::ranges::fill(left_, Count{0});
        for (int64_t i = 0; i + 1 < node_.size(); ++i) {
            const auto w = weight_of(row_of(values[i]));
            left_[columns.packing.label(values[i])] += w;
            n_left += w;
            if (columns.packing.is_same_value(values[i], values[i + 1])) continue;
            offer(n_left, {0.0, column, columns.wide[column], i, 0.0});
        }
    }

    void rank_pair(int64_t j, const Table<double> &ones) {
        const Columns &columns = node_.columns;
        Count n_left = 0;
        for (size_t c = 0; c < counts_.size(); ++c) {
            left_[c] = counts_[c] - static_cast<Count>(ones(static_cast<int64_t>(c), j));
            n_left += left_[c];
        }
        if (n_left > 0 && n_left < n_)
            offer(n_left, {0.0, columns.n_wide() + j, columns.pair[j], 0, 0.0});
    }

private:
    Count weight_of(int32_t row) const {
        if constexpr (std::is_same_v<Count, double>) return node_.columns.weight[row];
        return 1;
    }
    void offer(Count n_left, Candidate candidate) {
        if (n_left < min_side_ || n_ - n_left < min_side_) return;
        const std::span<const Count> counts(counts_), left(left_);
        candidate.score = 1.0 + measure_(counts, left, n_, n_left);
        candidate.n_left = static_cast<double>(n_left);
        if (candidate.score >= list_.cut()) list_.offer(candidate);
    }

    const Measure &measure_;
    const Node &node_;
    std::vector<Count> counts_, left_;
    Count n_, min_side_;
    RankedList &list_;
};

template <class Ranking>
void rank_all(Ranking ranking, const Columns &columns, const Table<double> &ones) {
    for (int64_t j = 0; j < columns.n_pair(); ++j) ranking.rank_pair(j, ones);
    for (int64_t j = 0; j < columns.n_wide(); ++j) ranking.rank_wide(j);
}

}  // namespace

template <class Measure>
void rank_by_frequency(const Measure &measure, const Node &node, std::span<const double> counts,
                       const Table<double> &ones, double min_side, RankedList &list) {
    if (node.columns.weight.differ())
        rank_all(Ranking<Measure, double>(measure, node, counts, min_side, list), node.columns,
                 ones);
    else
        rank_all(Ranking<Measure, int64_t>(measure, node, counts, min_side, list), node.columns,
                 ones);
}

template void rank_by_frequency(const GainRatio &, const Node &, std::span<const double>,
                                const Table<double> &, double, RankedList &);
template void rank_by_frequency(const Hellinger &, const Node &, std::span<const double>,
                                const Table<double> &, double, RankedList &);

}  // namespace retree::structure
