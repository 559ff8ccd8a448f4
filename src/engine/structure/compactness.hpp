// CSN, class compactness over class separation in the same child (structure_purity, eqs. 11-14).
//
// The candidates of one column cut the node's rows, in the order of the column, into runs. Each run
// is summarised once, and the summaries are merged from the front and from the back into those of
// the left and right children, so k candidates of a column cost little more than one.
#pragma once

#include "structure/columns.hpp"

namespace retree::structure {

// Sums over a set of rows, from which CSN follows; they can be merged.
struct Summary {
    explicit Summary(const Columns &columns);
    void clear();

    // Adds what the wide columns say of some rows to an empty summary.
    void summarise_wide(const Columns &columns, std::span<const int32_t> rows);
    // Merges another summary into this one (Chan, Golub and LeVeque's update).
    void merge(const Summary &other);

    std::vector<double> counts;  // weight of each class
    Table<double> mean;          // (n_classes, n_wide) class centroids of the scaled columns
    Table<double> scatter;       // (n_classes, n_wide) sums of squared deviations from them
    Table<double> ones;          // (n_classes, n_pair) sums of the bits
    std::vector<double> low;     // least scaled value of each wide column
    std::vector<double> high;    // greatest scaled value
};

class Compactness {
public:
    // `codes`, (n_classes, n_dichotomies): the two sides, +1 and -1, of each dichotomy.
    // `scale_by_child`: scale each child by its own ranges, not by those of the node.
    Compactness(const Columns &columns, Matrix<const int8_t> codes, bool scale_by_child);

    // Fills `csn` with the CSN of cutting rows behind each of the ascending positions `cuts`.
    // `rows` are the node's in the order of the column that is cut, `ones` the node's rows with the
    // larger value of each pair column, `node_weight` inverse squared ranges in the node.
    void measure(std::span<const int32_t> rows, std::span<const int64_t> cuts,
                 const Table<double> &ones, std::span<const double> node_weight,
                 std::span<double> csn);

private:
    void summarise_runs(std::span<const int32_t> rows, std::span<const int64_t> cuts,
                        const Table<double> &ones);
    void count_bits(std::span<const int32_t> rows, Table<double> &own, Table<double> &rest) const;
    double csn_of_child(std::span<const double> node_weight);
    double separation(std::span<const double> weight);

    const Columns &columns_;
    Matrix<const int8_t> codes_;
    bool scale_by_child_;
    std::vector<Summary> runs_;
    Summary child_;
    std::vector<double> child_weight_;
    Table<double> sides_;  // (2, n_wide + n_pair)
};

}  // namespace retree::structure
