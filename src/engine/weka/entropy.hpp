// Entropies in the order in which Weka adds them up: their last bits decide between equal tests.
#pragma once

#include "core/elementary.hpp"
#include "core/interface.hpp"
#include "core/numbers.hpp"

namespace retree::weka {

constexpr double SMALL = 1e-6;  // differences up to this are none
constexpr double LOG_2 = 0x1.62e42fefa39efp-1;

// n log(n), from a table where n is whole.
class Terms {
public:
    explicit Terms(std::span<const double> table) : table_(table) {}

    double operator()(double n) const {
        if (!(n > 0.0)) return 0.0;
        if (n < static_cast<double>(table_.size())) {
            const auto whole = static_cast<int64_t>(n);
            if (static_cast<double>(whole) == n) return table_[whole];
        }
        return n * log_of(n);
    }

private:
    std::span<const double> table_;
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
