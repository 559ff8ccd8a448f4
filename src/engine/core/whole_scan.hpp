// A pass over the sorted entries of a node where all weights are whole.
//
// Of the gains in information that cuts have, the part that the classes make is summed up from one
// entry to the next, by a table of x * log(x). Sums first, gains then, and what may not be cut
// last: no loop has a branch that is hard to foresee, and no sum waits for memory.
#pragma once

#include "core/partition.hpp"

namespace retree {

class WholeScan {
public:
    static constexpr int32_t BLOCK = 32;          // entries
    static constexpr int32_t CHUNK = 64 * BLOCK;  // entries that stay near the processor
    static constexpr double NO_GAIN = -INF;

    // `table`: x * log(x) of 0, 1, ... up to the weight of all rows; `weight`: of each row, empty
    // if all are 1. Neither is copied.
    WholeScan(int64_t n_classes, size_t n_rows, std::span<const double> table,
              std::span<const int32_t> weight)
        : table_(table),
          weight_(weight),
          totals_(static_cast<size_t>(n_classes)),
          places_(totals_.size()),
          first_(totals_.size()),
          terms_(n_rows > 0 ? table.size() + totals_.size() : 0),
          gains_(n_rows),
          lefts_(weight.empty() ? 0 : n_rows) {}

    // Sums the terms of sorted entries with class weights `counts`.
    void sum_terms(std::span<const uint64_t> entries, Packing packing,
                   std::span<const double> counts);
    // Sets the gains of the cuts after the entries from `first` to before `last`. There is no cut
    // between values that are equal or known to be near, nor where `bar(start, end, gains)` sets a
    // gain of those up to `end`, at most a CHUNK, to NO_GAIN.
    template <class Bar>
    void set_gains(int32_t first, int32_t last, const Bar &bar);
    void set_gains(int32_t first, int32_t last) {
        set_gains(first, last, [](int32_t, int32_t, double *) {});
    }

    // By entry: weight up to it, and gain times the weight of the node, to rounding; minus infinity
    // where no threshold may be. All are valid until the next sums.
    int32_t left_of(int32_t i) const { return weight_.empty() ? i + 1 : lefts_[i]; }
    std::span<const double> gains() const { return gains_; }
    // The greatest gain of each block, from `first` on.
    std::span<const double> greatest() const { return greatest_; }
    std::span<const int32_t> totals() const { return totals_; }
    int32_t total() const { return total_; }
    // How many of the gains are those of cuts.
    int64_t n_cuts() const { return n_cuts_; }
    // Adds the weights of entries to those of their classes.
    void add_weights(std::span<const uint64_t> entries, Packing packing,
                     std::vector<int32_t> &of_classes) const;

private:
    void start(std::span<const double> counts);
    void tabulate(size_t c, std::span<double> terms) const;
    template <bool IS_UNIT, class Places>
    void add_terms(Places places);
    void set_unit_gains(int32_t first, int32_t last) noexcept;
    void set_weighted_gains(int32_t first, int32_t last);
    // Bars cuts between near values, writes the greatest gain of each block and counts the cuts.
    void review(int32_t first, int32_t last, double *greatest) noexcept;

    std::span<const double> table_;
    std::span<const int32_t> weight_;
    std::span<const uint64_t> entries_;
    Packing packing_{1, 1};
    int32_t total_ = 0;
    double all_terms_ = 0.0;  // of all classes, before the first entry
    double offset_ = 0.0;     // what makes a gain of the terms
    std::vector<int32_t> totals_, places_;
    // Class after class from `first_` on, by the weight on the left: the terms of both sides; where
    // weights are 1, what the next row adds to them.
    std::vector<int32_t> first_;
    std::vector<double> terms_;
    std::vector<double> gains_;  // first the sums of terms
    std::vector<int32_t> lefts_;
    std::vector<double> greatest_;
    int64_t n_cuts_ = 0;
};

template <class Bar>
void WholeScan::set_gains(int32_t first, int32_t last, const Bar &bar) {
    greatest_.resize(static_cast<size_t>((last - first + BLOCK - 1) / BLOCK));
    n_cuts_ = 0;
    for (int32_t start = first, end; start < last; start = end) {
        end = std::min(start + CHUNK, last);
        weight_.empty() ? set_unit_gains(start, end) : set_weighted_gains(start, end);
        bar(start, end, gains_.data());
        review(start, end, greatest_.data() + (start - first) / BLOCK);
    }
}

}  // namespace retree
