#include "c45/thresholds.hpp"

#include "core/team.hpp"

namespace retree::c45 {
namespace {

// Sets for each code a row with its value, or with the last value below it if none has that. The
// entries still hold all rows, in whatever order.
void find_rows(const WeightedColumns &columns, int64_t j, std::span<int32_t> row) {
    std::ranges::fill(row, -1);
    for (const uint64_t entry : columns.entries.row(j))
        if (!columns.packing.is_missing(entry)) row[columns.packing.code(entry)] = row_of(entry);
    for (size_t code = 1; code < row.size(); ++code)
        if (row[code] < 0) row[code] = row[code - 1];
}

}  // namespace

std::optional<Gap> gap_between(const WeightedColumns &columns, int64_t j, uint64_t low,
                               uint64_t high, int32_t node) {
    const double below = columns.value(j, low), above = columns.value(j, high);
    const double middle = (below + above) / 2;
    const uint64_t code = columns.packing.code(low), next = columns.packing.code(high);
    if (code + 1 == next || !(middle < above)) return std::nullopt;
    return Gap{code, next, middle, j, node};
}

void settle_thresholds(const WeightedColumns &columns, std::span<const Gap> gaps,
                       const retree_c45_rule &rule, std::span<double> threshold) {
    std::vector<std::vector<Gap>> by_column(columns.numeric.size());
    for (const Gap &gap : gaps) by_column[gap.column].push_back(gap);
    const auto settle = [&](int64_t j, std::span<int32_t> row) {
        find_rows(columns, j, row);
        for (const Gap &gap : by_column[j]) {
            const auto is_not_above = [&](int32_t each) {
                const double value = columns.value_of(j, each);
                return !(value > gap.middle && value - gap.middle >= rule.slack);
            };
            const auto first = row.begin() + static_cast<std::ptrdiff_t>(gap.low);
            const auto last = row.begin() + static_cast<std::ptrdiff_t>(gap.high);
            const auto found = std::partition_point(first, last, is_not_above);
            if (found != first) threshold[gap.node] = columns.value_of(j, found[-1]);
        }
    };
    Team team(rule.n_threads, columns.n_numeric());
    std::vector<std::vector<int32_t>> rows(static_cast<size_t>(team.size()));
    Poll poll;
    const int64_t work = columns.n_numeric() * columns.n_rows();
    team.share(columns.n_numeric(), work, [&](int64_t member, int64_t j) {
        if (by_column[j].empty()) return;
        if (member == 0) poll.check();
        rows[member].resize(static_cast<size_t>(columns.X.rows));
        settle(j, rows[member]);
    });
}

}  // namespace retree::c45
