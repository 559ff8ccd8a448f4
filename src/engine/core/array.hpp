// Checked views of the caller's arrays.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "retree.h"

namespace retree {

template <class T>
constexpr int32_t type_code() {
    using U = std::remove_const_t<T>;
    if constexpr (std::is_same_v<U, double>) return RETREE_FLOAT64;
    if constexpr (std::is_same_v<U, int32_t>) return RETREE_INT32;
    if constexpr (std::is_same_v<U, int64_t>) return RETREE_INT64;
    if constexpr (std::is_same_v<U, uint8_t>) return RETREE_UINT8;
    if constexpr (std::is_same_v<U, uint64_t>) return RETREE_UINT64;
    if constexpr (std::is_same_v<U, int8_t>) return RETREE_INT8;
    if constexpr (std::is_same_v<U, retree_array>) return RETREE_VIEWS;
}

// A matrix in row-major order that somebody else owns.
template <class T>
struct Matrix {
    T *data = nullptr;
    int64_t rows = 0;
    int64_t columns = 0;

    T &operator()(int64_t i, int64_t j) const { return data[i * columns + j]; }
    std::span<T> row(int64_t i) const { return {data + i * columns, static_cast<size_t>(columns)}; }
    operator Matrix<const T>() const { return {data, rows, columns}; }
};

constexpr int64_t ANY = -1;

void check_array(const retree_array *array, const char *name, int32_t type,
                 std::initializer_list<int64_t> shape);

// Returns a view of a vector; `size` is what it must have, ANY for whatever it has.
template <class T>
std::span<T> vector_of(const retree_array *array, const char *name, int64_t size = ANY) {
    check_array(array, name, type_code<T>(), {size});
    return {static_cast<T *>(array->data), static_cast<size_t>(array->shape[0])};
}

template <class T>
Matrix<T> matrix_of(const retree_array *array, const char *name, int64_t rows = ANY,
                    int64_t columns = ANY) {
    check_array(array, name, type_code<T>(), {rows, columns});
    return {static_cast<T *>(array->data), array->shape[0], array->shape[1]};
}

// Raises unless `holds`; the message ends up in a ValueError.
inline void require(bool holds, const char *message) {
    if (!holds) throw std::invalid_argument(message);
}

}  // namespace retree
