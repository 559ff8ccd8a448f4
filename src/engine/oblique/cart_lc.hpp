// CART-LC's search for an oblique test (Breiman et al., section 5.2; Murthy et al., figure 2).
#pragma once

#include "core/interface.hpp"
#include "oblique/node_sample.hpp"
#include "oblique/plane.hpp"

namespace retree::oblique {

struct Cycling {
    int64_t max_cycles;
    double elimination;  // beta, 0 for none
};

class CartLCSearch {
public:
    CartLCSearch(const NodeSample &sample, std::span<const double> start, const Cycling &cycling,
                 Poll &poll);

    // Returns the coefficients of a hyperplane of great goodness, the constant term last; the
    // search begins at `start`.
    std::vector<double> search();

private:
    void cycle();
    void perturb(size_t m);
    void perturb_constant();
    bool eliminate();
    double goodness_without(size_t m);

    const NodeSample &sample_;
    Cycling cycling_;
    Plane plane_;
    double target_;  // goodness that cannot be exceeded
    std::vector<double> work_;
    std::vector<size_t> used_;  // features, ascending
};

}  // namespace retree::oblique
