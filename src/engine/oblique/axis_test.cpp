// The best axis-parallel test of a node, by one pass over its sorted columns.
#include <algorithm>

#include "oblique/test_choice.hpp"

namespace retree::oblique {

double middle(double low, double high) {
    // The sum of halves stays finite.
    const double value = low / 2 + high / 2;
    return value >= high ? low : value;
}

AxisTest best_axis_test(const Data &data, int64_t start, int64_t end, const Measure &measure,
                        Poll &poll) {
    std::vector<double> left(measure.totals.size());
    AxisTest best;
    double bar = NONE;
    for (int64_t j = 0; j < data.X.columns; ++j) {
        poll.check();
        std::fill(left.begin(), left.end(), 0.0);
        const auto rows = data.sorted_rows(j, start, end);
        double next = data.X(rows[0], j);
        for (size_t i = 0; i + 1 < rows.size(); ++i) {
            left[data.y[rows[i]]] += 1.0;
            const double value = next;
            next = data.X(rows[i + 1], j);
            if (value == next) continue;
            const double score = measure.goodness(left.data(), static_cast<double>(i + 1));
            if (score > bar) {
                best = {j, middle(value, next), score};
                bar = score + TIE * measure.n;
            }
        }
    }
    return best;
}

}  // namespace retree::oblique
