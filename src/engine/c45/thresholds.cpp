#include "c45/thresholds.hpp"

namespace retree::c45 {

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
    Poll poll;
    std::vector<double> middles, largest;
    for (int64_t j = 0; j < columns.n_numeric(); ++j) {
        auto &gaps = gaps_[j];
        if (gaps.empty()) continue;
        std::sort(gaps.begin(), gaps.end(),
                  [](const Gap &a, const Gap &b) { return a.middle < b.middle; });
        middles.clear();
        largest.clear();
        for (const Gap &gap : gaps) {
            middles.push_back(gap.middle);
            largest.push_back(threshold[gap.node]);
        }
        poll.check();
        for (const int32_t row : columns.rows) {
            const double value = columns.X(row, columns.numeric[j]) + 0.0;
            const auto at = std::lower_bound(middles.begin(), middles.end(), value);
            // A NaN comes first, and is not larger.
            double &best = largest[std::min<size_t>(at - middles.begin(), middles.size() - 1)];
            if (value > best && at != middles.end()) best = value;
        }
        for (size_t i = 0; i < gaps.size(); ++i) {
            if (i > 0) largest[i] = std::max(largest[i], largest[i - 1]);
            threshold[gaps[i].node] = largest[i];
        }
    }
}

}  // namespace retree::c45
