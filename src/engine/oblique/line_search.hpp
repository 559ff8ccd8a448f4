// The exact best step along one direction of a hyperplane's coefficients.
//
// A row is on the left of a hyperplane if its value v is not above 0. A step t changes v to
// v + t * d, where d is what the row has in the direction: its feature when one coefficient is
// perturbed. The row changes sides at t = -v / d (Murthy et al., eq. 1; it leaves the left side if
// d is positive and enters it if d is negative), so the best step lies between two neighbours among
// these. Sorting them would be most of the work. Here they are counted in bins, the cuts between
// bins are scored, what a bin may hold is bounded, and only the bins that may hold the best cut are
// sorted.
//
// Rows whose s (see `LineBins`) differ by less than 2^-39 are tied, so that no cut goes between
// rows that stand on one point of the line but for rounding. Steps above 2^20 w are not taken.
#pragma once

#include "oblique/line_bins.hpp"
#include "oblique/node_sample.hpp"

namespace retree::oblique {

// A cut of a line: its goodness, NONE if there is none, and the rows just below and above.
struct Cut {
    double goodness = NONE;
    int64_t below = -1;
    int64_t above = -1;
};

class LineSearch {
public:
    explicit LineSearch(const NodeSample &sample);

    // Finds the best cut, of tied ones that of the least step.
    //
    // value, direction: v and d of each row, finite. width: w, positive; it changes the speed and,
    // as it says where bins end, which of cuts that tie but for rounding is taken. bar: the least
    // goodness that is of interest.
    Cut search(std::span<const double> value, std::span<const double> direction, double width,
               double bar);

private:
    Cut scan_open_bins(std::span<const double> direction, double bar);
    Cut scan_bin(const LineBins::Range &range, std::span<const double> direction, double bar);
    void sort(int64_t start, int64_t end);
    bool are_neighbours(int32_t previous, const LineBins::Range &range) const;

    const NodeSample &sample_;
    LineBins bins_;
    std::vector<double> keys_;   // s of the rows in the open bins, sorted
    std::vector<int32_t> rows_;  // their rows
    std::vector<double> counts_;
};

}  // namespace retree::oblique
