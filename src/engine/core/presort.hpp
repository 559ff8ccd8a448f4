// Columns sorted once, before growing.
#pragma once

#include "core/interface.hpp"

namespace retree {

// The greatest key; no number has it.
constexpr uint64_t NAN_KEY = ~uint64_t{0};
constexpr uint64_t SIGN_BIT = uint64_t{1} << 63;

// Orders numbers as integers do; -0.0 and 0.0 have one key.
inline uint64_t sort_key(double value) {
    if (value != value) return NAN_KEY;
    const auto bits = std::bit_cast<uint64_t>(value + 0.0);
    return (bits & SIGN_BIT) != 0 ? ~bits : bits | SIGN_BIT;
}

// The number that has a key.
inline double value_of_key(uint64_t key) {
    return std::bit_cast<double>((key & SIGN_BIT) != 0 ? key ^ SIGN_BIT : ~key);
}

// Fills each row of `keys` with the keys of a column of X, those of `rows` in their order. All
// columns are read together: one at a time, each would fetch the whole matrix from memory.
void read_keys(Matrix<const double> X, std::span<const int32_t> columns,
               std::span<const int32_t> rows, Matrix<uint64_t> keys);

// Sorts one column after another; equal values keep the order of the rows, NaNs come last.
class ColumnSorter {
public:
    explicit ColumnSorter(int64_t n_rows);

    struct Sorted {
        std::span<const uint64_t> keys;  // ascending
        std::span<const int32_t> rows;
    };

    // Sorts keys, as many as the sorter was made for, that belong to `rows`. The result is valid
    // until the next call.
    Sorted sort(std::span<const uint64_t> keys, std::span<const int32_t> rows);

private:
    // The digits that words are sorted by stand at their top, the last digit the highest.
    struct Digits {
        int count = 0;
        int width = 0;         // bits
        bool are_all = false;  // whether keys of equal digits are equal

        size_t value(uint64_t word, int d) const {
            return (word >> (64 - (count - d) * width)) & ((uint64_t{1} << width) - 1);
        }
        uint64_t mask() const { return count > 0 ? ~uint64_t{0} << (64 - count * width) : 0; }
    };

    Sorted split(std::span<const uint64_t> keys, std::span<const int32_t> rows, uint64_t other);
    Digits make_words(std::span<const uint64_t> keys);
    void sort_digit(const Digits &digits, int d);
    void sort_runs(const Digits &digits, std::span<const uint64_t> keys);

    uint64_t place_mask_;
    // Differing bits of a key, from the top, and in the low bits its place before sorting.
    std::vector<uint64_t> words_, words_out_;
    std::vector<int32_t> rows_;
    std::vector<uint32_t> counts_;  // (n_digits, values of a digit)
};

}  // namespace retree
