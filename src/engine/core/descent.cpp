#include "core/descent.hpp"

namespace retree {
namespace {

// How far ahead to ask for rows that are read in order, as a processor does so by itself only to
// the end of a page.
constexpr uintptr_t BYTES_AHEAD = 8192;

}  // namespace

// Reading a block in order takes less time than waiting for its lines one by one on the way down.
bool are_known(Matrix<const double> rows) {
    std::array<double, 8> sums{};
    const double *const end = rows.data + rows.rows * rows.columns;
    const double *at = rows.data;
    for (; end - at >= std::ssize(sums); at += sums.size()) {
        prefetch(reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(at) + BYTES_AHEAD));
        for (size_t k = 0; k < sums.size(); ++k) sums[k] += at[k];
    }
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

std::span<const int32_t> Descent::ends_of(Matrix<const double> rows, bool are_known,
                                          Block &block) const {
    const auto n = static_cast<int32_t>(rows.rows);
    for (int32_t i = 0; i < n; ++i) block.row[i] = rows.row(i).data();
    return are_known ? descend<true>(block, n, 0) : descend<false>(block, n, 0);
}

std::span<const int32_t> Descent::leaves_of(Matrix<const double> X, std::span<const int32_t> rows,
                                            int32_t top, Block &block) const {
    for (size_t i = 0; i < rows.size(); ++i) block.row[i] = X.row(rows[i]).data();
    return descend<true>(block, static_cast<int32_t>(rows.size()), top);
}

template <bool IS_KNOWN>
std::span<const int32_t> Descent::descend(Block &block, int32_t n, int32_t top) const {
    const int32_t n_rows = n;
    auto &[at, index, ends, row] = block;
    for (int32_t i = 0; i < n; ++i) {
        at[i] = top;
        index[i] = i;
    }
    // The last of those that step together may be no row of their own.
    for (int32_t i = n; i % N_TOGETHER != 0; ++i) {
        at[i] = top;
        row[i] = row[0];
    }
    const int32_t n_steps = has_others_ ? 1 : N_STEPS;  // no waiting at tests of other kinds
    for (int32_t n_left = 0; n > 0; n = n_left, n_left = 0) {
        for (int32_t step = 0; step < n_steps; ++step)
            for (int32_t k = 0; k < n; k += N_TOGETHER)
                for (int32_t l = k; l < k + N_TOGETHER; ++l) at[l] = below<IS_KNOWN>(at[l], row[l]);
        if (has_others_)
            for (int32_t k = 0; k < n; ++k) at[k] = past_others(at[k], row[k]);
        for (int32_t k = 0; k < n; ++k) {
            const int32_t place = at[k], i = index[k];
            const double *values = row[k];
            ends[i] = place;
            at[n_left] = place;
            index[n_left] = i;
            row[n_left] = values;
            n_left += IS_KNOWN ? nodes_[place].first != place : has_side(place, values);
        }
    }
    for (int32_t i = 0; i < n_rows; ++i) ends[i] = number_of(ends[i]);
    return std::span(ends).first(static_cast<size_t>(n_rows));
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
