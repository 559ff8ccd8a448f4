// Columns sorted once, before growing.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/array.hpp"

namespace retree {

// The greatest key; no number has it.
constexpr uint64_t NAN_KEY = ~uint64_t{0};

// Orders numbers as integers do; -0.0 and 0.0 have one key.
inline uint64_t sort_key(double value) {
    if (value != value) return NAN_KEY;
    constexpr uint64_t SIGN = uint64_t{1} << 63;
    const auto bits = std::bit_cast<uint64_t>(value + 0.0);
    return (bits & SIGN) != 0 ? ~bits : bits | SIGN;
}

// Radix sort of one column of a matrix at a time; equal values keep the order of the rows, NaNs
// come last.
class ColumnSorter {
public:
    explicit ColumnSorter(int64_t n_rows);

    struct Sorted {
        std::span<const uint64_t> keys;  // ascending
        std::span<const int32_t> rows;
    };

    // Valid until the next call.
    Sorted sort(Matrix<const double> X, int64_t column);

    // Sorts only `rows`, as many as the sorter was made for; equal values keep their order there.
    Sorted sort(Matrix<const double> X, int64_t column, std::span<const int32_t> rows);

private:
    void clear();
    void take(size_t place, int32_t row, double value);
    Sorted sort_taken();

    static constexpr int DIGIT_BITS = 11;
    static constexpr int N_DIGITS = 6;
    static constexpr uint64_t MASK = (uint64_t{1} << DIGIT_BITS) - 1;

    std::vector<uint64_t> keys_, keys_out_;
    std::vector<int32_t> rows_, rows_out_;
    std::vector<int64_t> counts_;
};

}  // namespace retree
