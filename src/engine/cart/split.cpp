#include "cart/split.hpp"

namespace retree::cart {

Training::Training(const WeightedColumns &its_columns, const Sample &its_sample,
                   const Rule &its_rule)
    : columns(its_columns),
      sample(its_sample),
      rule(its_rule),
      xlog2x(rule.takes_logs ? log_table(columns) : std::vector<double>()),
      pairs(columns, sample.weight.empty() && !rule.is_regression) {}

Splitter::Splitter(const Training &training, Team &team, Poll &poll)
    : columns_(training.columns),
      sample_(training.sample),
      rule_(training.rule),
      xlog2x_(training.xlog2x),
      pairs_(training.pairs),
      team_(team),
      cuts_(columns_.numeric.size()),
      levels_(columns_.nominal.size()),
      goes_left_(static_cast<size_t>(columns_.X.rows)),
      left_levels_(static_cast<size_t>(columns_.most_levels())),
      n_level_bytes_((columns_.most_levels() + 7) / 8) {
    const int64_t n_sums = rule_.is_regression ? 2 : columns_.n_classes;
    searchers_.reserve(static_cast<size_t>(team.size()));
    for (int64_t member = 0; member < team.size(); ++member)
        searchers_.push_back({SubsetSearch(columns_.most_levels(), n_sums, sample_, rule_, xlog2x_,
                                           member == 0 ? poll : silent_),
                              ScanScratch(n_sums),
                              {}});
}

Split Splitter::choose(int64_t start, int64_t end, std::span<const double> sums) {
    set_all_known(sums, end - start, rule_, everything_);
    Split chosen;
    choose_threshold(start, end, chosen);
    choose_subset(start, end, chosen);
    return chosen;
}

void Splitter::choose_threshold(int64_t start, int64_t end, Split &chosen) {
    const auto sorted = pairs_.other_columns();
    const int64_t n = columns_.n_numeric(), n_sorted = std::ssize(sorted);
    cut_pairs(columns_.segment_rows(start, end));
    team_.share(n_sorted, n_sorted * (end - start), [&](int64_t member, int64_t k) {
        cuts_[sorted[k]] = best_cut(columns_.segment(sorted[k], start, end), searchers_[member]);
    });
    const double slack = tie_width(everything_);
    for (int64_t j = 0; j < n; ++j)
        if (cuts_[j].position >= 0 && cuts_[j].gain > chosen.gain + slack)
            chosen = {j, cuts_[j].position, cuts_[j].gain};
}

// Sets the only cut of each column of two values.
void Splitter::cut_pairs(std::span<const int32_t> rows) {
    pairs_.count(rows, n_rare_);
    const std::span low = searchers_[0].scratch.left;
    for (const int64_t j : pairs_.columns()) {
        cuts_[j] = {};
        const int64_t n_low = pairs_.count_low(j, everything_.sums, n_rare_, low);
        if (n_low == 0 || n_low == everything_.n_rows) continue;
        const auto [gain, weight] = gain_of(low, everything_, rule_.criterion, xlog2x_);
        if (is_allowed(n_low, weight, everything_, rule_)) cuts_[j] = {gain, n_low - 1};
    }
}

Cut Splitter::best_cut(std::span<const uint64_t> segment, Searcher &searcher) const {
    const Packing packing = columns_.packing;
    if (packing.is_same_value(segment.front(), segment.back())) return {};
    const auto n_known = static_cast<size_t>(count_with_value(segment, packing));
    if (n_known < segment.size()) return scan_known(segment.first(n_known), searcher);
    return scan(segment, packing, sample_, everything_, rule_, xlog2x_, searcher.scratch);
}

// Finds the best cut of a column in which some rows have no value; these are not in `entries`.
Cut Splitter::scan_known(std::span<const uint64_t> entries, Searcher &searcher) const {
    Known &known = searcher.known;
    known.sums.assign(everything_.sums.size(), 0.0);
    for (const uint64_t entry : entries) {
        const int32_t row = row_of(entry);
        const double w = sample_.weight_of(row);
        if (rule_.is_regression) {
            known.sums[0] += w;
            known.sums[1] += w * (sample_.target[row] - everything_.centre);
        } else {
            known.sums[columns_.packing.label(entry)] += w;
        }
    }
    set_part_known(everything_, static_cast<int64_t>(entries.size()), rule_, known);
    Cut cut = scan(entries, columns_.packing, sample_, known, rule_, xlog2x_, searcher.scratch);
    cut.gain *= known.share;
    return cut;
}

void Splitter::choose_subset(int64_t start, int64_t end, Split &chosen) {
    const int64_t n_numeric = columns_.n_numeric();
    const int64_t n = columns_.n_nominal();
    team_.share(n, n * (end - start), [&](int64_t member, int64_t j) {
        SubsetSearch &subsets = searchers_[member].subsets;
        Levels &own = levels_[j];
        own.gain =
            subsets.find(columns_.segment_rows(start, end), columns_.codes.row(j), everything_);
        own.found.assign(subsets.found().begin(), subsets.found().end());
        own.goes_left.assign(subsets.best().begin(), subsets.best().end());
    });
    const double slack = tie_width(everything_);
    for (int64_t j = 0; j < n; ++j) {
        const double gain = levels_[j].gain;
        const bool is_lower = 0 <= chosen.column && chosen.column < n_numeric &&
                              columns_.nominal[j] < columns_.numeric[chosen.column];
        if (gain > (is_lower ? chosen.gain - slack : chosen.gain + slack))
            chosen = {n_numeric + j, -1, gain};
    }
}

void Splitter::add_left_levels(const Split &split, std::vector<uint8_t> &bits) const {
    const size_t first = bits.size();
    bits.resize(first + static_cast<size_t>(n_level_bytes_));
    const std::span own = std::span(bits).subspan(first);
    const auto set = [own](int32_t level, int goes_left) {
        const int bit = 1 << (level % 8);
        own[level / 8] =
            static_cast<uint8_t>(goes_left != 0 ? own[level / 8] | bit : own[level / 8] & ~bit);
    };
    const int64_t column = split.column - columns_.n_numeric();
    if (goes_other_ != 0) {
        const int32_t n_levels = columns_.n_levels[column];
        std::ranges::fill(own.first(static_cast<size_t>(n_levels / 8)), uint8_t{0xff});
        for (int32_t level = n_levels / 8 * 8; level < n_levels; ++level) set(level, 1);
    }
    const auto &[found, goes_left, gain] = levels_[column];
    for (size_t q = 0; q < found.size(); ++q) set(found[q], goes_left[q]);
}

int64_t Splitter::mark_left(int64_t start, int64_t end, const Split &split) {
    const int64_t n_numeric = columns_.n_numeric();
    in_order_ = -1;
    if (split.column >= n_numeric)
        return mark_levels(columns_.segment_rows(start, end), split.column - n_numeric);
    if (pairs_.has(split.column)) {
        mark_pair(columns_.segment_rows(start, end), split.column);
        return split.position + 1;
    }
    const std::span<const uint64_t> segment = columns_.segment(split.column, start, end);
    const int64_t n_left = mark_threshold(segment, split.position);
    if (n_left == split.position + 1) in_order_ = split.column;
    return n_left;
}

void Splitter::mark_pair(std::span<const int32_t> rows, int64_t column) {
    for (const int32_t row : rows) goes_left_[row] = pairs_.is_low(column, row);
}

int64_t Splitter::mark_threshold(std::span<const uint64_t> segment, int64_t position) {
    const auto n = static_cast<int64_t>(segment.size());
    const int64_t n_known = count_with_value(segment, columns_.packing), n_left = position + 1;
    for (int64_t i = 0; i < n; ++i) goes_left_[row_of(segment[i])] = i < n_left;
    if (n_known == n) return n_left;
    double w_left = 0.0, w_right = 0.0;
    for (int64_t i = 0; i < n_known; ++i)
        (i < n_left ? w_left : w_right) += sample_.weight_of(row_of(segment[i]));
    if (!is_heavier(w_left, w_right)) return n_left;
    for (int64_t i = n_known; i < n; ++i) goes_left_[row_of(segment[i])] = 1;
    return n_left + n - n_known;
}

int64_t Splitter::mark_levels(std::span<const int32_t> rows, int64_t column) {
    const auto codes = columns_.codes.row(column);
    const auto &[found, goes_left, gain] = levels_[column];
    for (size_t q = 0; q < found.size(); ++q) left_levels_[found[q]] = goes_left[q];
    double w_left = 0.0, w_right = 0.0;
    for (const int32_t row : rows)
        if (codes[row] >= 0)
            (left_levels_[codes[row]] ? w_left : w_right) += sample_.weight_of(row);
    goes_other_ = is_heavier(w_left, w_right);
    int64_t n_left = 0;
    for (const int32_t row : rows) {
        goes_left_[row] = codes[row] >= 0 ? left_levels_[codes[row]] : goes_other_;
        n_left += goes_left_[row];
    }
    return n_left;
}

}  // namespace retree::cart
