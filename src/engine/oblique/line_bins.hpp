// The rows of a node counted in bins along a line, and which bins may hold the best cut.
//
// Rows are ordered by s = t / (w + abs(t)), where t is the step at which a row changes sides and w
// about the mean of abs(t). Bins divide the range of s, [-1, 1], evenly; they are numbered from 1,
// and no step reaches the rows of bin 0 and of the bin after the last.
#pragma once

#include "oblique/scored_bins.hpp"

namespace retree::oblique {

class LineBins {
public:
    explicit LineBins(const NodeSample &sample);

    // Counts the rows of values v and directions d along the line, scores the cuts after the coarse
    // bins and bounds those inside them.
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
    bool is_empty(int32_t bin) const;
    double bound(int32_t bin) const { return fine_.bound(static_cast<size_t>(bin)); }
    double score_before(int32_t bin) const {
        return fine_.scores_after(static_cast<size_t>(bin) - 1, static_cast<size_t>(bin))[0];
    }
    // Sets the weight of each class on the left before a bin; returns their sum.
    double left_before(int32_t bin, std::span<double> left) const;

    // Puts s and the number of the rows of the open bins where they belong, bin by bin.
    void gather(std::vector<double> &keys, std::vector<int32_t> &rows) noexcept;

private:
    static constexpr size_t WIDTH = ScoredBins::WIDTH;

    bool place_rows(std::span<const double> value, std::span<const double> direction,
                    double width) noexcept;
    void score_coarse_bins(double &bar);
    void gather_range(size_t start, size_t end, std::vector<double> &keys,
                      std::vector<int32_t> &rows);
    // The last bin before those of a coarse one.
    static size_t before(size_t wide) { return (wide - 1) * WIDTH; }

    ScoredBins fine_, coarse_;
    double slack_;             // of tied cuts
    bool some_enter_ = false;  // whether some rows enter the left side
    std::vector<double> keys_;
    std::vector<uint16_t> place_;     // bin, or bin + n_places of rows that enter the left side
    std::vector<uint8_t> is_scored_;  // of each coarse bin, whether its bins are scored
    std::vector<int32_t> slot_;       // where the next row of a bin is put, -1 if it is closed
    std::vector<Range> opened_;
};

}  // namespace retree::oblique
