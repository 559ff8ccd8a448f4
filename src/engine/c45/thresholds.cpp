#include "c45/thresholds.hpp"

namespace retree::c45 {
namespace {

constexpr size_t POLL_ROWS = 4096;

// The gaps of a column in ascending order, and the largest value seen that is not above each.
class TestedColumn {
public:
    TestedColumn(int32_t feature, std::vector<double> middles, std::vector<double> largest)
        : feature_(feature),
          middles_(std::move(middles)),
          largest_(std::move(largest)),
          start_(middles_.size() + 2),
          low_(0.5 * middles_.front()),
          // Halves, so that the range stays finite.
          per_cell_(static_cast<double>(middles_.size()) / (0.5 * middles_.back() - low_)) {
        if (!std::isfinite(per_cell_)) per_cell_ = 0.0;
        for (const double middle : middles_) ++start_[cell_of(middle) + 1];
        std::inclusive_scan(start_.begin(), start_.end(), start_.begin());
    }

    void see(const WeightedColumns &columns, int32_t row, double slack) {
        const double value = columns.X(row, feature_) + 0.0;
        if (std::isnan(value)) return;
        const size_t at = count_below(value, slack);
        if (at < largest_.size() && value > largest_[at]) largest_[at] = value;
    }

    // Returns for each gap the largest value that is not above its middle.
    std::vector<double> settled() const {
        std::vector<double> found(largest_.size());
        std::inclusive_scan(largest_.begin(), largest_.end(), found.begin(),
                            [](double a, double b) { return std::max(a, b); });
        return found;
    }

private:
    // How many middles `value` is above, by `slack` or more. Cells of equal width, about as many as
    // middles, leave few of these to compare with.
    size_t count_below(double value, double slack) const {
        const auto is_above = [value, slack](double middle) {
            return value > middle && value - middle >= slack;
        };
        // Middles in cells before that of a number this far below are surely below.
        const auto first = middles_.begin() + start_[cell_of(value - 2.0 * slack)];
        const auto last = middles_.begin() + start_[cell_of(value) + 1];
        return static_cast<size_t>(std::partition_point(first, last, is_above) - middles_.begin());
    }

    // Does not fall where the value rises. A middle that is minus infinity makes all places NaN, of
    // which this order of arguments makes 0.
    size_t cell_of(double value) const {
        const double place = std::max(0.0, (0.5 * value - low_) * per_cell_);
        return static_cast<size_t>(std::min(place, static_cast<double>(middles_.size())));
    }

    int32_t feature_;
    std::vector<double> middles_, largest_;
    std::vector<int32_t> start_;  // middles in the cells before each
    double low_, per_cell_;
};

}  // namespace

double Thresholds::note(const WeightedColumns &columns, int64_t j, uint64_t low, uint64_t high,
                        int64_t node) {
    const double below = columns.value(j, low), above = columns.value(j, high);
    const double middle = (below + above) / 2;
    const bool is_empty = columns.packing.code(low) + 1 == columns.packing.code(high);
    if (is_empty || !(middle < above)) return below;
    gaps_[j].push_back({middle, node});
    return below;
}

void Thresholds::settle(const WeightedColumns &columns, std::span<double> threshold) {
    std::vector<TestedColumn> tested;
    for (size_t j = 0; j < gaps_.size(); ++j) {
        if (gaps_[j].empty()) continue;
        std::stable_sort(gaps_[j].begin(), gaps_[j].end(),
                         [](const Gap &a, const Gap &b) { return a.middle < b.middle; });
        std::vector<double> middles, largest;
        for (const Gap &gap : gaps_[j]) {
            middles.push_back(gap.middle);
            largest.push_back(threshold[gap.node]);
        }
        tested.emplace_back(columns.numeric[j], std::move(middles), std::move(largest));
    }
    std::erase_if(gaps_, [](const auto &gaps) { return gaps.empty(); });
    Poll poll;
    // Row by row: column by column, each would fetch the whole matrix from memory.
    for (size_t i = 0; i < columns.rows.size(); ++i) {
        if (i % POLL_ROWS == 0) poll.check();
        for (TestedColumn &column : tested) column.see(columns, columns.rows[i], slack_);
    }
    for (size_t j = 0; j < tested.size(); ++j) {
        const auto largest = tested[j].settled();
        for (size_t i = 0; i < largest.size(); ++i) threshold[gaps_[j][i].node] = largest[i];
    }
}

}  // namespace retree::c45
