#include "core/presort.hpp"

namespace retree {
namespace {

constexpr int WORD_BITS = 64;
// Counts of a digit's values: few beside the rows, and all digits' in the first cache.
constexpr int LEAST_DIGIT_BITS = 6, MOST_DIGIT_BITS = 11;
// Bits for sign, exponent and a little more; with as many again as number the rows, most prefixes
// are met once.
constexpr int PREFIX_BITS = 13;
constexpr size_t FEW = 64;           // rows that are sorted faster by comparing
constexpr int64_t TILE = 64;         // rows and columns of X that are read together
constexpr int64_t PART = 64 * TILE;  // rows that one member of a team reads

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
               std::span<const int32_t> rows, Matrix<uint64_t> keys, Team &team) {
    const int64_t n_parts = (keys.columns + PART - 1) / PART;
    team.share(n_parts, keys.rows * keys.columns, [&](int64_t, int64_t part) {
        const int64_t stop = std::min((part + 1) * PART, keys.columns);
        for (int64_t first = 0; first < keys.rows; first += TILE) {
            const int64_t last = std::min(first + TILE, keys.rows);
            for (int64_t start = part * PART; start < stop; start += TILE) {
                const int64_t end = std::min(start + TILE, stop);
                for (int64_t j = first; j < last; ++j)
                    for (int64_t i = start; i < end; ++i)
                        keys(j, i) = sort_key(X(rows[i], columns[j]));
            }
        }
    });
}

ColumnSorter::ColumnSorter(int64_t n_rows)
    : place_bits_(std::bit_width(static_cast<uint64_t>(n_rows))),
      words_(static_cast<size_t>(n_rows)),
      words_out_(words_.size()) {}

ColumnSorter::Sorted ColumnSorter::sort(std::span<const uint64_t> keys,
                                        std::span<const int32_t> rows) {
    if (places_.empty()) {
        places_.resize(keys.size());
        std::iota(places_.begin(), places_.end(), uint64_t{0});
    }
    const Words sorted = sort_words(keys, places_, 0);
    rows_.resize(keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
        const size_t place = sorted.place(words_[i]);
        rows_[i] = rows[place];
        words_out_[i] = keys[place];
    }
    return {words_out_, rows_};
}

ColumnSorter::Words ColumnSorter::sort_words(std::span<const uint64_t> keys,
                                             std::span<const uint64_t> payloads, int label_bits) {
    Words sorted{{}, keys, label_bits, (uint64_t{1} << (place_bits_ + label_bits)) - 1, true};
    if (keys.empty()) return sorted;
    if (const auto other = only_other(keys)) {
        split(keys, payloads, *other);
    } else {
        const Digits digits = make_words(payloads, sorted);
        for (int d = 0; d < digits.count; ++d) sort_digit(digits, d);
        if (!digits.are_all) sort_runs(digits, sorted);
    }
    sorted.words = words_;
    return sorted;
}

// Sorts keys that have two values at most.
void ColumnSorter::split(std::span<const uint64_t> keys, std::span<const uint64_t> payloads,
                         uint64_t other) {
    const uint64_t low = std::min(keys[0], other);
    size_t free_low = 0, free_high = static_cast<size_t>(std::ranges::count(keys, low));
    for (size_t i = 0; i < keys.size(); ++i) {
        const uint64_t is_high = keys[i] != low;
        words_[is_high ? free_high : free_low] = payloads[i] | (is_high << (WORD_BITS - 1));
        free_low += 1 - is_high;
        free_high += is_high;
    }
}

// Fills the words and counts the values of each digit.
ColumnSorter::Digits ColumnSorter::make_words(std::span<const uint64_t> payloads, Words &sorted) {
    const auto keys = sorted.keys;
    const auto [low, high] = differing_bits(keys);
    const int key_bits = WORD_BITS - place_bits_ - sorted.label_bits;
    const int n_prefix =
        keys.size() <= FEW ? 0 : std::min({high - low, PREFIX_BITS + place_bits_, key_bits});
    const int most_bits = std::clamp(place_bits_, LEAST_DIGIT_BITS, MOST_DIGIT_BITS);
    Digits digits{.count = (n_prefix + most_bits - 1) / most_bits};
    if (digits.count > 0)
        digits.width =
            std::min((n_prefix + digits.count - 1) / digits.count, key_bits / digits.count);
    sorted.is_exact = high - low <= key_bits;
    digits.are_all = high - low <= digits.count * digits.width;
    const int shift = WORD_BITS - high;
    const uint64_t payload = sorted.payload;
    for (size_t i = 0; i < keys.size(); ++i)
        words_[i] = ((keys[i] << shift) & ~payload) | payloads[i];
    count_digits(digits);
    return digits;
}

void ColumnSorter::count_digits(const Digits digits) {
    counts_.assign(static_cast<size_t>(digits.count) << digits.width, 0);
    uint32_t *const counts = counts_.data();
    for (const uint64_t word : words_)
        for (int d = 0; d < digits.count; ++d)
            ++counts[(static_cast<size_t>(d) << digits.width) + digits.value(word, d)];
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
void ColumnSorter::sort_runs(const Digits &digits, const Words &sorted) {
    const auto is_before = [&sorted](uint64_t a, uint64_t b) {
        if (((a ^ b) & ~sorted.payload) != 0) return a < b;
        const uint64_t key = sorted.keys[sorted.place(a)], other = sorted.keys[sorted.place(b)];
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
