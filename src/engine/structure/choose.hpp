// Choosing the split of a node: candidates are ranked, a second measure takes one of the best.
#pragma once

#include "structure/compactness.hpp"
#include "structure/frequency.hpp"
#include "structure/margin.hpp"
#include "structure/segments.hpp"

namespace retree::structure {

constexpr int64_t NO_SPLIT = -1;

struct Split {
    int64_t column = NO_SPLIT;
    int64_t position = NO_SPLIT;

    bool operator==(const Split &) const = default;
};

class Chooser {
public:
    Chooser(const Columns &columns, const Rule &rule);

    // Returns the split that each of the points takes for a node of these class counts; of other
    // points it says nothing.
    const std::vector<Split> &choose(const Node &node, std::span<const double> counts,
                                     std::span<const uint8_t> points);

private:
    // A candidate of any list, which is measured once.
    struct Measured {
        int64_t column;
        int64_t position;
        double n_left;
        double value;

        auto key() const { return std::pair(column, position); }
    };

    void clear_lists(std::span<const uint8_t> points);
    void rank(const Node &node);
    std::vector<int64_t> purest_first(const Node &node);
    void measure_ranked(const Node &node);
    void measure_cuts(const Node &node, std::span<Measured> candidates);
    double segment_score(const Sides &segments, double n_left) const;
    std::vector<double> values_of(std::span<const Candidate> candidates, double alpha) const;
    size_t best_of(std::span<const Candidate> candidates, double alpha) const;
    int64_t last_left(const Node &node, const Measured &candidate) const;

    const Columns &columns_;
    const Rule &rule_;
    Geometry geometry_;
    std::vector<RankedList> lists_;
    std::vector<Measured> measured_;  // by column and position
    std::vector<double> left_;
    std::optional<MarginRanking> margin_;
    std::optional<GainRatio> gain_ratio_;
    std::optional<Compactness> compactness_;
    std::optional<Segments> segments_;
    std::vector<Split> chosen_;
};

}  // namespace retree::structure
