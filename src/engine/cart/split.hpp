// CART's choice of a split, and which rows it sends left.
//
// Of all splits the one of greatest gain is taken; of tied ones that of the lowest feature, then
// the lowest threshold.
#pragma once

#include "cart/levels.hpp"
#include "cart/node.hpp"
#include "cart/pairs.hpp"
#include "cart/scan.hpp"
#include "core/team.hpp"
#include "core/weighted_columns.hpp"

namespace retree::cart {

struct Split {
    int64_t column = -1;    // numeric columns first, then the nominal ones; -1 for none
    int64_t position = -1;  // of the last entry on the left, in a numeric column
    double gain = -INF;     // per unit of the node's weight
};

// What all that grow parts of one tree share.
struct Training {
    Training(const WeightedColumns &columns, const Sample &sample, const Rule &rule);

    const WeightedColumns &columns;
    const Sample &sample;
    const Rule &rule;
    XLog2X xlog2x;
    Pairs pairs;
};

class Splitter {
public:
    Splitter(const Training &training, Team &team, Poll &poll);

    // Returns the best split of a node with the given sums.
    Split choose(int64_t start, int64_t end, std::span<const double> sums);

    // Marks the rows of the chosen split in `goes_left`; returns how many go left. Rows without a
    // value, and levels that do not occur, go with the heavier child; left in a tie.
    int64_t mark_left(int64_t start, int64_t end, const Split &split);

    const uint8_t *goes_left() const { return goes_left_.data(); }

    // The sorted column that the marked split leaves in order, -1 if there is none.
    int64_t in_order() const { return in_order_; }

    // Adds the bits of the levels that the marked split of a nominal column sends left.
    void add_left_levels(const Split &split, std::vector<uint8_t> &bits) const;

private:
    // What a member of the team searches with.
    struct Searcher {
        SubsetSearch subsets;
        ScanScratch scratch;
        Known known;
    };

    // The best subset of the levels of a nominal column that occur in the node.
    struct Levels {
        std::vector<int32_t> found;
        std::vector<uint8_t> goes_left;
        double gain;
    };

    void choose_threshold(int64_t start, int64_t end, Split &chosen);
    void cut_pairs(std::span<const int32_t> rows);
    Cut best_cut(std::span<const uint64_t> segment, Searcher &searcher) const;
    Cut scan_known(std::span<const uint64_t> entries, Searcher &searcher) const;
    void choose_subset(int64_t start, int64_t end, Split &chosen);
    void mark_pair(std::span<const int32_t> rows, int64_t column);
    int64_t mark_threshold(std::span<const uint64_t> segment, int64_t position);
    int64_t mark_levels(std::span<const int32_t> rows, int64_t column);

    const WeightedColumns &columns_;
    const Sample &sample_;
    const Rule &rule_;
    const XLog2X &xlog2x_;
    const Pairs &pairs_;
    Team &team_;
    Poll silent_ = Poll::silent();
    std::vector<Searcher> searchers_;  // of each member
    Known everything_;
    std::vector<int32_t> n_rare_;       // of the columns of two values
    std::vector<Cut> cuts_;             // of each numeric column
    std::vector<Levels> levels_;        // of each nominal column
    std::vector<uint8_t> goes_left_;    // by row
    std::vector<uint8_t> left_levels_;  // whether levels of the chosen column that occur go left
    uint8_t goes_other_ = 0;            // where all others go
    int64_t n_level_bytes_;
    int64_t in_order_ = -1;
};

}  // namespace retree::cart
