// What Weka's trees make of a test: class weights by branch, shares of rows without a value, a
// gain.
#pragma once

#include "weka/rep_scan.hpp"

namespace retree::weka {

// A test, and what it makes of the rows of a node.
struct Split {
    double gain = 0.0;
    int64_t column = -1;  // numeric columns first; -1 if there is no test
    int64_t place = 0;    // of a numeric test the first entry on the right
    double point = std::numeric_limits<double>::quiet_NaN();
    bool has_missing = false;
    std::vector<double> counts;  // (n_branches, n_classes)
    std::vector<double> weight;  // (n_branches,)
    std::vector<double> sent;    // (n_branches,) of the rows with a value
    std::vector<double> share;   // (n_branches,) of a row without a value
    double known = 0.0;          // the sum of what is sent, or 1 if no row has a value

    Matrix<double> by_branch(int64_t n_classes) {
        return {counts.data(), std::ssize(sent), n_classes};
    }
    void start(int64_t its_column) {
        gain = 0.0;
        column = its_column;
        point = std::numeric_limits<double>::quiet_NaN();
    }
};

// Tests the columns of a node.
class Tester {
public:
    // `is_exact`: whether no value is missing and weights are whole.
    Tester(const WeightedColumns &columns, const Terms &terms, bool is_exact);

    // Sets the best test of a numeric column whose sorted entries and class weights these are; none
    // unless it may gain as much as `least`.
    void numeric(const WeightedColumns &columns, std::span<const uint64_t> segment, int64_t j,
                 std::span<const double> counts, double least, Split &split);

    // Sets the test with a branch for each level. `of` has code(row), label(row) and weight(row).
    template <class Of>
    void nominal(std::span<const int32_t> rows, int64_t n_levels, const Of &of, Split &split) {
        split.sent.resize(static_cast<size_t>(n_levels));
        split.counts.assign(split.sent.size() * static_cast<size_t>(n_classes_), 0.0);
        const Matrix<double> counts = split.by_branch(n_classes_);
        missing_.clear();
        for (const int32_t row : rows) {
            if (of.code(row) >= 0)
                counts(of.code(row), of.label(row)) += of.weight(row);
            else
                missing_.push_back(row);
        }
        finish(std::span<const int32_t>(missing_), of, split);
    }

private:
    void share_out(Split &split) const;

    // Shares out the rows without a value, and works out the gain.
    template <class Rows, class Of>
    void finish(Rows missing, const Of &of, Split &split) const {
        const Matrix<double> counts = split.by_branch(n_classes_);
        share_out(split);
        split.has_missing = !missing.empty();
        for (const auto item : missing)
            for (int64_t b = 0; b < counts.rows; ++b)
                counts(b, of.label(item)) += split.share[b] * of.weight(item);
        split.weight.resize(split.sent.size());
        for (int64_t b = 0; b < counts.rows; ++b) split.weight[b] = sum_of(counts.row(b));
        split.gain = entropy_of_classes(counts, terms_) - entropy_of_branches(counts, terms_);
    }

    Terms terms_;
    int64_t n_classes_;
    bool is_exact_;
    Scanner scanner_;
    std::vector<double> known_;  // class weights of the rows with a value
    std::vector<int32_t> missing_;
    Cut cut_;
};

}  // namespace retree::weka
