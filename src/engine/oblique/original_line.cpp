#include "oblique/original_line.hpp"

namespace retree::oblique {
namespace {

constexpr uint32_t SIGN = uint32_t{1} << 31;
constexpr size_t DIGIT = 8;   // bits
constexpr size_t DIGITS = 4;  // of a float
constexpr size_t FEW = 128;   // candidates that are sorted faster by comparisons

// Orders floats as integers do; -0 and 0 have one key.
uint32_t key_of(float value) {
    const auto bits = std::bit_cast<uint32_t>(value + 0.0F);
    return (bits & SIGN) != 0 ? ~bits : bits | SIGN;
}

float value_of(uint64_t word) {
    const auto key = static_cast<uint32_t>(word >> 32);
    return std::bit_cast<float>((key & SIGN) != 0 ? key ^ SIGN : ~key);
}

}  // namespace

void Sides::clear() {
    std::ranges::fill(left, 0);
    std::ranges::fill(right, 0);
}

bool Sides::is_perfect() const {
    const auto most_left = std::ranges::max_element(left);
    const auto most_right = std::ranges::max_element(right);
    return most_left - left.begin() != most_right - right.begin() && *most_left == n_left() &&
           *most_right == std::accumulate(right.begin(), right.end(), 0);
}

float Sides::impurity() const {
    auto n_l = static_cast<float>(n_left());
    auto n_r = static_cast<float>(std::accumulate(right.begin(), right.end(), 0));
    if (n_l + n_r <= 1.0F || is_perfect()) return 0.0F;
    float difference = 0.0F;
    for (size_t c = 0; c < left.size(); ++c) {
        float share = 0.0F;
        if (n_l > 0.0F) share = static_cast<float>(left[c]) / n_l;
        if (n_r > 0.0F) share -= static_cast<float>(right[c]) / n_r;
        difference += std::abs(share);
    }
    const float n = n_l + n_r;
    n_l /= n;
    n_r /= n;
    const float twoing = n_l * n_r * difference * difference / 4.0F;
    return twoing == 0.0F ? HUGE_IMPURITY : 1.0F / twoing;
}

Candidates::Candidates(size_t n_rows, size_t n_classes, Random48 &random)
    : random_(random),
      value_(n_rows),
      value_out_(n_rows),
      label_(n_rows),
      label_out_(n_rows),
      word_(n_rows),
      word_out_(n_rows),
      sides_(n_classes) {}

float Candidates::best_cut() {
    if (n_ == 0) return static_cast<float>(double{lowest_} - LEAST_CHANGE);
    sort();
    sides_.clear();
    for (size_t i = 0; i < n_; ++i) ++sides_.right[static_cast<size_t>(label_[i])];
    float least = sides_.impurity();
    size_t best = 0;
    for (size_t i = 0; i < n_;) {
        const float value = value_[i];
        do {
            ++sides_.left[static_cast<size_t>(label_[i])];
            --sides_.right[static_cast<size_t>(label_[i])];
        } while (++i < n_ && value_[i] == value);
        if (is_worse(i, least)) continue;
        const float impurity = sides_.impurity();
        if (impurity < least || (impurity == least && random_.between(0.0F, 1.0F) < 0.5F)) {
            least = impurity;
            best = i;
            if (least == 0.0F) break;
        }
    }
    lowest_ = value_[0];
    if (best == 0) return static_cast<float>(double{lowest_} - LEAST_CHANGE);
    if (best == n_) return value_[n_ - 1];
    return (value_[best - 1] + value_[best]) / 2.0F;
}

// Whether the impurity of a cut after n_left rows is above the bar, for all that rounding can do to
// it; false if unsure. Most cuts are, and this takes no division.
bool Candidates::is_worse(size_t n_left, float bar) const {
    if (bar == HUGE_IMPURITY) return false;
    const auto n = static_cast<double>(n_), n_l = static_cast<double>(n_left), n_r = n - n_l;
    double difference = 0x1p-20 * static_cast<double>(sides_.left.size()) * n_l * n_r;
    for (size_t c = 0; c < sides_.left.size(); ++c)
        difference += std::abs(sides_.left[c] * n_r - sides_.right[c] * n_l);
    return 4.0 * n * n * n_l * n_r > 1.00001 * double{bar} * difference * difference;
}

void Candidates::sort() {
    const auto values = std::span(value_).first(n_);
    if (std::ranges::any_of(values, [](float v) { return v != v; })) return sort_with_nan(0, n_);
    for (size_t i = 0; i < n_; ++i)
        word_[i] = uint64_t{key_of(value_[i])} << 32 | static_cast<uint32_t>(label_[i]);
    sort_words();
    for (size_t i = 0; i < n_; ++i) {
        value_[i] = value_of(word_[i]);
        label_[i] = static_cast<int32_t>(word_[i] & 0xFFFFFFFF);
    }
}

// Sorts by the digits of the values, the last one first.
void Candidates::sort_words() {
    if (n_ <= FEW) return std::sort(word_.begin(), word_.begin() + static_cast<int64_t>(n_));
    constexpr size_t N = size_t{1} << DIGIT;
    std::array<std::array<uint32_t, N>, DIGITS> place{};
    const auto digit = [](uint64_t word, size_t d) { return word >> (32 + d * DIGIT) & (N - 1); };
    for (size_t i = 0; i < n_; ++i)
        for (size_t d = 0; d < DIGITS; ++d) ++place[d][digit(word_[i], d)];
    for (size_t d = 0; d < DIGITS; ++d) {
        if (place[d][digit(word_[0], d)] == n_) continue;
        std::exclusive_scan(place[d].begin(), place[d].end(), place[d].begin(), uint32_t{0});
        for (size_t i = 0; i < n_; ++i) word_out_[place[d][digit(word_[i], d)]++] = word_[i];
        word_.swap(word_out_);
    }
}

// Merges as the C library's sort does, whose comparison takes what is no number for less than all.
void Candidates::sort_with_nan(size_t start, size_t end) {
    if (end - start < 2) return;
    const size_t middle = start + (end - start) / 2;
    sort_with_nan(start, middle);
    sort_with_nan(middle, end);
    size_t a = start, b = middle;
    for (size_t i = start; i < end; ++i) {
        const bool first = b == end || (a < middle && !(value_[a] - value_[b] > 0.0F));
        const size_t from = first ? a++ : b++;
        value_out_[i] = value_[from];
        label_out_[i] = label_[from];
    }
    std::copy_n(&value_out_[start], end - start, &value_[start]);
    std::copy_n(&label_out_[start], end - start, &label_[start]);
}

}  // namespace retree::oblique
