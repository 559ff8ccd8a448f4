// Relief-F: how well columns tell the nearest rows of other classes from those of one's own.
#pragma once

#include "core/interface.hpp"

namespace retree {

// Rows in the order of their classes, numeric columns on a scale where the range is 1.
class Relief {
public:
    // `class_start` is as long as there are classes and 1; rows of class c stand from
    // class_start[c] to class_start[c + 1]. All arrays must outlive it.
    Relief(Matrix<const double> rows, std::span<const uint8_t> nominal,
           std::span<const int64_t> class_start);

    // Returns the weights of the columns by so many neighbours of the `sampled` rows in each class.
    std::vector<double> weights(std::span<const int64_t> sampled, int64_t n_neighbors, Poll &poll);

private:
    int64_t n_rows() const { return rows_.rows; }
    int64_t n_features() const { return rows_.columns; }
    int64_t n_classes() const { return static_cast<int64_t>(class_start_.size()) - 1; }
    std::span<const double> column(int64_t j) const {
        return {columns_.data() + j * n_rows(), static_cast<size_t>(n_rows())};
    }
    // Expected differences of column j, which has missing values, to those of class c.
    double *expected(int64_t j, int64_t c) {
        return expected_.data() + (place_[j] * n_classes() + c) * n_rows();
    }

    void pack_levels();
    void expect(int64_t j);
    std::vector<double> known_of_class(int64_t j, int64_t c) const;
    void find_distances(int64_t row, int64_t row_class);
    void count_differences(int64_t row, int64_t start, int64_t end);
    void add_differences(int64_t row, int64_t row_class, int64_t c, int64_t start, int64_t end);
    void add_expected(int64_t j, int64_t row, int64_t row_class, int64_t c, int64_t start,
                      int64_t end);
    int64_t find_nearest(int64_t row, int64_t c);
    void add_candidates(int64_t row, double reach, int64_t start, int64_t end);
    int64_t insert_nearest(double distance, int64_t n);
    void add_mean_differences(int64_t row, int64_t row_class, int64_t c, double factor);
    void add_row(int64_t row, int64_t row_class, int64_t i, int64_t c, double part);
    double difference(int64_t j, int64_t row, int64_t row_class, int64_t i, int64_t c);

    Matrix<const double> rows_;
    std::span<const uint8_t> nominal_;
    std::span<const int64_t> class_start_;
    std::vector<double> columns_;
    std::vector<int64_t> place_;  // of a column in expected_, -1 if no value is missing
    std::vector<double> expected_;
    bool has_missing_ = false;
    std::vector<uint8_t> levels_;  // column by column, where all are nominal and known; or empty
    std::vector<double> distance_, nearest_, weights_;
    std::vector<int64_t> candidates_;  // rows that may be among the nearest
};

}  // namespace retree
