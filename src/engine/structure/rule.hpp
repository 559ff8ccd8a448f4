// How a node is split, and when it is not.
#pragma once

#include "core/interface.hpp"

namespace retree::structure {

// The numbers are those of retree/trees/structure/growing.py.
enum class RankBy : int64_t { PURITY, MARGIN, GAIN_RATIO, HELLINGER };
// The best of the ranking, or of the k best the one of least CSN, of least expected segments or
// segments in total, or of the greatest blend of the ranking with expected segments, which are
// normalised in either way.
enum class Take : int64_t { FIRST, COMPACT, EXPECTED, TOTAL, BLEND_RANGE, BLEND_RATIO };
enum class Penalty : int64_t { NONE, WITHIN, ACROSS };

// How purity and BNM make the score of a candidate.
struct Weighing {
    double omega1;
    std::span<const double> omega2;  // one for each ranked list
    Penalty penalty;
    bool squared;  // square the distance of the centroids, as eq. 7 does

    int64_t n_lists() const { return std::ssize(omega2); }
};

struct Rule {
    RankBy rank_by;
    Take take;
    std::span<const int64_t> list_of;  // the ranked list that each point chooses from
    std::span<const int64_t> k;        // of each point
    std::span<const double> alpha;     // of each point, the weight of the ranking in a blend
    Weighing weighing;
    bool scale_by_child;
    Matrix<const int8_t> codes;  // (n_classes, n_dichotomies)
    bool along_split;            // count segments along the feature of the split alone
    bool rank_breaks_ties;       // of the second measure; otherwise feature and threshold do
    int64_t min_samples_leaf;    // a node of no more rows is a leaf
    int64_t least_ranked;        // rows of the smaller child of a candidate
    int64_t least_taken;         // the same of the split that is chosen; with fewer there is none
    int64_t max_depth;

    int64_t n_points() const { return std::ssize(k); }
    bool needs_distances() const { return rank_by == RankBy::MARGIN || take == Take::COMPACT; }
};

}  // namespace retree::structure
