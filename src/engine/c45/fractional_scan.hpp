// A pass over the sorted entries of a node where weights are not whole: some entries at a time, so
// that logarithms are taken of many numbers at once.
#pragma once

#include "c45/cut.hpp"

namespace retree::c45 {

class FractionalScan {
public:
    explicit FractionalScan(int64_t n_classes) : sides_(static_cast<size_t>(n_classes)) {}

    // Returns the test of greatest gain.
    Cut best_cut(const WeightedColumns &columns, const KnownRows &known);

private:
    static constexpr size_t BLOCK = 16;  // cuts that one bound is for
    static constexpr size_t MOST = 128;  // cuts at a time

    // Weights of a class on both sides, and the sum of their x * log2(x).
    struct Sides {
        double left, right, terms;
    };

    void start(std::span<const double> counts);
    size_t move_over(const WeightedColumns &columns, std::span<const uint64_t> entries,
                     double least);
    void add_terms(std::span<const uint64_t> entries, Packing packing);
    void set_gains(size_t first, size_t end, double best, double slack);
    double greatest(size_t first, size_t end) const;

    std::vector<Sides> sides_;  // of each class
    double left_ = 0.0, right_ = 0.0, terms_ = 0.0, offset_ = 0.0;
    // By cut: the weights of its sides, and the gain times the weight of the node.
    std::array<double, MOST> lefts_, rights_, gains_;
    // Two numbers a cut: what the class of its last entry weighs on both sides.
    std::array<double, 2 * MOST> weights_, logs_;
};

}  // namespace retree::c45
