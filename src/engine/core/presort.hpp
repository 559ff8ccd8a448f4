// Columns sorted once, before growing.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/array.hpp"

namespace retree {

// Orders finite doubles as integers do; -0.0 and 0.0 have one key.
inline uint64_t sort_key(double value) {
    constexpr uint64_t SIGN = uint64_t{1} << 63;
    const auto bits = std::bit_cast<uint64_t>(value + 0.0);
    return (bits & SIGN) != 0 ? ~bits : bits | SIGN;
}

// Radix sort of one column of a matrix at a time; equal values keep the order of the rows.
class ColumnSorter {
public:
    explicit ColumnSorter(int64_t n_rows);

    struct Sorted {
        std::span<const uint64_t> keys;  // ascending
        std::span<const int32_t> rows;
    };

    // Valid until the next call.
    Sorted sort(Matrix<const double> X, int64_t column);

private:
    static constexpr int DIGIT_BITS = 11;
    static constexpr int N_DIGITS = 6;

    std::vector<uint64_t> keys_, keys_out_;
    std::vector<int32_t> rows_, rows_out_;
    std::vector<int64_t> counts_;
};

}  // namespace retree
