#include "core/descent.hpp"

namespace retree {

Descent::Descent(const Tests &tests) : tests_(tests) {
    nodes_.reserve(tests.feature.size());
    for (int32_t node = 0; node < tests.n_nodes(); ++node)
        nodes_.push_back(node_of(number_of(node)));
}

Descent::Node Descent::node_of(int32_t number) const {
    const int32_t j = tests_.feature[number];
    const double threshold = tests_.threshold[number];
    const int32_t first = tests_.children_ptr[number] + 1;
    if (j == LEAF) return {std::numeric_limits<double>::quiet_NaN(), 0, first};
    const bool is_plain = j >= 0 && !std::isnan(threshold) && !tests_.has_missing_branch(number);
    return {threshold, is_plain ? j : OTHER, first};
}

std::span<const int32_t> Descent::ends_of(Matrix<const double> rows) {
    const auto n_rows = static_cast<int32_t>(rows.rows);
    for (int32_t i = 0; i < n_rows; ++i) walking_[i] = {i, 0};
    for (int32_t n = n_rows, n_left = 0; n > 0; n = n_left, n_left = 0)
        for (int32_t k = 0; k < n; ++k) {
            const auto [i, at] = walking_[k];
            const double *row = rows.data + i * rows.columns;
            const Node node = nodes_[at];  // a copy, as the stores below might be to it
            int32_t branch, goes_on;       // numbers, since truth values made compilers jump
            if (node.feature >= 0) {
                const double value = row[node.feature];
                branch = value > node.threshold;
                goes_on = branch + (value <= node.threshold);
            } else {
                branch = tests_.branch_at(row, number_of(at));
                goes_on = branch != MISSING;
            }
            ends_[i] = at;
            walking_[n_left] = {i, node.first + branch};
            n_left += goes_on;
        }
    for (int32_t i = 0; i < n_rows; ++i) ends_[i] = number_of(ends_[i]);
    return std::span(ends_).first(static_cast<size_t>(rows.rows));
}

}  // namespace retree
