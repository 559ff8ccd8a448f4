#include "core/descent.hpp"

namespace retree {
// Reading a block in order takes less time than waiting for its lines one by one on the way down.
bool are_known(Matrix<const double> rows) {
    std::array<double, 8> sums{};
    const double *const end = rows.data + rows.rows * rows.columns;
    const double *at = rows.data;
    for (; end - at >= std::ssize(sums); at += sums.size())
        for (size_t k = 0; k < sums.size(); ++k) sums[k] += at[k];
    if (std::isfinite(std::accumulate(at, end, std::accumulate(sums.begin(), sums.end(), 0.0))))
        return true;
    require(std::none_of(rows.data, end, [](double number) { return std::isinf(number); }),
            "Input X contains infinity or a value too large for dtype('float64').");
    return false;
}

Descent::Descent(const Tests &tests) : tests_(tests) {
    nodes_.reserve(tests.feature.size());
    for (int32_t at = 0; at < tests.n_nodes(); ++at) {
        const int32_t number = number_of(at), j = tests.feature[number];
        const double threshold = tests.threshold[number];
        const bool is_plain = j >= 0 && !std::isnan(threshold) && !tests.has_missing_branch(number);
        other_.push_back(is_plain || j == LEAF ? -1 : number);
        nodes_.push_back(is_plain ? Node{threshold, j, first_of(number)} : stop_at(at));
    }
    has_others_ = std::ranges::count(other_, -1) < std::ssize(other_);
}

std::span<const int32_t> Descent::ends_of(Matrix<const double> rows, bool are_known) {
    const auto n = static_cast<int32_t>(rows.rows);
    for (int32_t i = 0; i < n; ++i) row_[i] = rows.row(i).data();
    return are_known ? descend<true>(n, 0) : descend<false>(n, 0);
}

std::span<const int32_t> Descent::leaves_of(Matrix<const double> X, std::span<const int32_t> rows,
                                            int32_t top) {
    for (size_t i = 0; i < rows.size(); ++i) row_[i] = X.row(rows[i]).data();
    return descend<true>(static_cast<int32_t>(rows.size()), top);
}

template <bool IS_KNOWN>
std::span<const int32_t> Descent::descend(int32_t n, int32_t top) {
    const int32_t n_rows = n;
    for (int32_t i = 0; i < n; ++i) {
        at_[i] = top;
        index_[i] = i;
    }
    const int32_t n_steps = has_others_ ? 1 : N_STEPS;  // no waiting at tests of other kinds
    for (int32_t n_left = 0; n > 0; n = n_left, n_left = 0) {
        for (int32_t step = 0; step < n_steps; ++step)
            for (int32_t k = 0; k < n; ++k) at_[k] = below<IS_KNOWN>(at_[k], row_[k]);
        if (has_others_)
            for (int32_t k = 0; k < n; ++k) at_[k] = past_others(at_[k], row_[k]);
        for (int32_t k = 0; k < n; ++k) {
            const int32_t at = at_[k], i = index_[k];
            const double *row = row_[k];
            ends_[i] = at;
            at_[n_left] = at;
            index_[n_left] = i;
            row_[n_left] = row;
            n_left += IS_KNOWN ? nodes_[at].first != at : has_side(at, row);
        }
    }
    for (int32_t i = 0; i < n_rows; ++i) ends_[i] = number_of(ends_[i]);
    return std::span(ends_).first(static_cast<size_t>(n_rows));
}

int32_t Descent::past_others(int32_t at, const double *row) const {
    while (other_[at] >= 0) {
        const int32_t branch = tests_.branch_at(row, other_[at]);
        if (branch == MISSING) break;
        at = first_of(other_[at]) + branch;
    }
    return at;
}

}  // namespace retree
