// A pass over the sorted entries of a node where all weights are whole.
//
// Of the gains in information that cuts have, the part that the classes make is summed up from one
// entry to the next, by a table of x * log(x). Sums first and gains then: neither loop has a branch
// that is hard to foresee, or a sum that waits for memory.
#pragma once

#include "core/partition.hpp"

namespace retree {

class WholeScan {
public:
    static constexpr int32_t BLOCK = 32;  // entries
    static constexpr double NO_GAIN = -std::numeric_limits<double>::infinity();

    // `table`: x * log(x) of 0, 1, ... up to the weight of all rows; `weight`: of each row, empty
    // if all are 1. Neither is copied.
    WholeScan(int64_t n_classes, size_t n_rows, std::span<const double> table,
              std::span<const int32_t> weight)
        : table_(table),
          weight_(weight),
          totals_(static_cast<size_t>(n_classes)),
          lefts_of_(totals_.size()),
          first_(totals_.size()),
          terms_(n_rows > 0 ? table.size() + totals_.size() : 0),
          gains_(n_rows),
          lefts_(weight.empty() ? 0 : n_rows) {}

    // Sums the terms of entries with class weights `counts`; `may_cut(i)` is whether a threshold
    // may follow entry i.
    template <class MayCut>
    void sum_terms(std::span<const uint64_t> entries, Packing packing,
                   std::span<const double> counts, const MayCut &may_cut);
    // Sets the gains of the cuts after the entries from `first` to before `last`.
    void set_gains(int32_t first, int32_t last);

    // By entry: weight up to it, and gain times the weight of the node, to rounding; minus infinity
    // where no threshold may be. All are valid until the next sums.
    int32_t left_of(int32_t i) const { return weight_.empty() ? i + 1 : lefts_[i]; }
    std::span<const double> gains() const { return gains_; }
    // The greatest gain of each block, from `first` on.
    std::span<const double> greatest() const { return greatest_; }
    std::span<const int32_t> totals() const { return totals_; }
    int32_t total() const { return total_; }
    // How many of the gains from `first` to before `last` are those of cuts.
    int64_t n_cuts(int32_t first, int32_t last) const {
        return std::count_if(gains_.begin() + first, gains_.begin() + last,
                             [](double gain) { return gain > NO_GAIN; });
    }
    // Adds the weights of entries to those of their classes.
    void add_weights(std::span<const uint64_t> entries, Packing packing,
                     std::vector<int32_t> &of_classes) const;

private:
    // Counts of all classes in one number: no addition then waits for memory.
    class PackedCounts {
    public:
        explicit PackedCounts(int width) : width_(width), mask_((uint64_t{1} << width) - 1) {}

        // Adds to the count of a class and returns it.
        int32_t add(int32_t c, int32_t n) {
            const int shift = c * width_;
            packed_ += static_cast<uint64_t>(n) << shift;
            return static_cast<int32_t>((packed_ >> shift) & mask_);
        }

    private:
        int width_;
        uint64_t mask_, packed_ = 0;
    };

    class ListedCounts {
    public:
        explicit ListedCounts(std::span<int32_t> counts) : counts_(counts.data()) {
            std::ranges::fill(counts, 0);
        }
        int32_t add(int32_t c, int32_t n) { return counts_[c] += n; }

    private:
        int32_t *counts_;
    };

    void start(std::span<const double> counts);
    void tabulate(size_t c, std::span<double> terms) const;
    template <bool IS_UNIT, class Counts, class MayCut>
    void add_terms(std::span<const uint64_t> entries, Packing packing, Counts counts,
                   const MayCut &may_cut);
    void set_unit_gains(int32_t first, int32_t last) noexcept;
    void set_weighted_gains(int32_t first, int32_t last);

    std::span<const double> table_;
    std::span<const int32_t> weight_;
    int32_t total_ = 0;
    double all_terms_ = 0.0;  // of all classes, before the first entry
    double offset_ = 0.0;     // what makes a gain of the terms
    std::vector<int32_t> totals_, lefts_of_;
    // Class after class from `first_` on, by the weight on the left: the terms of both sides; where
    // weights are 1, what the next row adds to them.
    std::vector<int32_t> first_;
    std::vector<double> terms_;
    std::vector<double> gains_;  // first the sums of terms
    std::vector<int32_t> lefts_;
    std::vector<double> greatest_;
};

template <class MayCut>
void WholeScan::sum_terms(std::span<const uint64_t> entries, Packing packing,
                          std::span<const double> counts, const MayCut &may_cut) {
    start(counts);
    const auto run = [&](auto own) {
        weight_.empty() ? add_terms<true>(entries, packing, own, may_cut)
                        : add_terms<false>(entries, packing, own, may_cut);
    };
    const int width = std::bit_width(static_cast<uint32_t>(total_));
    if (width * std::ssize(totals_) <= 64)
        run(PackedCounts(width));
    else
        run(ListedCounts(lefts_of_));
}

template <bool IS_UNIT, class Counts, class MayCut>
void WholeScan::add_terms(std::span<const uint64_t> entries, Packing packing, Counts counts,
                          const MayCut &may_cut) {
    // Not members, which the compiler would have to read again after each entry.
    const double *const of_classes = terms_.data();
    const int32_t *const first = first_.data(), *const weight = weight_.data();
    double *const sums = gains_.data();
    int32_t *const lefts = lefts_.data();
    const std::array<double, 2> start{NO_GAIN, 0.0};
    double terms = all_terms_;
    int32_t n_left = 0;
    for (size_t i = 0; i + 1 < entries.size(); ++i) {
        const uint64_t entry = entries[i];
        const int32_t c = packing.label(entry), w = IS_UNIT ? 1 : weight[row_of(entry)];
        const double *const own = of_classes + first[c] + counts.add(c, w);
        terms += IS_UNIT ? own[-1] : own[0] - own[-w];
        sums[i] = terms + start[may_cut(i)];
        if constexpr (!IS_UNIT) lefts[i] = n_left += w;
    }
}

}  // namespace retree
