// OC1's search for an oblique test: climbs from several hyperplanes, and random jumps (Murthy,
// Kasif and Salzberg 1994, figures 3 and 4).
#pragma once

#include "oblique/node_sample.hpp"
#include "oblique/plane.hpp"
#include "oblique/random.hpp"

namespace retree::oblique {

enum class Order : int64_t { SEQUENTIAL, BEST_FIRST, RANDOM };

struct Climbing {
    Order order;
    int64_t n_restarts;
    int64_t max_jumps;
    double stagnation;
};

class OC1Search {
public:
    OC1Search(const NodeSample &sample, std::span<const double> start, const Climbing &climbing,
              uint64_t seed, Poll &poll);

    // Returns the coefficients of a hyperplane of great goodness, the constant term last; of tied
    // hyperplanes that of the first climb. The first climb begins at `start`, others at random.
    std::vector<double> search();

private:
    struct Perturbed {
        bool changed;
        bool gains;
    };

    void improve();
    double find_direction() noexcept;
    bool jump();
    void draw_plane();
    void climb();
    void climb_in_sequence();
    void climb_best_first();
    void climb_at_random();
    bool may_stagnate(int64_t tries);
    Perturbed perturb(size_t m, bool stagnant);

    const NodeSample &sample_;
    Climbing climbing_;
    Random random_;
    Plane plane_;
    double target_;  // goodness that cannot be exceeded
    std::vector<double> weights_, direction_;
    std::vector<std::pair<double, double>> corners_;  // least and greatest value of each feature
};

}  // namespace retree::oblique
