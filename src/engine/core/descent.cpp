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
        is_other_.push_back(!is_plain && j != LEAF);
        nodes_.push_back(is_plain ? Node{threshold, j, first_of(number)}
                                  : Node{std::numeric_limits<double>::quiet_NaN(), 0, at});
    }
    has_others_ = std::count(is_other_.begin(), is_other_.end(), 1) > 0;
}

std::span<const int32_t> Descent::ends_of(Matrix<const double> rows, bool are_known) {
    are_known ? descend<true>(rows) : descend<false>(rows);
    return std::span(ends_).first(static_cast<size_t>(rows.rows));
}

template <bool IS_KNOWN>
void Descent::descend(Matrix<const double> rows) {
    auto n = static_cast<int32_t>(rows.rows), n_left = 0;
    for (int32_t i = 0; i < n; ++i) {
        at_[i] = 0;
        index_[i] = i;
        row_[i] = rows.row(i).data();
    }
    const int32_t n_steps = has_others_ ? 1 : N_STEPS;  // no waiting at tests of other kinds
    for (; n > 0; n = n_left, n_left = 0) {
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
    for (int32_t i = 0; i < rows.rows; ++i) ends_[i] = number_of(ends_[i]);
}

int32_t Descent::past_others(int32_t at, const double *row) const {
    while (is_other_[at] != 0) {
        const int32_t number = number_of(at);
        const int32_t branch = tests_.branch_at(row, number);
        if (branch == MISSING) break;
        at = first_of(number) + branch;
    }
    return at;
}

}  // namespace retree
