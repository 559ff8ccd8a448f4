#include "core/presort.hpp"

namespace retree {
namespace {

constexpr int WORD_BITS = 64;
constexpr int MOST_DIGIT_BITS = 11;  // so that the counts of all digits stay in the first cache
// Bits for sign, exponent and a little more; with as many again as number the rows, most prefixes
// are met once.
constexpr int PREFIX_BITS = 13;
constexpr size_t FEW = 64;    // rows that are sorted faster by comparing
constexpr int64_t TILE = 64;  // rows and columns of X that are read together

// Bits of the keys that are not the same in all: `high` is the number up to the last of them, `low`
// of those before the first.
struct DifferingBits {
    int low, high;
};

DifferingBits differing_bits(std::span<const uint64_t> keys) {
    uint64_t differing = 0;
    for (const uint64_t key : keys) differing |= key ^ keys[0];
    if (differing == 0) return {1, 1};
    return {std::countr_zero(differing), static_cast<int>(std::bit_width(differing))};
}

// A key that is not the first one, if no third one occurs; the first one if that is the only one.
std::optional<uint64_t> only_other(std::span<const uint64_t> keys) {
    const uint64_t first = keys[0];
    const auto is_other = [first](uint64_t key) { return key != first; };
    auto place = std::ranges::find_if(keys, is_other);
    const uint64_t other = place == keys.end() ? first : *place;
    const auto is_third = [first, other](uint64_t key) { return key != first && key != other; };
    if (std::any_of(place, keys.end(), is_third)) return std::nullopt;
    return other;
}

}  // namespace

void read_keys(Matrix<const double> X, std::span<const int32_t> columns,
               std::span<const int32_t> rows, Matrix<uint64_t> keys) {
    for (int64_t first = 0; first < keys.rows; first += TILE) {
        const int64_t last = std::min(first + TILE, keys.rows);
        for (int64_t start = 0; start < keys.columns; start += TILE) {
            const int64_t end = std::min(start + TILE, keys.columns);
            for (int64_t j = first; j < last; ++j)
                for (int64_t i = start; i < end; ++i) keys(j, i) = sort_key(X(rows[i], columns[j]));
        }
    }
}

ColumnSorter::ColumnSorter(int64_t n_rows)
    : place_mask_(std::bit_ceil(static_cast<uint64_t>(n_rows) + 1) - 1),
      words_(static_cast<size_t>(n_rows)),
      words_out_(words_.size()),
      rows_(words_.size()) {}

ColumnSorter::Sorted ColumnSorter::sort(std::span<const uint64_t> keys,
                                        std::span<const int32_t> rows) {
    if (keys.empty()) return {};
    if (const auto other = only_other(keys)) return split(keys, rows, *other);
    const Digits digits = make_words(keys);
    for (int d = 0; d < digits.count; ++d) sort_digit(digits, d);
    if (!digits.are_all) sort_runs(digits, keys);
    for (size_t i = 0; i < words_.size(); ++i) {
        const size_t place = words_[i] & place_mask_;
        rows_[i] = rows[place];
        words_out_[i] = keys[place];
    }
    return {words_out_, rows_};
}

// Sorts keys that have two values at most.
ColumnSorter::Sorted ColumnSorter::split(std::span<const uint64_t> keys,
                                         std::span<const int32_t> rows, uint64_t other) {
    const uint64_t low = std::min(keys[0], other), high = std::max(keys[0], other);
    const auto n_low = std::ranges::count(keys, low);
    size_t free_low = 0, free_high = static_cast<size_t>(n_low);
    for (size_t i = 0; i < keys.size(); ++i) {
        const bool is_low = keys[i] == low;
        rows_[is_low ? free_low : free_high] = rows[i];
        free_low += is_low;
        free_high += !is_low;
    }
    std::fill(words_out_.begin(), words_out_.begin() + n_low, low);
    std::fill(words_out_.begin() + n_low, words_out_.end(), high);
    return {words_out_, rows_};
}

// Fills the words and counts the values of each digit.
ColumnSorter::Digits ColumnSorter::make_words(std::span<const uint64_t> keys) {
    const auto [low, high] = differing_bits(keys);
    const int place_bits = std::bit_width(place_mask_);
    const int n_prefix = keys.size() <= FEW ? 0 : std::min(high - low, PREFIX_BITS + place_bits);
    Digits digits{.count = (n_prefix + MOST_DIGIT_BITS - 1) / MOST_DIGIT_BITS};
    if (digits.count > 0) digits.width = (n_prefix + digits.count - 1) / digits.count;
    digits.are_all = high - low <= std::min(digits.count * digits.width, WORD_BITS - place_bits);
    counts_.assign(static_cast<size_t>(digits.count) << digits.width, 0);
    for (size_t i = 0; i < keys.size(); ++i) {
        const uint64_t word = ((keys[i] << (WORD_BITS - high)) & ~place_mask_) | i;
        words_[i] = word;
        for (int d = 0; d < digits.count; ++d)
            ++counts_[(static_cast<size_t>(d) << digits.width) + digits.value(word, d)];
    }
    return digits;
}

// Moves the words, stably, into the order of a digit.
void ColumnSorter::sort_digit(const Digits &digits, int d) {
    uint32_t *const next = counts_.data() + (static_cast<size_t>(d) << digits.width);
    if (next[digits.value(words_[0], d)] == words_.size()) return;
    std::exclusive_scan(next, next + (size_t{1} << digits.width), next, uint32_t{0});
    uint64_t *const out = words_out_.data();
    const Digits local = digits;  // that `out` does not point to
    for (const uint64_t word : words_) out[next[local.value(word, d)]++] = word;
    words_.swap(words_out_);
}

// Sorts the words of equal digits by the rest of their keys.
void ColumnSorter::sort_runs(const Digits &digits, std::span<const uint64_t> keys) {
    const uint64_t place_mask = place_mask_;
    const auto is_before = [keys, place_mask](uint64_t a, uint64_t b) {
        if (((a ^ b) & ~place_mask) != 0) return a < b;
        const uint64_t key = keys[a & place_mask], other = keys[b & place_mask];
        return key != other ? key < other : a < b;
    };
    const uint64_t mask = digits.mask();
    for (auto first = words_.begin(); first != words_.end();) {
        const uint64_t prefix = *first & mask;
        auto last = first + 1;
        while (last != words_.end() && (*last & mask) == prefix) ++last;
        if (last - first > 1 && !std::is_sorted(first, last, is_before))
            std::sort(first, last, is_before);
        first = last;
    }
}

}  // namespace retree
