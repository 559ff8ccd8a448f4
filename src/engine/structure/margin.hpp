// BNM, the between-node margin within the same class (structure_purity, eq. 7): the mean over the
// classes in both children of the squared distance of their centroids, less a penalty. (The words
// before the formula say distance, not squared: `Weighing::squared`.)
//
// Exact centroids cost a step for each feature and row, so a candidate is first held against an
// upper bound that costs a step for each class (`Sweep`).
#pragma once

#include "structure/bins.hpp"
#include "structure/nearest.hpp"
#include "structure/purity.hpp"
#include "structure/ranking.hpp"
#include "structure/rule.hpp"

namespace retree::structure {

// Offers candidates by `omega1 * G + omega2 * BNM`, to one list for each omega2.
class MarginRanking {
public:
    MarginRanking(const Columns &columns, const Geometry &geometry, const Rule &rule);

    // Looks at a node, whose geometry is known, before its columns are ranked.
    void enter(const Node &node);
    // Offers the split of each pair column.
    void rank_pairs(const Node &node, const Geometry &geometry, std::span<RankedList> lists);
    // Offers the thresholds of all wide columns, visited in the given order.
    void rank_wide(const Node &node, std::span<const int64_t> order, const Geometry &geometry,
                   std::span<RankedList> lists);

private:
    void rank_block(const Node &node, int64_t first, const Geometry &geometry,
                    std::span<RankedList> lists);
    void add_up_block(const Node &node, int64_t first);
    double pair_penalty(const Geometry &geometry, int64_t j);
    double exact_pair_penalty(const Node &node, int64_t j);
    void rank_column(const Node &node, int64_t column, const Geometry &geometry, bool binned,
                     std::span<RankedList> lists);
    double wide_penalty(const Node &node, int64_t column, double extent, int64_t position,
                        const Geometry &geometry);
    void add_rows(const Node &node, int64_t column, int64_t position);
    bool is_hopeful(double purity, double margin, std::span<const RankedList> lists) const;
    void offer(double purity, double margin, Candidate candidate,
               std::span<RankedList> lists) const;

    static constexpr int64_t PAIR_BLOCK = 64;  // pair columns whose sums are made in one pass

    const Rule &rule_;
    double min_side_;
    Sweep sweep_;
    Bins bins_;
    Table<double> total_;  // (n_classes, n_columns) sums of the rows that were added so far
    int64_t added_ = 0;
    Table<double> block_;               // (n_classes * PAIR_BLOCK, n_columns) sums for pair columns
    std::vector<uint8_t> active_;       // pair columns of the block that are worth their sums
    std::vector<double> left_, right_;  // distances to the threshold
    std::optional<NearestClasses> nearest_;
    std::vector<uint8_t> side_;  // of each training row, if `nearest_` asks for it
};

}  // namespace retree::structure
