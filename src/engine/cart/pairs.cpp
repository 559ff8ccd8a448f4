#include "cart/pairs.hpp"

namespace retree::cart {
namespace {

bool has_two_values(std::span<const uint64_t> entries, Packing packing) {
    return packing.code(entries.back()) == 1 && !packing.is_missing(entries.back());
}

// How many entries of a column of two values have the lower one.
size_t count_low_entries(std::span<const uint64_t> entries, Packing packing) {
    const auto is_low = [packing](uint64_t entry) { return packing.code(entry) == 0; };
    return static_cast<size_t>(std::partition_point(entries.begin(), entries.end(), is_low) -
                               entries.begin());
}

}  // namespace

Pairs::Pairs(const WeightedColumns &columns, bool is_wanted)
    : y_(columns.y),
      place_(static_cast<size_t>(columns.n_numeric()), -1),
      n_classes_(columns.n_classes) {
    for (int64_t j = 0; j < columns.n_numeric(); ++j) {
        const auto entries = columns.entries.row(j);
        if (!is_wanted || !has_two_values(entries, columns.packing)) {
            others_.push_back(j);
            continue;
        }
        place_[j] = std::ssize(columns_);
        columns_.push_back(j);
        is_low_rare_.push_back(2 * count_low_entries(entries, columns.packing) <= entries.size());
    }
    if (columns_.empty()) return;
    start_.resize(y_.size() + 1);
    for (size_t p = 0; p < columns_.size(); ++p)
        for (const uint64_t entry : rare_entries(p, columns)) ++start_[row_of(entry)];
    std::inclusive_scan(start_.begin(), start_.end(), start_.begin());
    rare_.resize(start_.back());
    // From behind, so that each start ends up where it belongs, and the lists ascend.
    for (size_t p = columns_.size(); p-- > 0;)
        for (const uint64_t entry : rare_entries(p, columns))
            rare_[--start_[row_of(entry)]] = static_cast<int32_t>(p);
}

std::span<const uint64_t> Pairs::rare_entries(size_t place, const WeightedColumns &columns) const {
    const auto entries = columns.entries.row(columns_[place]);
    const size_t n_low = count_low_entries(entries, columns.packing);
    return is_low_rare_[place] ? entries.first(n_low) : entries.subspan(n_low);
}

void Pairs::count(std::span<const int32_t> rows, std::vector<int32_t> &n_rare) const {
    if (columns_.empty()) return;
    n_rare.assign(columns_.size() * static_cast<size_t>(n_classes_), 0);
    for (const int32_t row : rows) {
        int32_t *const own = n_rare.data() + static_cast<size_t>(y_[row]) * columns_.size();
        for (const int32_t place : rare_of(row)) ++own[place];
    }
}

int64_t Pairs::count_low(int64_t column, std::span<const double> sums,
                         std::span<const int32_t> n_rare, std::span<double> low) const {
    const auto place = static_cast<size_t>(place_[column]);
    double n_low = 0.0;
    for (size_t c = 0; c < low.size(); ++c) {
        const double n = n_rare[c * columns_.size() + place];
        low[c] = is_low_rare_[place] ? n : sums[c] - n;
        n_low += low[c];
    }
    return static_cast<int64_t>(n_low);
}

}  // namespace retree::cart
