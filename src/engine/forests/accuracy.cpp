
#include "core/numbers.hpp"
#include "forests/contribution.hpp"

namespace retree::forests {
namespace {

class AccuracyThinner {
public:
    explicit AccuracyThinner(const Thinning &state)
        : state_(state),
          rows_(state.rows),
          is_right_(state.y.size()),
          is_moved_(state.y.size()),
          moved_(static_cast<size_t>(state.shares.rows * state.shares.columns)) {
        for (size_t row = 0; row < is_right_.size(); ++row) is_right_[row] = errs_not(row);
    }

    void thin_tree(int64_t tree) {
        const double weight = state_.tree_weight[tree];
        const auto nodes = state_.nodes_in_use(tree);
        for (auto v = nodes.rbegin(); v != nodes.rend(); ++v) {
            if (state_.cut[*v] != 0 || rows_.is_leaf(*v) || gained(*v, weight) < 0) continue;
            state_.cut[*v] = 1;
            state_.make_leaf(*v, weight);
            for (int64_t e = rows_.begin(*v); e < rows_.end(*v); ++e)
                is_right_[rows_.row[e]] = errs_not(static_cast<size_t>(rows_.row[e]));
        }
    }

private:
    uint8_t errs_not(size_t row) const {
        const auto shares = state_.shares.row(static_cast<int64_t>(row));
        return static_cast<int64_t>(first_greatest(shares)) == state_.y[row] ? 1 : 0;
    }

    // Returns how many more rows the forest is right on if `node` becomes a leaf.
    int64_t gained(int64_t node, double weight) {
        const Matrix<double> moved{moved_.data(), state_.shares.rows, state_.shares.columns};
        const auto after = state_.value.row(node);
        for (int64_t e = rows_.begin(node); e < rows_.end(node); ++e) {
            const auto before = state_.value.row(state_.ends[e]);
            const double by = weight * rows_.part[e];
            double *by_class = moved.row(rows_.row[e]).data();
            is_moved_[rows_.row[e]] = 1;
            for (size_t k = 0; k < after.size(); ++k) by_class[k] += by * (after[k] - before[k]);
        }
        int64_t n = 0;
        // A row that is divided has several entries and is counted at the first.
        for (int64_t e = rows_.begin(node); e < rows_.end(node); ++e) {
            const int32_t row = rows_.row[e];
            if (is_moved_[row] == 0) continue;
            is_moved_[row] = 0;
            const auto shares = moved.row(row);
            const auto now = state_.shares.row(row);
            for (size_t k = 0; k < now.size(); ++k) shares[k] = now[k] + shares[k];
            const bool is_right = static_cast<int64_t>(first_greatest(shares)) == state_.y[row];
            n += (is_right ? 1 : 0) - is_right_[row];
            std::fill(shares.begin(), shares.end(), 0.0);
        }
        return n;
    }

    const Thinning &state_;
    const ForestRows &rows_;
    std::vector<uint8_t> is_right_;
    std::vector<uint8_t> is_moved_;
    std::vector<double> moved_;  // what the shares of each row move by; zeros between uses
};

}  // namespace

void thin_by_accuracy(const Thinning &state, Poll &poll) {
    AccuracyThinner thinner(state);
    for (int64_t tree = 0; tree < state.rows.n_trees(); ++tree) {
        poll.check();
        thinner.thin_tree(tree);
    }
}

}  // namespace retree::forests
