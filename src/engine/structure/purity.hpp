// Gini purity of split candidates: G = 1 - weighted Gini of the children; larger is better.
#pragma once

#include "core/criteria.hpp"
#include "structure/columns.hpp"
#include "structure/ranking.hpp"

namespace retree::structure {

// The purity of a threshold that moves up through a node. Squares of weights are not exact, as
// those of numbers of rows are: they are added up anew for each threshold.
class MovingPurity {
public:
    MovingPurity(const ExactWeights &weight, std::span<const double> counts,
                 std::span<const double> left)
        : weight_(weight), counts_(counts), left_(left) {
        for (const double n : counts) {
            n_ += n;
            all_ += n * n;
        }
    }
    // Tells of a row of a class that is about to move to the left; returns its weight.
    double move(int32_t row, int32_t c) {
        const double w = weight_[row];
        squares_ += 2.0 * left_[c] + 1.0;
        cross_ += counts_[c];
        n_left_ += w;
        return w;
    }
    double n_left() const { return n_left_; }
    bool is_large_enough(double min_side) const {
        return n_left_ >= min_side && n_ - n_left_ >= min_side;
    }
    Purity purity() const {
        const double n_right = n_ - n_left_;
        if (!weight_.differ()) return {squares_, n_left_, all_ - 2.0 * cross_ + squares_, n_right};
        const auto [left, right] = squares_of(left_, counts_);
        return {left, n_left_, right, n_right};
    }

private:
    const ExactWeights &weight_;
    std::span<const double> counts_, left_;
    double n_ = 0.0, n_left_ = 0.0;
    // Of numbers of rows: sums of squares of the node and of the left, and the sum over the classes
    // of the left count times the count of the node.
    double all_ = 0.0, squares_ = 0.0, cross_ = 0.0;
};

// Offers every threshold of a wide column; `left` is scratch of a number for each class.
void rank_wide_by_purity(const Node &node, int64_t column, std::span<const double> counts,
                         std::span<double> left, double min_side, RankedList &list);

// Weighs, by class, the rows of a node with the larger value of each pair column.
void count_pairs(const Node &node, Table<double> &ones);

struct PairSplit {
    double n_left = 0.0;
    double n_right = 0.0;
    double squares_left = 0.0;
    double squares_right = 0.0;

    double purity() const { return Purity(squares_left, n_left, squares_right, n_right).value(); }
    bool is_large_enough(double min_side) const {
        const double least = std::min(n_left, n_right);
        return least > 0.0 && least >= min_side;
    }
};

// The only split of pair column `j`.
PairSplit pair_split(std::span<const double> counts, const Table<double> &ones, int64_t j);

// Offers the split of each pair column that is not constant in the node.
void rank_pairs_by_purity(const Columns &columns, std::span<const double> counts,
                          const Table<double> &ones, double min_side, RankedList &list);

}  // namespace retree::structure
