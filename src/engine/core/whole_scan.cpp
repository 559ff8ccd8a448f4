#include "core/whole_scan.hpp"

namespace retree {
namespace {

// Where the terms of each class stand that its next row asks for. All classes are in one number: no
// addition then waits for memory.
class PackedPlaces {
public:
    PackedPlaces(int width, std::span<const int32_t> first)
        : width_(static_cast<unsigned>(width)), mask_((uint64_t{1} << width) - 1) {
        for (size_t c = 0; c < first.size(); ++c)
            packed_ |= static_cast<uint64_t>(first[c]) << (c * width_);
    }

    // Adds to the place of a class and returns it.
    uint64_t add(uint64_t c, uint64_t n) {
        const uint64_t shift = c * width_;
        packed_ += n << shift;
        return (packed_ >> shift) & mask_;
    }

private:
    unsigned width_;
    uint64_t mask_, packed_ = 0;
};

class ListedPlaces {
public:
    ListedPlaces(std::span<int32_t> places, std::span<const int32_t> first)
        : places_(places.data()) {
        std::ranges::copy(first, places.begin());
    }
    uint64_t add(uint64_t c, uint64_t n) {
        return static_cast<uint64_t>(places_[c] += static_cast<int32_t>(n));
    }

private:
    int32_t *places_;
};

}  // namespace

// Of the columns of a node those without a missing value have the same counts, and one table.
void WholeScan::start(std::span<const double> counts) {
    bool is_known = total_ > 0;
    for (size_t c = 0; c < totals_.size(); ++c) {
        const auto total = static_cast<int32_t>(counts[c] + 0.5);
        is_known &= totals_[c] == total;
        totals_[c] = total;
    }
    if (is_known) return;
    total_ = 0;
    all_terms_ = 0.0;
    for (size_t c = 0; c < totals_.size(); ++c) {
        first_[c] = total_ + static_cast<int32_t>(c);
        const auto n = static_cast<size_t>(totals_[c]) + 1;
        tabulate(c, std::span(terms_).subspan(static_cast<size_t>(first_[c]), n));
        all_terms_ += table_[totals_[c]];
        total_ += totals_[c];
    }
    offset_ = table_[total_] - all_terms_;
}

void WholeScan::tabulate(size_t c, std::span<double> terms) const {
    const auto total = static_cast<size_t>(totals_[c]);
    for (size_t n = 0; n <= total; ++n) terms[n] = table_[n] + table_[total - n];
    if (!weight_.empty()) return;
    for (size_t n = 0; n < total; ++n) terms[n] = terms[n + 1] - terms[n];
}

void WholeScan::sum_terms(std::span<const uint64_t> entries, Packing packing,
                          std::span<const double> counts) {
    start(counts);
    entries_ = entries;
    packing_ = packing;
    const auto run = [this](auto places) {
        weight_.empty() ? add_terms<true>(places) : add_terms<false>(places);
    };
    const size_t n_classes = totals_.size();
    const int width = std::bit_width(static_cast<size_t>(total_) + n_classes);
    if (static_cast<size_t>(width) * n_classes <= 64)
        run(PackedPlaces(width, first_));
    else
        run(ListedPlaces(places_, first_));
}

template <bool IS_UNIT, class Places>
void WholeScan::add_terms(Places places) {
    // Not members, which the compiler would have to read again after each entry.
    const Packing packing = packing_;
    const uint64_t *const entries = entries_.data();
    const double *const of_classes = terms_.data();
    const int32_t *const weight = weight_.data();
    double *const sums = gains_.data();
    int32_t *const lefts = lefts_.data();
    const size_t n_cuts = entries_.size() - 1;
    double terms = all_terms_;
    int32_t n_left = 0;
    for (size_t i = 0; i < n_cuts; ++i) {
        const uint64_t entry = entries[i], c = packing.class_of(entry);
        if constexpr (IS_UNIT) {
            terms += of_classes[places.add(c, 1) - 1];
        } else {
            const int32_t w = weight[row_of(entry)];
            const auto n = static_cast<uint64_t>(w);
            const double *const own = of_classes + places.add(c, n);
            terms += own[0] - *(own - n);
            lefts[i] = n_left += w;
        }
        sums[i] = terms;
    }
}

RETREE_VECTOR void WholeScan::set_unit_gains(int32_t first, int32_t last) noexcept {
    const double *const on_left = table_.data() + 1, *const on_right = table_.data() + total_ - 1;
    double *const __restrict gains = gains_.data();
    const double offset = offset_;
    for (int32_t i = first; i < last; ++i) gains[i] = offset + gains[i] - on_left[i] - on_right[-i];
}

// Loading from scattered places into a wide register takes longer than loading one by one.
void WholeScan::set_weighted_gains(int32_t first, int32_t last) {
    const double *const table = table_.data(), *const from_right = table_.data() + total_;
    const int32_t *const lefts = lefts_.data();
    double *const __restrict gains = gains_.data();
    const double offset = offset_;
    for (int32_t i = first; i < last; ++i)
        gains[i] = offset + gains[i] - table[lefts[i]] - from_right[-lefts[i]];
}

RETREE_VECTOR void WholeScan::review(int32_t first, int32_t last, double *greatest) noexcept {
    const Packing packing = packing_;
    const uint64_t *const entries = entries_.data();
    double *const __restrict gains = gains_.data();
    for (int32_t i = first; i < last; i += BLOCK) {
        const int32_t end = std::min(i + BLOCK, last);
        for (int32_t k = i; k < end; ++k)
            gains[k] = packing.is_near(entries[k], entries[k + 1]) ? NO_GAIN : gains[k];
        std::array<double, 4> most;
        most.fill(NO_GAIN);
        int32_t k = i;
        for (; k + 4 <= end; k += 4)
            for (int32_t m = 0; m < 4; ++m)
                most[m] = gains[k + m] > most[m] ? gains[k + m] : most[m];
        for (; k < end; ++k) most[0] = gains[k] > most[0] ? gains[k] : most[0];
        *greatest++ = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
        int64_t n = 0;
        for (k = i; k < end; ++k) n += gains[k] > NO_GAIN;
        n_cuts_ += n;
    }
}

void WholeScan::add_weights(std::span<const uint64_t> entries, Packing packing,
                            std::vector<int32_t> &of_classes) const {
    int32_t *const sums = of_classes.data();
    const int32_t *const weight = weight_.empty() ? nullptr : weight_.data();
    for (const uint64_t entry : entries)
        sums[packing.label(entry)] += weight == nullptr ? 1 : weight[row_of(entry)];
}

}  // namespace retree
