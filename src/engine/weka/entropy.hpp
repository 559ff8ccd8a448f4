// Entropies in the order in which Weka adds them up: their last bits decide between equal tests.
#pragma once

#include "core/elementary.hpp"
#include "core/interface.hpp"
#include "core/numbers.hpp"

namespace retree::weka {

constexpr double SMALL = 1e-6;  // differences up to this are none
constexpr double LOG_2 = 0x1.62e42fefa39efp-1;

// log(x) of a positive number, to some 2^-40 of it: much faster than `log_of`, which alone decides.
inline double near_log(double x) {
    if (x < std::numeric_limits<double>::min()) return log_of(x);
    const auto bits = std::bit_cast<int64_t>(x);
    const int64_t exponent = (bits - std::bit_cast<int64_t>(0.7071067811865476)) >> 52;
    const double part = std::bit_cast<double>(bits - (exponent << 52));
    const double ratio = (part - 1.0) / (part + 1.0), square = ratio * ratio;
    double series = 1.0 / 13;
    for (const double odd : {11.0, 9.0, 7.0, 5.0, 3.0, 1.0}) series = series * square + 1.0 / odd;
    return static_cast<double>(exponent) * LOG_2 + 2.0 * ratio * series;
}

// n log(n), from a table where n is whole.
class Terms {
public:
    explicit Terms(std::span<const double> table)
        : table_(table), size_(static_cast<double>(table.size())) {}

    double operator()(double n) const {
        if (!(n > 0.0)) return 0.0;
        return is_in_table(n) ? whole(n) : n * log_of(n);
    }
    // Of a number in the table.
    double whole(double n) const { return table_[static_cast<size_t>(static_cast<int64_t>(n))]; }
    std::span<const double> table() const { return table_; }
    // Nearly.
    double near(double n) const {
        if (!(n > 0.0)) return 0.0;
        return is_in_table(n) ? whole(n) : n * near_log(n);
    }
    bool has(double n) const { return n < size_; }

private:
    bool is_in_table(double n) const {
        return n < size_ && static_cast<double>(static_cast<int64_t>(n)) == n;
    }

    std::span<const double> table_;
    double size_;
};

// The entropy in bits that is left of `counts`, class weights by branch.
inline double entropy_of_branches(Matrix<const double> counts, const Terms &terms) {
    double found = 0.0, total = 0.0;
    for (int64_t b = 0; b < counts.rows; ++b) {
        double weight = 0.0;
        for (const double count : counts.row(b)) {
            found += terms(count);
            weight += count;
        }
        found -= terms(weight);
        total += weight;
    }
    return std::abs(total) < SMALL ? 0.0 : -found / (total * LOG_2);
}

// The entropy in bits of the classes of all branches.
inline double entropy_of_classes(Matrix<const double> counts, const Terms &terms) {
    double found = 0.0, total = 0.0;
    for (int64_t c = 0; c < counts.columns; ++c) {
        double weight = 0.0;
        for (int64_t b = 0; b < counts.rows; ++b) weight += counts(b, c);
        found -= terms(weight);
        total += weight;
    }
    return std::abs(total) < SMALL ? 0.0 : (found + terms(total)) / (total * LOG_2);
}

}  // namespace retree::weka
