// The training rows of each node of a tree whose tests come and go.
#pragma once

#include "core/numbers.hpp"
#include "core/tests.hpp"

namespace retree {

struct Sample {
    Matrix<const double> X;
    std::span<const int32_t> y;
    std::span<const double> weight;
};

// A node and its rows: a segment of the `SegmentedRows`.
struct Segment {
    int32_t node;
    int64_t start, end;
};

// The training rows by node: segments of children lie in that of their parent, or behind all
// segments in use where rows without a value went to every branch.
class SegmentedRows {
public:
    explicit SegmentedRows(const Sample &sample)
        : sample_(sample),
          row_(row_numbers(sample.X.rows)),
          weight_(sample.weight.begin(), sample.weight.end()) {}

    // Divides the rows of a segment over the branches of a test and sets their `segments`; returns
    // how much is in use then.
    int64_t divide(const Tests &tests, int32_t test, Segment segment, int64_t used,
                   std::vector<Segment> &segments);
    void add_class_weights(Segment segment, std::span<double> counts) const;

private:
    void find_branches(const Tests &tests, int32_t test, Segment segment);
    void copy_segment(Segment segment);
    void place(size_t b, size_t i, double share);

    const Sample &sample_;
    std::vector<int32_t> row_;
    std::vector<double> weight_;
    // Of the segment that is divided.
    std::vector<int32_t> branch_, old_row_;
    std::vector<double> old_weight_, share_;
    std::vector<int64_t> place_;
};

}  // namespace retree
