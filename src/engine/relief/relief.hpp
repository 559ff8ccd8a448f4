// Relief-F: how well columns tell the nearest rows of other classes from those of one's own.
#pragma once

#include "relief/missing.hpp"

namespace retree {

// Rows in the order of their classes, numeric columns on a scale where the range is 1.
class Relief {
public:
    // `class_start` is as long as there are classes and 1; rows of class c stand from
    // class_start[c] to class_start[c + 1]. The spans must outlive it.
    Relief(std::span<const std::span<const double>> columns, std::span<const uint8_t> nominal,
           std::span<const int64_t> class_start);

    // Returns the weights of the columns by so many neighbours of the `sampled` rows in each class.
    std::vector<double> weights(std::span<const int32_t> sampled, int64_t n_neighbors, Poll &poll);

private:
    int64_t n_rows() const { return class_start_.back(); }
    int64_t n_features() const { return std::ssize(nominal_); }
    int64_t n_classes() const { return std::ssize(class_start_) - 1; }
    bool is_missing(int64_t j, int64_t row) const {
        return missing_.are_in(j) && std::isnan(columns_[j][row]);
    }

    void pack_levels();
    void add_row(int64_t row);
    void find_distances(int64_t row, int64_t row_class);
    void count_differences(int64_t row, int64_t start, int64_t end) noexcept;
    void add_columns(int64_t row, int64_t first, int64_t last);
    void add_differences(int64_t j, int64_t row, int64_t start, int64_t end) noexcept;
    void add_some_expected(int64_t j, int64_t row, int64_t c, int64_t start, int64_t end) noexcept;
    void add_expected(std::span<const double> expected) noexcept;
    int64_t find_nearest(int64_t row, int64_t c);
    void add_candidates(int64_t row, double reach, int64_t start, int64_t end) noexcept;
    int64_t insert_nearest(double distance, int64_t n);
    void find_neighbours(int64_t row, int64_t c, double factor);
    double sum_parts(int64_t j, int64_t row, int64_t c, double weight) const;

    std::span<const std::span<const double>> columns_;
    std::span<const uint8_t> nominal_;
    std::span<const int64_t> class_start_;
    MissingValues missing_;
    std::vector<uint8_t> levels_;  // column by column, where all are nominal and known; or empty
    std::vector<double> distance_, nearest_, weights_;
    std::vector<int32_t> candidates_;  // rows that may be among the nearest, class by class
    std::vector<double> part_;         // of each candidate in the weights
    std::vector<size_t> end_;          // of the candidates of each class
};

}  // namespace retree
