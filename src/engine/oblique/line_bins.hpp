// The rows of a node counted in bins along a line, and which bins may hold the best cut.
//
// Rows are ordered by s = t / (w + abs(t)), where t is the step at which a row changes sides and w
// about the mean of abs(t). Bins divide the range of s, [-1, 1], evenly; they are numbered from 1,
// and no step reaches the rows of bin 0 and of the bin after the last.
#pragma once

#include "oblique/node_sample.hpp"

namespace retree::oblique {

class LineBins {
public:
    explicit LineBins(const NodeSample &sample);

    // Counts the rows of values v and directions d along the line, scores the cuts after the bins
    // and bounds those inside them.
    void fill(std::span<const double> value, std::span<const double> direction, double width);

    // Gives room to the bins that may hold a cut at least as good as `bar` and as the best cut
    // between bins, which raises `bar`. Returns whether there are any.
    bool open(double &bar);

    struct Range {
        int32_t bin;
        int64_t start;
        int64_t end;
    };

    std::span<const Range> opened() const { return opened_; }
    bool is_empty(int32_t bin) const { return filled_[bin] == 0; }
    double bound(int32_t bin) const { return bound_[bin]; }
    double score_before(int32_t bin) const { return score_[bin - 1]; }
    // Sets the weight of each class on the left before a bin; returns their sum.
    double left_before(int32_t bin, std::span<double> left) const;

    // Puts s and the number of the rows of the open bins where they belong, bin by bin.
    void gather(std::vector<double> &keys, std::vector<int32_t> &rows);

private:
    bool place_rows(std::span<const double> value, std::span<const double> direction, double width);
    void count_rows();
    void sum_up();
    void sum_twoing();
    void sum_twoing_entered();
    void score_twoing();
    void bound_twoing();
    void score_by_measure();
    // The same for numbers of rows, int32, and for weights, double.
    template <class T>
    void sum_up_of();
    template <class T>
    void sum_twoing_of();
    template <class T>
    void sum_twoing_entered_of();
    template <class T>
    void bound_twoing_of();
    template <class T>
    void score_by_measure_of();
    template <class T>
    void add_bins(std::span<T> bins);
    void gather_range(size_t start, size_t end, std::vector<double> &keys,
                      std::vector<int32_t> &rows);
    template <class T>
    T *leaving(size_t c) {
        if constexpr (std::is_same_v<T, double>)
            return heavy_.data() + 2 * c * n_places_;
        else
            return hist_.data() + 2 * c * n_places_;
    }
    template <class T>
    T *entering(size_t c) {
        return leaving<T>(c) + n_places_;
    }
    template <class T>
    std::span<T> moved() {
        if constexpr (std::is_same_v<T, double>)
            return moved_;
        else
            return filled_;
    }
    double *left(size_t c) { return left_.data() + c * (n_places_ - 1); }

    const NodeSample &sample_;
    size_t n_places_;  // the bins and two more
    bool some_enter_;  // whether some rows enter the left side
    std::vector<double> keys_;
    std::vector<uint16_t> place_;  // bin, or bin + n_places of rows that enter the left side
    std::vector<int32_t> hist_;    // rows of a class in each place
    std::vector<int32_t> filled_;  // rows in each bin
    std::vector<double> heavy_;    // weights of a class in each place, empty if all are 1
    std::vector<double> moved_;    // weight in each bin, if there are weights
    std::vector<int32_t> slot_;    // where the next row of a bin is put, -1 if it is closed
    // After each bin: weight on the left, of each class too, and the goodness of the cut.
    std::vector<double> n_left_, left_, score_;
    // Goodness of the cuts inside each bin at most, and scratch.
    std::vector<double> bound_, work_;
    std::vector<Range> opened_;
};

}  // namespace retree::oblique
