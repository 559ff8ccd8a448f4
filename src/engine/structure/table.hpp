// A matrix that owns its numbers.
#pragma once

#include "core/interface.hpp"

namespace retree::structure {

template <class T>
class Table {
public:
    Table() = default;
    Table(int64_t rows, int64_t columns, T value = T{})
        : values_(static_cast<size_t>(rows * columns), value), rows_(rows), columns_(columns) {}

    T &operator()(int64_t i, int64_t j) { return values_[static_cast<size_t>(i * columns_ + j)]; }
    const T &operator()(int64_t i, int64_t j) const {
        return values_[static_cast<size_t>(i * columns_ + j)];
    }
    std::span<T> row(int64_t i) { return {values_.data() + i * columns_, width()}; }
    std::span<const T> row(int64_t i) const { return {values_.data() + i * columns_, width()}; }

    int64_t rows() const { return rows_; }
    int64_t columns() const { return columns_; }
    void fill(T value) { std::fill(values_.begin(), values_.end(), value); }

private:
    size_t width() const { return static_cast<size_t>(columns_); }

    std::vector<T> values_;
    int64_t rows_ = 0;
    int64_t columns_ = 0;
};

}  // namespace retree::structure
