// Ranked lists of the best split candidates of a node.
//
// Ties have a rule: greatest score, then lowest feature, then lowest threshold. Scores are compared
// after rounding to 37 bits (7e-12), so that candidates whose scores are equal in exact arithmetic
// are tied in floating point too, however their sums were added up.
#pragma once

#include "core/numbers.hpp"

namespace retree::structure {

struct Candidate {
    double score;
    int64_t column;
    int64_t feature;
    int64_t position;  // of the last entry, relative to the node's start, that goes left
    double n_left;     // weight of what goes left
};

inline bool stands_before(const Candidate &a, const Candidate &b) {
    return a.feature != b.feature ? a.feature < b.feature : a.position < b.position;
}

class RankedList {
public:
    // Empties the list; a list of which nothing is wanted takes no candidate.
    void clear(int64_t wanted) {
        candidates_.clear();
        wanted_ = static_cast<size_t>(wanted);
        cut_ = wanted > 0 ? -INF : INF;
    }

    // The score that a candidate must reach to be worth offering.
    double cut() const { return cut_; }

    std::span<const Candidate> candidates() const { return candidates_; }
    bool empty() const { return candidates_.empty(); }

    // Puts a candidate into the list if it is among the wanted best.
    void offer(Candidate candidate) {
        candidate.score = rounded(candidate.score);
        if (candidates_.size() == wanted_) {
            if (!is_better(candidate, candidates_.back())) return;
        } else {
            candidates_.push_back(candidate);
        }
        size_t place = candidates_.size() - 1;
        for (; place > 0 && is_better(candidate, candidates_[place - 1]); --place)
            candidates_[place] = candidates_[place - 1];
        candidates_[place] = candidate;
        if (candidates_.size() == wanted_) {
            const double worst = candidates_.back().score;
            cut_ = worst - std::abs(worst) * TIE_WIDTH;
        }
    }

private:
    static constexpr double TIE_WIDTH = 0x1p-36;

    static bool is_better(const Candidate &a, const Candidate &b) {
        return a.score != b.score ? a.score > b.score : stands_before(a, b);
    }

    std::vector<Candidate> candidates_;
    size_t wanted_ = 0;
    double cut_ = INF;
};

}  // namespace retree::structure
