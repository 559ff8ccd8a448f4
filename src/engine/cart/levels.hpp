// CART's best subset of the levels of a nominal column.
//
// A subset is a mask over the levels that occur in the node, in the order of their codes. The first
// of them is always in it. Of tied subsets the one is taken that reads as the smallest binary
// number, the first level being the lowest digit.
#pragma once

#include "cart/criteria.hpp"
#include "cart/node.hpp"
#include "core/interface.hpp"

namespace retree::cart {

class SubsetSearch {
public:
    // Reserves memory for columns of up to `max_levels` levels.
    SubsetSearch(int64_t max_levels, int64_t n_sums, const Sample &sample, const Rule &rule,
                 const XLog2X &xlog2x, Poll &poll);

    // Returns the gain of the best subset of the rows' level codes, per unit of the node's weight;
    // -inf if there is none. The subset is left in `found` and `best`.
    double find(std::span<const int32_t> rows, std::span<const int32_t> codes,
                const Known &everything);

    // The levels that occur, ascending, and which of them are in the subset.
    std::span<const int32_t> found() const { return found_; }
    std::span<const uint8_t> best() const { return best_; }

private:
    // A subset as a number whose bits are the levels, or as the side of a cut of the ranked levels.
    struct Subset {
        int64_t mask;  // -1 for a cut
        int64_t cut;
    };

    void sum_levels(std::span<const int32_t> rows, std::span<const int32_t> codes, double centre);
    void sum_found();
    void clear();
    bool is_inside(int64_t level, Subset subset) const;
    bool is_best(int64_t level) const;
    void offer(double gain, Subset subset);
    void settle();
    void offer_if_allowed(int64_t n_left, Subset subset);
    void move(int64_t level, double sign);
    void try_all();
    void try_cuts();
    void try_means();
    void try_classes(std::span<const int64_t> classes);
    void try_unions();
    void refine();
    bool improve(int64_t &n_left);

    std::span<double> sums_of(int64_t level) {
        return {sums_.data() + found_[level] * n_sums_, static_cast<size_t>(n_sums_)};
    }
    int64_t rows_of(int64_t level) const { return rows_[found_[level]]; }
    int64_t n_found() const { return static_cast<int64_t>(found_.size()); }

    const Sample &sample_;
    const Rule &rule_;
    const XLog2X &xlog2x_;
    Poll &poll_;
    int64_t n_sums_;
    Known known_;
    std::vector<double> sums_;   // of each level by its code, zero between uses
    std::vector<int64_t> rows_;  // likewise
    std::vector<int32_t> found_;
    std::vector<double> key_;
    std::vector<int32_t> order_, rank_;
    std::vector<uint8_t> best_;
    std::optional<Subset> newest_;  // the best one, until it is written to `best_`
    double best_gain_ = 0.0;        // the greatest gain, which that of `best_` is tied with
    std::vector<double> left_;
};

}  // namespace retree::cart
