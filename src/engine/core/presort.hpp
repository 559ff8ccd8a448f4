// Columns sorted once, before growing.
#pragma once

#include "core/team.hpp"

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
               std::span<const int32_t> rows, Matrix<uint64_t> keys, Team &team);

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

    // Keys in ascending order as words: differing bits of the key, and in the low bits its place
    // before sorting and a label.
    struct Words {
        std::span<uint64_t> words;       // free to be overwritten
        std::span<const uint64_t> keys;  // as given
        int label_bits;
        uint64_t payload;  // bits of place and label
        bool is_exact;     // whether the bits of the keys tell all keys apart

        size_t place(uint64_t word) const { return (word & payload) >> label_bits; }
        uint64_t label(uint64_t word) const { return word & ((uint64_t{1} << label_bits) - 1); }
        bool is_same_key(uint64_t a, uint64_t b) const {
            if (((a ^ b) & ~payload) != 0) return false;
            return is_exact || keys[place(a)] == keys[place(b)];
        }
    };

    // Sorts keys with what they take along: their place, and below it a label of so many bits.
    // Valid until the next call.
    Words sort_words(std::span<const uint64_t> keys, std::span<const uint64_t> payloads,
                     int label_bits);

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

    void split(std::span<const uint64_t> keys, std::span<const uint64_t> payloads, uint64_t other);
    Digits make_words(std::span<const uint64_t> payloads, Words &sorted);
    void count_digits(Digits digits);
    void sort_digit(const Digits &digits, int d);
    void sort_runs(const Digits &digits, const Words &sorted);

    int place_bits_;
    std::vector<uint64_t> words_, words_out_;
    std::vector<int32_t> rows_;
    std::vector<uint64_t> places_;
    std::vector<uint32_t> counts_;  // (n_digits, values of a digit)
};

}  // namespace retree
