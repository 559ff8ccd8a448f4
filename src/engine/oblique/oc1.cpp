#include "oblique/oc1.hpp"

namespace retree::oblique {
namespace {

constexpr int64_t STAGNANT_TRIES = 10;
constexpr int64_t RANDOM_STEPS = 50;

}  // namespace

OC1Search::OC1Search(const NodeSample &sample, std::span<const double> start,
                     const Climbing &climbing, uint64_t seed, Poll &poll)
    : sample_(sample),
      climbing_(climbing),
      random_(seed),
      plane_(sample, start, poll),
      target_(sample.measure.greatest_goodness() - TIE * sample.measure.n),
      weights_(start.size()),
      direction_(sample.n()) {
    for (size_t m = 0; m + 1 < start.size(); ++m) {
        const auto [low, high] = std::ranges::minmax(sample.z(m));
        corners_.emplace_back(low, high);
    }
}

std::vector<double> OC1Search::search() {
    std::vector<double> best = plane_.weights;
    double most = NONE;
    for (int64_t r = 0; r <= climbing_.n_restarts && !(most >= target_); ++r) {
        if (r > 0) draw_plane();
        improve();
        if (plane_.gains_over(most)) {
            best = plane_.weights;
            most = plane_.score;
        }
    }
    return best;
}

// Climbs, and jumps from where no coefficient helps until as many jumps in a row have failed.
void OC1Search::improve() {
    plane_.place();
    climb();
    int64_t n_failed = 0;
    while (n_failed < climbing_.max_jumps && plane_.score < target_) {
        if (jump()) {
            climb();
            n_failed = 0;
        } else {
            ++n_failed;
        }
    }
    // Anew from the coefficients, without the rounding errors of the steps.
    plane_.place();
}

// Draws coefficients from [-1, 1), and a point of the sample's box that is on the hyperplane.
void OC1Search::draw_plane() {
    random_.fill_with_signs(plane_.weights);
    double &constant = plane_.weights.back();
    constant = 0.0;
    for (size_t m = 0; m < corners_.size(); ++m) {
        const auto [low, high] = corners_[m];
        constant -= plane_.weights[m] * (low + random_.unit() * (high - low));
    }
}

// Sets the direction that the weights make; returns the mean of its absolute values.
RETREE_VECTOR double OC1Search::find_direction() noexcept {
    std::fill(direction_.begin(), direction_.end(), 0.0);
    for (size_t m = 0; m < weights_.size(); ++m) {
        const auto z = sample_.z(m);
        for (size_t i = 0; i < direction_.size(); ++i) direction_[i] += weights_[m] * z[i];
    }
    double sum = 0.0;
    for (const double d : direction_) sum += std::abs(d);
    return sum / static_cast<double>(direction_.size());
}

// Takes the best step in a random direction if it is a gain; returns whether it is.
bool OC1Search::jump() {
    random_.fill_with_signs(weights_);
    const double mean = find_direction();
    const Step step = plane_.try_line(direction_, mean, false);
    if (!step.exists()) return false;
    for (size_t m = 0; m < weights_.size(); ++m) plane_.weights[m] += step.size * weights_[m];
    plane_.take_step(direction_, step);
    return true;
}

void OC1Search::climb() {
    if (climbing_.order == Order::SEQUENTIAL) climb_in_sequence();
    if (climbing_.order == Order::BEST_FIRST) climb_best_first();
    if (climbing_.order == Order::RANDOM) climb_at_random();
}

// Perturbs one coefficient after the other until none of them changes; the constant is first.
void OC1Search::climb_in_sequence() {
    const size_t n_weights = plane_.weights.size();
    size_t m = n_weights - 1, n_unchanged = 0;
    int64_t tries = 0;
    while (n_unchanged < n_weights && plane_.score < target_) {
        const auto [changed, gains] = perturb(m, may_stagnate(tries));
        n_unchanged = changed ? 0 : n_unchanged + 1;
        tries = gains ? 0 : tries + 1;
        m = m + 1 < n_weights ? m + 1 : 0;
    }
}

// Perturbs the coefficient that gains most, the first of tied ones, until it does not change.
void OC1Search::climb_best_first() {
    const double slack = TIE * sample_.measure.n;
    int64_t tries = 0;
    while (plane_.score < target_) {
        const bool stagnant = may_stagnate(tries);
        size_t best = 0;
        double most = NONE;
        for (size_t m = 0; m < plane_.weights.size(); ++m) {
            const Step step = plane_.try_weight(m, stagnant);
            if (step.reached > most + slack) {
                best = m;
                most = step.reached;
            }
        }
        if (most == NONE) break;
        tries = perturb(best, stagnant).gains ? 0 : tries + 1;
    }
}

// Perturbs coefficients that are drawn at random, a fixed number of times.
void OC1Search::climb_at_random() {
    int64_t tries = 0;
    for (int64_t step = 0; step < RANDOM_STEPS && plane_.score < target_; ++step) {
        const auto m = random_.integer(static_cast<int64_t>(plane_.weights.size()));
        const bool stagnant = may_stagnate(tries);
        tries = perturb(static_cast<size_t>(m), stagnant).gains ? 0 : tries + 1;
    }
}

// Whether a step without gain may be taken; a tenth less likely with each one tried.
bool OC1Search::may_stagnate(int64_t tries) {
    if (tries >= STAGNANT_TRIES) return false;
    const double share = static_cast<double>(tries) / STAGNANT_TRIES;
    return random_.unit() < climbing_.stagnation * (1.0 - share);
}

// Gives a coefficient its best value.
OC1Search::Perturbed OC1Search::perturb(size_t m, bool stagnant) {
    const double before = plane_.score;
    const Step step = plane_.try_weight(m, stagnant);
    if (!step.exists()) return {false, false};
    plane_.weights[m] += step.size;
    plane_.take_step(sample_.z(m), step);
    return {true, plane_.gains_over(before)};
}

}  // namespace retree::oblique
