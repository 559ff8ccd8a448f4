// The training rows of each node of a tree whose tests come and go.
#pragma once

#include "core/weka_sort.hpp"
#include "pruning/draft.hpp"

namespace retree {

struct Sample {
    Matrix<const double> X;
    std::span<const int32_t> y;
    std::span<const double> weight;
    std::span<const int32_t> rows;  // those that count
};

// A node and its rows: a segment of the `SegmentedRows`.
struct Segment {
    int32_t node;
    int64_t start, end;
};

// What a test makes of the weights of its node: summed over the rows with a value, then over those
// without, as in J48.
struct Distribution {
    std::vector<double> counts;  // (n_classes,)
    double weight;
    std::vector<double> sent;  // (n_branches,) what goes to each branch
};

// The training rows by node: segments of children lie in that of their parent, or behind all
// segments in use where rows without a value went to every branch, or where the order of the
// parent's rows is kept.
class SegmentedRows {
public:
    SegmentedRows(const Sample &sample, int64_t n_classes, bool keeps_order)
        : sample_(sample),
          keeps_order_(keeps_order),
          distribution_{std::vector<double>(static_cast<size_t>(n_classes)), 0.0, {}},
          row_(sample.rows.begin(), sample.rows.end()) {
        weight_.reserve(row_.size());
        for (const int32_t row : row_) weight_.push_back(sample.weight[row]);
    }

    // Divides the rows of a segment over the branches of a test and sets their `segments`; returns
    // how much is in use then.
    int64_t divide(const Tests &tests, int32_t test, Segment segment, int64_t used,
                   std::vector<Segment> &segments);
    // Divides the rows of a segment over the leaves below its node, where no value is missing, and
    // sets their `segments`. The order is then that of `divide`, one node after the other.
    void divide_over_leaves(DraftDescent &descent, const Draft &draft, Segment segment,
                            std::vector<Segment> &segments);
    // Undoes that, if it was the last thing done.
    void undo(Segment segment);
    // Sorts the rows of a segment by one feature after the other, as Weka does.
    void sort(Segment segment, std::span<const int32_t> features);
    // Sums the class weights of a segment; returns its weight.
    double add_class_weights(Segment segment, std::span<double> counts) const;
    // What the last test that rows were divided by made of their weights.
    const Distribution &distribution() const { return distribution_; }

private:
    void find_branches(const Tests &tests, int32_t test, Segment segment);
    void copy_segment(Segment segment);
    int64_t distribute(size_t n_branches);
    void place(size_t b, size_t i, double share);

    const Sample &sample_;
    bool keeps_order_;
    Distribution distribution_;
    std::vector<int32_t> row_;
    std::vector<double> weight_;
    // Of the segment that is divided.
    std::vector<int32_t> branch_, old_row_;
    std::vector<double> old_weight_, share_;
    std::vector<int64_t> place_;
    std::vector<Keyed> keyed_;
};

}  // namespace retree
