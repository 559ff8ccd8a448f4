// Moving the rows of a node into its children.
#pragma once

#include "core/interface.hpp"

namespace retree {

// Entries of sorted columns hold a row number in their low 32 bits.
constexpr int ROW_BITS = 32;
constexpr uint64_t ROW_MASK = (uint64_t{1} << ROW_BITS) - 1;

inline int32_t row_of(uint64_t entry) { return static_cast<int32_t>(entry & ROW_MASK); }
inline int32_t row_of(int32_t row) { return row; }

// How an entry of a sorted column packs `value code | near | class | row` into 64 bits, so that a
// scan reads memory straight ahead and a partition moves one word for each row. Codes number the
// distinct values in ascending order; a missing value has the greatest code there is. `near` is how
// many of the values that follow this one are too close to it for a threshold of C4.5; of as many
// as `many_near()` or more it is that. The other trees leave it 0.
class Packing {
public:
    Packing(int64_t n_classes, int64_t n_rows)
        : class_bits_(
              std::max(1, static_cast<int>(std::bit_width(static_cast<uint64_t>(n_classes - 1))))),
          near_bits_(64 - near_shift() -
                     std::bit_width(static_cast<uint64_t>(std::max<int64_t>(n_rows, 1)))),
          class_mask_((uint64_t{1} << class_bits_) - 1),
          many_near_((uint64_t{1} << near_bits_) - 1) {}

    // Whether codes of so many classes and rows, and that of a missing value, fit.
    static bool fits(int64_t n_classes, int64_t n_rows) {
        const auto most = std::max<int64_t>(n_classes, 2);
        return std::bit_width(static_cast<uint64_t>(most - 1)) +
                   std::bit_width(static_cast<uint64_t>(n_rows)) <=
               64 - ROW_BITS;
    }

    uint64_t pack(uint64_t code, int32_t label, int32_t row) const {
        return (code << shift()) | (static_cast<uint64_t>(label) << ROW_BITS) |
               static_cast<uint64_t>(row);
    }
    // The same entry with another `near`, which was 0.
    uint64_t with_near(uint64_t entry, uint64_t near) const {
        return entry | (near << near_shift());
    }
    uint64_t code(uint64_t entry) const { return entry >> shift(); }
    uint64_t near(uint64_t entry) const { return (entry >> near_shift()) & many_near_; }
    uint64_t many_near() const { return many_near_; }
    // Whether the value of the next entry of a node is this one's or known to be near it.
    bool is_near(uint64_t entry, uint64_t following) const {
        return code(following) - code(entry) <= near(entry);
    }
    uint64_t class_of(uint64_t entry) const { return (entry >> ROW_BITS) & class_mask_; }
    int32_t label(uint64_t entry) const { return static_cast<int32_t>(class_of(entry)); }
    uint64_t missing() const { return ~uint64_t{0} >> shift(); }
    bool is_missing(uint64_t entry) const { return code(entry) == missing(); }
    bool is_same_value(uint64_t a, uint64_t b) const { return code(a ^ b) == 0; }

    int class_bits() const { return class_bits_; }

private:
    int near_shift() const { return ROW_BITS + class_bits_; }
    int shift() const { return near_shift() + near_bits_; }

    int class_bits_, near_bits_;
    uint64_t class_mask_, many_near_;
};

// Returns the packing for so many classes and rows.
inline Packing packing_of(int64_t n_classes, int64_t n_rows) {
    check_n_classes(n_classes);
    require(Packing::fits(n_classes, n_rows),
            "The rows and classes are more than a tree can hold: use fewer rows.");
    return {n_classes, n_rows};
}

// Stably moves the values whose row goes left to the front; `buffer` is as long as `values`.
template <class T>
void split_values(std::span<T> values, const uint8_t *goes_left, T *buffer) {
    T *left = values.data();
    T *right = buffer;
    for (const T value : values) {
        const auto goes = goes_left[row_of(value)];
        *left = value;
        *right = value;
        left += goes;
        right += 1 - goes;
    }
    for (const T *value = buffer; value != right; ++value) *left++ = *value;
}

// Moves the values whose row goes left to the front and returns how many do; the others lose their
// order.
template <class T>
int64_t keep_left(std::span<T> values, const uint8_t *goes_left) {
    T *left = values.data();
    for (T &value : values) {
        const T own = value;
        value = *left;
        *left = own;
        left += goes_left[row_of(own)];
    }
    return left - values.data();
}

// Moves the values whose row goes right to the back; the others lose their order.
template <class T>
void keep_right(std::span<T> values, const uint8_t *goes_left) {
    T *right = values.data() + values.size() - 1;
    for (size_t i = values.size(); i-- > 0;) {
        const T own = values[i];
        values[i] = *right;
        *right = own;
        right -= 1 - goes_left[row_of(own)];
    }
}

// Moves the values of a node's segment to their sides; a side that is not kept loses its order.
// `goes_left` holds 1 for the rows that go to the front, `buffer` has room for all values.
template <class T>
void move_values(std::span<T> values, const uint8_t *goes_left, bool keeps_left, bool keeps_right,
                 T *buffer) {
    if (keeps_left && keeps_right) {
        split_values(values, goes_left, buffer);
    } else if (keeps_left) {
        keep_left(values, goes_left);
    } else if (keeps_right) {
        keep_right(values, goes_left);
    }
}

// Stably moves the values into the order of their rows' branches. `n_rows` is the number of values
// of each branch, `next_place` has room for as many numbers, `buffer` for all values.
template <class T>
void group_by_branch(std::span<T> values, const int32_t *branch, std::span<const int64_t> n_rows,
                     std::span<int64_t> next_place, T *buffer) {
    int64_t place = 0;
    for (size_t b = 0; b < n_rows.size(); ++b) {
        next_place[b] = place;
        place += n_rows[b];
    }
    for (const T value : values)
        buffer[next_place[static_cast<size_t>(branch[row_of(value)])]++] = value;
    std::copy(buffer, buffer + values.size(), values.begin());
}

}  // namespace retree
