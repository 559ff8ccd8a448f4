#include "c45/thresholds.hpp"

namespace retree::c45 {
namespace {

constexpr size_t POLL_ROWS = 4096;

// Returns how many middles `value` is above, by `slack` or more; 0 for a NaN. std::partition_point
// without its branches, which nothing could predict here.
size_t count_below(const std::vector<double> &middles, double value, double slack) {
    const auto is_above = [value, slack](double middle) {
        return (value > middle) & (value - middle >= slack);
    };
    size_t place = 0;
    for (size_t n = middles.size(), half; n > 1; n -= half) {
        half = n / 2;
        place += is_above(middles[place + half - 1]) ? half : 0;
    }
    return place + (is_above(middles[place]) ? 1 : 0);
}

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
    struct Tested {
        int32_t feature;
        std::vector<double> middles, largest;
    };
    std::vector<Tested> tested(gaps_.size());
    for (size_t j = 0; j < gaps_.size(); ++j) {
        std::stable_sort(gaps_[j].begin(), gaps_[j].end(),
                         [](const Gap &a, const Gap &b) { return a.middle < b.middle; });
        tested[j].feature = columns.numeric[j];
        for (const Gap &gap : gaps_[j]) {
            tested[j].middles.push_back(gap.middle);
            tested[j].largest.push_back(threshold[gap.node]);
        }
    }
    std::erase_if(tested, [](const Tested &column) { return column.middles.empty(); });
    std::erase_if(gaps_, [](const auto &gaps) { return gaps.empty(); });
    Poll poll;
    // Row by row: column by column, each would fetch the whole matrix from memory.
    for (size_t i = 0; i < columns.rows.size(); ++i) {
        if (i % POLL_ROWS == 0) poll.check();
        for (auto &[feature, middles, largest] : tested) {
            const double value = columns.X(columns.rows[i], feature) + 0.0;
            const size_t at = count_below(middles, value, slack_);
            // A NaN comes first, and is not larger.
            if (at < largest.size() && value > largest[at]) largest[at] = value;
        }
    }
    for (size_t j = 0; j < tested.size(); ++j) {
        auto &largest = tested[j].largest;
        for (size_t i = 0; i < largest.size(); ++i) {
            if (i > 0) largest[i] = std::max(largest[i], largest[i - 1]);
            threshold[gaps_[j][i].node] = largest[i];
        }
    }
}

}  // namespace retree::c45
