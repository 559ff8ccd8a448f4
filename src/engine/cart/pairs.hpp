// Columns of two values, such as those of a one-hot code, where all weights are 1.
//
// They need no order. Each row has a list of the columns in which it has the rarer value, and what
// a node has of that value is counted by one pass over the lists of its rows, which are short if
// most columns are nearly constant.
#pragma once

#include "core/weighted_columns.hpp"

namespace retree::cart {

class Pairs {
public:
    // Takes all numeric columns of two values without missing ones if `is_wanted`, otherwise none.
    // Their entries stay as they are.
    Pairs(const WeightedColumns &columns, bool is_wanted);

    bool has(int64_t column) const { return place_[column] >= 0; }
    std::span<const int64_t> columns() const { return columns_; }
    std::span<const int64_t> other_columns() const { return others_; }

    // Sets what the rows of a node have of the rarer values: (n_classes, n_pairs).
    void count(std::span<const int32_t> rows, std::vector<int32_t> &n_rare) const;

    // Sets the rows of each class that have the lower value, from the sums and counts of a node;
    // returns how many they are.
    int64_t count_low(int64_t column, std::span<const double> sums, std::span<const int32_t> n_rare,
                      std::span<double> low) const;

    bool is_low(int64_t column, int32_t row) const {
        const auto place = static_cast<int32_t>(place_[column]);
        return std::ranges::binary_search(rare_of(row), place) == is_low_rare_[place];
    }

private:
    std::span<const int32_t> rare_of(int32_t row) const {
        return std::span(rare_).subspan(start_[row], start_[row + 1] - start_[row]);
    }
    std::span<const uint64_t> rare_entries(size_t place, const WeightedColumns &columns) const;

    std::span<const int32_t> y_;
    std::vector<int64_t> columns_, others_;
    std::vector<int64_t> place_;  // of each numeric column in columns_, or -1
    std::vector<uint8_t> is_low_rare_;
    int64_t n_classes_;
    std::vector<size_t> start_;  // of each row's list
    std::vector<int32_t> rare_;  // the lists, ascending: places
};

}  // namespace retree::cart
