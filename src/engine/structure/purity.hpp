// Gini purity of split candidates: G = 1 - weighted Gini of the children; larger is better.
#pragma once

#include "core/criteria.hpp"
#include "structure/columns.hpp"
#include "structure/ranking.hpp"

namespace retree::structure {

// The sums of squared class counts left and right of a threshold that moves up through a node.
class MovingSquares {
public:
    explicit MovingSquares(std::span<const int64_t> counts) {
        for (const int64_t n : counts) all_ += n * n;
    }
    // Moves one row of a class to the left; `n_left` of the class are there already.
    void move(int64_t n_left, int64_t n_class) {
        left_ += 2 * n_left + 1;
        cross_ += n_class;
    }
    int64_t left() const { return left_; }
    int64_t right() const { return all_ - 2 * cross_ + left_; }

private:
    int64_t all_ = 0;
    int64_t left_ = 0;
    int64_t cross_ = 0;  // sum over the classes of the left count times the count of the node
};

// Offers every threshold of a wide column; `left` is scratch of a number for each class.
void rank_wide_by_purity(const Node &node, int64_t column, std::span<const int64_t> counts,
                         std::span<int64_t> left, int64_t min_side, RankedList &list);

// Counts, by class, the rows of a node with the larger value of each pair column.
void count_pairs(const Node &node, Table<int32_t> &ones);

struct PairSplit {
    int64_t n_left = 0;
    int64_t n_right = 0;
    int64_t squares_left = 0;
    int64_t squares_right = 0;

    double purity() const { return Purity(squares_left, n_left, squares_right, n_right).value(); }
    bool is_large_enough(int64_t min_side) const {
        return std::min(n_left, n_right) >= std::max<int64_t>(1, min_side);
    }
};

// The only split of pair column `j`.
PairSplit pair_split(std::span<const int64_t> counts, const Table<int32_t> &ones, int64_t j);

// Offers the split of each pair column that is not constant in the node.
void rank_pairs_by_purity(const Columns &columns, std::span<const int64_t> counts,
                          const Table<int32_t> &ones, int64_t min_side, RankedList &list);

}  // namespace retree::structure
