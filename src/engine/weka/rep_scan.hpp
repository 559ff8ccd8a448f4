// The numeric test of greatest information gain, in a pass over the rows of a node.
#pragma once

#include "core/weighted_columns.hpp"
#include "core/whole_scan.hpp"
#include "weka/entropy.hpp"

namespace retree::weka {

struct Cut {
    int64_t place = -1;          // of the first entry on the right, -1 if there is no cut
    std::vector<double> counts;  // (2, n_classes)
};

// A numeric column in a node.
struct Known {
    const WeightedColumns &columns;
    std::span<const uint64_t> entries;  // those with a value
    std::span<const double> counts;     // their class weights

    bool is_cut(size_t i) const {
        return !columns.packing.is_same_value(entries[i - 1], entries[i]);
    }
    size_t label(size_t i) const { return static_cast<size_t>(columns.packing.label(entries[i])); }
    double weight(size_t i) const { return columns.weight[row_of(entries[i])]; }
};

class Scanner {
public:
    // `is_whole`: whether all weights are whole, and their terms stand in the table.
    Scanner(const WeightedColumns &columns, const Terms &terms, bool is_whole);
    Scanner(const Scanner &) = delete;
    Scanner &operator=(const Scanner &) = delete;

    // Sets the cut of greatest gain; it may set none where no cut gains as much as `least`.
    void scan(const Known &known, double least, Cut &cut);

private:
    void scan_whole(const Known &known, double least, Cut &cut);
    double sum_at(int32_t n_left) const;
    void scan_any(const Known &known, Cut &cut);
    void start(std::span<const double> counts);
    void move(size_t label, double weight);

    Terms terms_;
    size_t n_classes_;
    bool is_whole_;
    std::vector<int32_t> weight_;  // of each row, if all are whole and not all 1
    WholeScan whole_;
    std::vector<int32_t> left_counts_;  // of each class
    std::vector<double> sides_;         // (2, n_classes): class weights on both sides
    std::vector<double> near_terms_;    // their terms, nearly
    double left_ = 0.0, right_ = 0.0;
    double sum_ = 0.0, slack_ = 0.0;  // of the near terms, and how far it may be off
};

}  // namespace retree::weka
