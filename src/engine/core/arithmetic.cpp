// Arithmetic on arrays for Python, where numpy's would depend on the processor.
#include "retree/arithmetic.h"
#include "core/elementary.hpp"
#include "core/interface.hpp"
#include "core/sums.hpp"

namespace retree {
namespace {

constexpr size_t LANES = 8, BLOCK = 128;

template <class Function>
int32_t apply(const retree_array *x, retree_array *found, Function function) {
    return guarded([&] {
        const auto arguments = vector_of<const double>(x, "x");
        const auto values =
            vector_of<double>(found, "found", static_cast<int64_t>(arguments.size()));
        std::transform(arguments.begin(), arguments.end(), values.begin(), function);
    });
}

}  // namespace

double sum_by_halves(std::span<const double> values) {
    const size_t n = values.size();
    if (n > BLOCK) {
        const size_t half = n / 2 / LANES * LANES;
        return sum_by_halves(values.first(half)) + sum_by_halves(values.subspan(half));
    }
    if (n < LANES) return std::accumulate(values.begin(), values.end(), 0.0);
    std::array<double, LANES> lane;
    std::copy_n(values.begin(), LANES, lane.begin());
    size_t i = LANES;
    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; ++k) lane[k] += values[i + k];
    const double sum =
        ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(i), values.end(), sum);
}

}  // namespace retree

using namespace retree;

int32_t retree_row_sums(const retree_array *X, retree_array *sums) {
    return guarded([&] {
        const auto rows = matrix_of<const double>(X, "X");
        const auto totals = vector_of<double>(sums, "sums", rows.rows);
        for (int64_t i = 0; i < rows.rows; ++i) totals[i] = sum_by_halves(rows.row(i));
    });
}

int32_t retree_log(const retree_array *x, retree_array *found) { return apply(x, found, log_of); }

int32_t retree_log2(const retree_array *x, retree_array *found) {
    return guarded([&] {
        const auto arguments = vector_of<const double>(x, "x");
        log2_of_all(arguments,
                    vector_of<double>(found, "found", static_cast<int64_t>(arguments.size())));
    });
}

int32_t retree_exp(const retree_array *x, retree_array *found) { return apply(x, found, exp_of); }

int32_t retree_power(const retree_array *base, const retree_array *exponent, retree_array *found) {
    return guarded([&] {
        const auto bases = vector_of<const double>(base, "base");
        const auto n = static_cast<int64_t>(bases.size());
        const auto exponents = vector_of<const double>(exponent, "exponent", n);
        const auto values = vector_of<double>(found, "found", n);
        std::transform(bases.begin(), bases.end(), exponents.begin(), values.begin(), power_of);
    });
}

int32_t retree_normal_quantile(const retree_array *share, retree_array *found) {
    return apply(share, found, [](double value) {
        require(0.5 <= value && value <= 1.0, "The engine needs shares from 0.5 to 1.");
        return normal_quantile(value);
    });
}
