#include "oblique/cart_lc.hpp"

namespace retree::oblique {
namespace {

constexpr double SHIFTS[] = {-0.25, 0.0, 0.25};

}  // namespace

CartLCSearch::CartLCSearch(const NodeSample &sample, std::span<const double> start,
                           const Cycling &cycling, Poll &poll)
    : sample_(sample),
      cycling_(cycling),
      plane_(sample, start, poll),
      target_(sample.measure.greatest_goodness() - TIE * sample.measure.n),
      work_(sample.n()),
      used_(start.size() - 1) {
    std::iota(used_.begin(), used_.end(), size_t{0});
}

std::vector<double> CartLCSearch::search() {
    plane_.place();
    cycle();
    if (cycling_.elimination > 0.0) {
        std::erase_if(used_, [this](size_t m) { return plane_.weights[m] == 0.0; });
        if (eliminate()) cycle();
    }
    return plane_.weights;
}

// Perturbs the used features in turn, then the constant, until a whole cycle is no gain.
void CartLCSearch::cycle() {
    for (int64_t c = 0; c < cycling_.max_cycles && plane_.score < target_; ++c) {
        const double before = plane_.score;
        for (const size_t m : used_) perturb(m);
        perturb_constant();
        if (!plane_.gains_over(before)) break;
    }
}

// Takes the best step among those along z(m) plus one of three shifts, if it is a gain.
void CartLCSearch::perturb(size_t m) {
    const auto z = sample_.z(m);
    const auto point_to = [&](double shift) {
        for (size_t i = 0; i < work_.size(); ++i) work_[i] = z[i] + shift;
    };
    Step best;
    double best_shift = 0.0;
    for (const double shift : SHIFTS) {
        point_to(shift);
        const Step step = plane_.try_line(work_, sample_.mean[m], false);
        if (step.reached > best.reached + TIE * sample_.measure.n) {
            best = step;
            best_shift = shift;
        }
    }
    if (!best.exists()) return;
    point_to(best_shift);
    plane_.weights[m] += best.size;
    plane_.weights.back() += best.size * best_shift;
    plane_.take_step(work_, best);
}

// Takes the best step of the constant term if it is a gain.
void CartLCSearch::perturb_constant() {
    const size_t m = plane_.weights.size() - 1;
    const Step step = plane_.try_line(sample_.z(m), 1.0, false);
    if (!step.exists()) return;
    plane_.weights[m] += step.size;
    plane_.take_step(sample_.z(m), step);
}

// Drops features, the least important first, as long as that costs little; returns whether one was
// dropped. The cost of a feature is the goodness that is lost without it; it is little if it is
// less than beta times that of the most important one.
bool CartLCSearch::eliminate() {
    bool any_dropped = false;
    while (used_.size() > 1) {
        std::vector<double> cost;
        for (const size_t m : used_) cost.push_back(plane_.score - goodness_without(m));
        const auto least = std::min_element(cost.begin(), cost.end());
        const double most = *std::max_element(cost.begin(), cost.end());
        if (!(*least < cycling_.elimination * most)) break;
        const auto dropped = used_.begin() + (least - cost.begin());
        plane_.weights[*dropped] = 0.0;
        used_.erase(dropped);
        plane_.place();
        plane_.score = NONE;
        perturb_constant();
        any_dropped = true;
    }
    return any_dropped;
}

// The goodness of the best hyperplane that lacks a feature but differs in no other coefficient, all
// constants tried.
double CartLCSearch::goodness_without(size_t m) {
    const auto z = sample_.z(m);
    double mean = 0.0;
    for (size_t i = 0; i < work_.size(); ++i) {
        work_[i] = plane_.value[i] - plane_.weights[m] * z[i];
        mean += std::abs(work_[i]);
    }
    mean /= static_cast<double>(work_.size());
    return plane_.best_of_constant(work_, std::max(mean, 1e-100));
}

}  // namespace retree::oblique
