// Rows counted in bins along a line: how good the cuts between the bins are, and those inside at
// most.
//
// Bins are numbered from 1. No step reaches the rows of bin 0 and of the bin after the last.
#pragma once

#include "oblique/node_sample.hpp"

namespace retree::oblique {

class ScoredBins {
public:
    static constexpr size_t WIDTH = 8;  // bins that a coarse one adds up

    ScoredBins(const NodeSample &sample, size_t n_bins);

    // Counts rows by their place: a bin, or bin + n_places of rows that enter the left side, of
    // which there may be none.
    void count(std::span<const uint16_t> place, bool some_enter);
    // Counts the rows of finer bins, WIDTH of them together.
    void add_up(const ScoredBins &fine) noexcept;

    // Scores all bins, after counting.
    void score_all();
    // Scores the bins that a bin of scored, coarse ones has added up.
    void score_part(const ScoredBins &coarse, size_t bin);

    size_t n_places() const { return filled_.size(); }
    size_t last() const { return n_places() - 2; }
    // Of scored bins.
    int32_t n_rows(size_t bin) const { return filled_[bin]; }
    double bound(size_t bin) const { return bound_[bin]; }
    std::span<const double> scores_after(size_t first, size_t end) const {
        return std::span(score_).subspan(first, end > first ? end - first : 0);
    }
    // Weight of a class on the left after a bin.
    double left_after(size_t bin, size_t c) const { return left_[c * score_.size() + bin]; }

private:
    // All for numbers of rows, int32, and for weights, double.
    template <class T>
    void add_up_of(const ScoredBins &fine);
    void score_after(size_t first, size_t n) noexcept;
    void score_after_of_coarse(size_t first) noexcept;
    template <class T, class N>
    void score(size_t first, N n);
    template <class T, class N>
    void sum_up(size_t first, N n);
    template <class T, class N>
    void sum_twoing(size_t first, N n);
    template <class T, class N>
    void sum_twoing_entered(size_t first, N n);
    template <class N>
    void score_twoing(size_t first, N n);
    template <class T>
    void score_by_measure(size_t first, size_t n);

    template <class T>
    T *leaving(size_t c) {
        return counts<T>(*this) + 2 * c * n_places();
    }
    template <class T>
    T *entering(size_t c) {
        return leaving<T>(c) + n_places();
    }
    template <class T, class Bins>
    static auto *counts(Bins &bins) {
        if constexpr (std::is_same_v<T, double>)
            return bins.heavy_.data();
        else
            return bins.hist_.data();
    }
    double *left(size_t c) { return left_.data() + c * score_.size(); }

    const NodeSample &sample_;
    bool some_enter_ = false;
    std::vector<int32_t> filled_;  // rows in each bin
    std::vector<int32_t> hist_;    // rows of a class in each place
    std::vector<double> heavy_;    // weights of a class in each place, empty if all are 1
    // After each bin: weight on the left, of each class too, and the goodness of the cut.
    std::vector<double> n_left_, left_, score_;
    // Goodness of the cuts inside each bin at most, and scratch.
    std::vector<double> bound_, work_, moved_;
    std::vector<double> here_, low_, high_;  // on the left after a bin, and at least and most in it
};

}  // namespace retree::oblique
