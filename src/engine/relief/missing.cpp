#include "relief/missing.hpp"

#include "core/presort.hpp"

namespace retree {
namespace {

// Numbers that may be kept, of rows and of columns each, however few the data are.
constexpr int64_t FEW_VALUES = 1 << 17;
constexpr int64_t KEPT_PART = 8;  // or so small a part of the data

}  // namespace

MissingValues::MissingValues(std::span<const std::span<const double>> columns,
                             std::span<const uint8_t> nominal, std::span<const int64_t> class_start)
    : columns_(columns),
      nominal_(nominal),
      class_start_(class_start),
      place_(columns.size(), -1),
      below_(class_start.size()),
      through_(class_start.size()),
      both_(class_start.size()) {
    int64_t n_columns = 0;
    for (size_t j = 0; j < columns.size(); ++j)
        if (std::ranges::any_of(columns[j], [](double value) { return std::isnan(value); }))
            place_[j] = n_columns++;
    if (n_columns == 0) return;
    const int64_t n_rows = class_start.back();
    class_.resize(static_cast<size_t>(n_rows));
    for (int64_t c = 0; c < n_classes(); ++c)
        std::fill(class_.begin() + class_start[c], class_.begin() + class_start[c + 1],
                  static_cast<int32_t>(c));
    order_.resize(static_cast<size_t>(n_columns));
    totals_.resize(order_.size() * class_start.size());
    sort_columns();
    const int64_t kept = std::max(FEW_VALUES, n_columns * n_rows / KEPT_PART);
    most_rows_ =
        static_cast<size_t>(std::clamp<int64_t>(kept / 2 / (n_columns * n_classes()), 1, n_rows));
    slot_.assign(class_.size(), -1);
    to_rows_.resize(order_.size() * most_rows_ * static_cast<size_t>(n_classes()));
    kept_.resize(static_cast<size_t>(std::clamp<int64_t>(kept / n_rows, 1, n_columns)), {-1, -1});
    to_class_.resize(kept_.size() * class_.size());
}

void MissingValues::sort_columns() {
    const auto rows = row_numbers(std::ssize(class_));
    std::vector<uint64_t> keys(rows.size());
    ColumnSorter sorter(std::ssize(rows));
    for (int64_t j = 0; j < std::ssize(columns_); ++j) {
        if (!are_in(j)) continue;
        std::ranges::transform(columns_[j], keys.begin(), sort_key);
        const auto sorted = sorter.sort(keys, rows);
        const auto n_known = std::ranges::lower_bound(sorted.keys, NAN_KEY) - sorted.keys.begin();
        order_[place_[j]].assign(sorted.rows.begin(), sorted.rows.begin() + n_known);
        walk(j, [](double, std::span<const int32_t>) {});
        std::ranges::copy(through_, totals_.begin() + place_[j] * std::ssize(through_));
    }
}

// Visits the known values of a column, ascending, with the rows of each.
template <class Visit>
void MissingValues::walk(int64_t j, Visit &&visit) {
    std::ranges::fill(below_, Tally{});
    std::ranges::fill(through_, Tally{});
    const auto own = columns_[j];
    const std::span<const int32_t> order = order_[place_[j]];
    for (size_t first = 0, last; first < order.size(); first = last) {
        const double value = own[order[first]];
        for (last = first; last < order.size() && own[order[last]] == value; ++last) {
            for (Tally *tally : {&through_[class_[order[last]]], &through_.back()}) {
                ++tally->n;
                tally->sum += value;
            }
        }
        const auto rows = order.subspan(first, last - first);
        visit(value, rows);
        for (const int32_t row : rows) below_[class_[row]] = through_[class_[row]];
        below_.back() = through_.back();
    }
}

// Returns the mean difference between the value that a walk is at and the known ones of a class.
double MissingValues::mean_difference(int64_t j, int64_t c, double value) const {
    const Tally &all = total(j, c), &below = below_[c];
    const auto n = static_cast<double>(all.n);
    if (nominal_[j] != 0) return 1.0 - static_cast<double>(through_[c].n - below.n) / n;
    const auto n_below = static_cast<double>(below.n),
               n_above = static_cast<double>(all.n - below.n);
    return (value * n_below - below.sum + (all.sum - below.sum) - value * n_above) / n;
}

void MissingValues::look_at(std::span<const int32_t> rows) {
    if (order_.empty()) return;
    for (const int32_t row : looked_at_) slot_[row] = -1;
    looked_at_.assign(rows.begin(), rows.end());
    for (size_t s = 0; s < rows.size(); ++s) slot_[rows[s]] = static_cast<int32_t>(s);
    for (int64_t j = 0; j < std::ssize(columns_); ++j) {
        if (!are_in(j)) continue;
        double *const own = to_rows_.data() + place_[j] * std::ssize(to_rows_) / std::ssize(order_);
        walk(j, [&](double value, std::span<const int32_t> of_value) {
            for (const int32_t row : of_value) {
                if (slot_[row] < 0) continue;
                for (int64_t c = 0; c < n_classes(); ++c)
                    own[slot_[row] * n_classes() + c] =
                        mean_difference(j, known_class(j, c), value);
            }
        });
    }
}

std::span<const double> MissingValues::to_class(int64_t j, int64_t c) {
    const size_t slot = std::min(static_cast<size_t>(place_[j]), kept_.size() - 1);
    const auto expected = std::span(to_class_).subspan(slot * class_.size(), class_.size());
    if (kept_[slot] != std::pair{j, c}) find_expected(j, c, expected);
    kept_[slot] = {j, c};
    return expected;
}

void MissingValues::find_expected(int64_t j, int64_t c, std::span<double> expected) {
    std::ranges::fill(both_, 0.0);
    walk(j, [&, known = known_class(j, c)](double value, std::span<const int32_t> rows) {
        const double difference = mean_difference(j, known, value);
        for (const int32_t row : rows) {
            expected[row] = difference;
            both_[class_[row]] += difference;
            both_.back() += difference;
        }
    });
    for (int64_t other = 0; other < n_classes(); ++other) {
        const int64_t known = known_class(j, other), n = total(j, known).n;
        const double both = n > 0 ? both_[known] / static_cast<double>(n) : 0.0;
        for (int64_t i = class_start_[other]; i < class_start_[other + 1]; ++i)
            if (std::isnan(columns_[j][i])) expected[i] = both;
    }
}

}  // namespace retree
