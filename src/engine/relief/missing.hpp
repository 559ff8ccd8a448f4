// Expected differences to missing values.
#pragma once

#include "core/interface.hpp"

namespace retree {

// A missing value is one of the known values of its class, each as likely; where the class knows
// none, one of those of all rows.
//
// Beside the columns there is half as much memory: the order of each column that has missing
// values. What is expected follows from a walk along it, and is kept for as many columns as fit
// into a small part of the data.
class MissingValues {
public:
    // Rows stand in the order of their classes, as `Relief` has them. The spans must outlive it.
    MissingValues(std::span<const std::span<const double>> columns,
                  std::span<const uint8_t> nominal, std::span<const int64_t> class_start);

    // Whether column j has missing values.
    bool are_in(int64_t j) const { return place_[j] >= 0; }

    // How many rows `look_at` takes at most.
    size_t most_rows() const { return most_rows_; }
    // Finds what `to_row` returns of some rows.
    void look_at(std::span<const int32_t> rows);

    // The difference expected between the value of column j in a row and one missing in class c.
    double to_row(int64_t j, int64_t row, int64_t c) const {
        return to_rows_[(place_[j] * static_cast<int64_t>(most_rows_) + slot_[row]) * n_classes() +
                        c];
    }
    // Returns, by row, the difference expected between its value of column j, which may be missing
    // too, and one missing in class c; valid until the next call.
    std::span<const double> to_class(int64_t j, int64_t c);

private:
    struct Tally {
        int64_t n = 0;
        double sum = 0.0;
    };

    int64_t n_classes() const { return std::ssize(class_start_) - 1; }
    const Tally &total(int64_t j, int64_t c) const {
        return totals_[place_[j] * (n_classes() + 1) + c];
    }
    // The class whose known values count: c, or that of all rows.
    int64_t known_class(int64_t j, int64_t c) const { return total(j, c).n > 0 ? c : n_classes(); }
    void sort_columns();
    template <class Visit>
    void walk(int64_t j, Visit &&visit);
    double mean_difference(int64_t j, int64_t c, double value) const;
    void find_expected(int64_t j, int64_t c, std::span<double> expected);

    std::span<const std::span<const double>> columns_;
    std::span<const uint8_t> nominal_;
    std::span<const int64_t> class_start_;
    std::vector<int64_t> place_;               // of a column among those with missing values, or -1
    std::vector<std::vector<int32_t>> order_;  // of them, the rows that know it by their values
    std::vector<Tally> totals_;                // of them, the known values by class, and all
    std::vector<Tally> below_, through_;  // by class, and all: values below a walk's, and with it
    std::vector<int32_t> class_;          // of each row
    size_t most_rows_ = 1;
    std::vector<int32_t> slot_;  // of each row that is looked at, or -1
    std::vector<int32_t> looked_at_;
    std::vector<double> to_rows_;          // (columns with missing values, most rows, classes)
    std::vector<double> to_class_, both_;  // the former (kept columns, rows)
    std::vector<std::pair<int64_t, int64_t>>
        kept_;  // the column and class of each row of to_class_
};

}  // namespace retree
