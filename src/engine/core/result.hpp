// Arrays that a call hands back, sized while it ran.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/array.hpp"

struct retree_result {
    using Values = std::variant<std::vector<double>, std::vector<int32_t>, std::vector<int64_t>,
                                std::vector<uint8_t>>;

    struct Block {
        Values values;
        std::array<int64_t, 3> shape;
        int32_t ndim;
    };

    std::vector<Block> blocks;

    template <class T>
    void add(std::vector<T> values) {
        const auto size = static_cast<int64_t>(values.size());
        blocks.push_back({std::move(values), {size, 0, 0}, 1});
    }

    // Adds a matrix in row-major order with so many columns.
    template <class T>
    void add(std::vector<T> values, int64_t rows, int64_t columns) {
        blocks.push_back({std::move(values), {rows, columns, 0}, 2});
    }
};
