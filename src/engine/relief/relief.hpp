// Relief-F: how well columns tell the nearest rows of other classes from those of one's own.
#pragma once

#include "core/interface.hpp"
#include "relief/expectation.hpp"

namespace retree {

// Rows in the order of their classes, numeric columns on a scale where the range is 1.
class Relief {
public:
    // `columns` has the rows column by column; `class_start` is as long as there are classes and
    // 1; rows of class c stand from class_start[c] to class_start[c + 1]. The spans must outlive
    // it.
    Relief(std::vector<double> columns, std::span<const uint8_t> nominal,
           std::span<const int64_t> class_start);

    // Returns the weights of the columns by so many neighbours of the `sampled` rows in each class.
    std::vector<double> weights(std::span<const int64_t> sampled, int64_t n_neighbors, Poll &poll);

private:
    int64_t n_rows() const { return class_start_.back(); }
    int64_t n_features() const { return std::ssize(nominal_); }
    int64_t n_classes() const { return static_cast<int64_t>(class_start_.size()) - 1; }
    std::span<const double> column(int64_t j) const {
        return {columns_.data() + j * n_rows(), static_cast<size_t>(n_rows())};
    }
    // The known values of column j, which has missing ones, in class c.
    const Expectation &known(int64_t j, int64_t c) const {
        return *known_[place_[j] * n_classes() + c];
    }
    // Expected differences of column j, which has missing values, between each row and a value that
    // is missing in the class of the row that is looked at.
    std::span<double> expected(int64_t j) {
        return std::span(expected_).subspan(place_[j] * n_rows(), n_rows());
    }

    void pack_levels();
    void collect_known(int64_t j);
    void expect(int64_t j, int64_t row_class);
    void look_at(int64_t row, int64_t row_class);
    void find_distances(int64_t row);
    void count_differences(int64_t row, int64_t start, int64_t end);
    void add_differences(int64_t row, int64_t c, int64_t start, int64_t end);
    void add_expected(int64_t j, int64_t row, int64_t c, int64_t start, int64_t end);
    int64_t find_nearest(int64_t row, int64_t c);
    void add_candidates(int64_t row, double reach, int64_t start, int64_t end);
    int64_t insert_nearest(double distance, int64_t n);
    void add_mean_differences(int64_t row, int64_t c, double factor);
    void add_parts(int64_t j, int64_t row, int64_t c);
    double difference(int64_t j, int64_t row, int64_t i, int64_t c);

    std::span<const uint8_t> nominal_;
    std::span<const int64_t> class_start_;
    std::vector<double> columns_;
    std::vector<int64_t> place_;  // of a column among those with missing values, or -1
    std::vector<std::shared_ptr<const Expectation>> known_;
    std::vector<double> expected_;
    std::vector<double> of_row_;  // expected differences of the row that is looked at, by class
    int64_t expected_class_ = -1;
    std::vector<uint8_t> levels_;  // column by column, where all are nominal and known; or empty
    std::vector<double> distance_, nearest_, weights_;
    std::vector<int64_t> candidates_;  // rows that may be among the nearest
    std::vector<double> part_;         // of each candidate in the weights
};

}  // namespace retree
