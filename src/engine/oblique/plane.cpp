#include "oblique/plane.hpp"

namespace retree::oblique {
namespace {

constexpr size_t SAMPLE = 64;
constexpr double LARGEST_STEP = 1e100;

// About the mean of the absolute values, from a sample of them.
double spread(std::span<const double> value) {
    const size_t stride = 1 + value.size() / SAMPLE;
    double total = 0.0;
    for (size_t i = 0; i < value.size(); i += stride) total += std::abs(value[i]);
    return total * static_cast<double>(stride) / static_cast<double>(value.size());
}

}  // namespace

Plane::Plane(const NodeSample &node, std::span<const double> start, Poll &poll)
    : sample(node),
      weights(start.begin(), start.end()),
      value(node.n()),
      poll_(poll),
      line_(node),
      counts_(node.totals.size()) {}

RETREE_VECTOR void Plane::place() noexcept {
    double largest = 0.0;
    for (const double weight : weights) largest = std::max(largest, std::abs(weight));
    for (double &weight : weights) weight /= largest;
    std::fill(value.begin(), value.end(), weights.back());
    for (size_t m = 0; m + 1 < weights.size(); ++m) {
        const double weight = weights[m];
        if (weight == 0.0) continue;
        const auto z = sample.z(m);
        for (size_t i = 0; i < value.size(); ++i) value[i] += weight * z[i];
    }
    score = goodness_after(value, 0.0);
    spread_ = spread(value);
}

Step Plane::try_line(std::span<const double> direction, double mean, bool stagnant) {
    poll_.check();
    const double slack = TIE * sample.measure.n;
    const double bar = stagnant ? score - slack : score + slack;
    const double width = std::max(spread_, 1.0 / LARGEST_STEP) / std::max(mean, 1.0 / LARGEST_STEP);
    const Cut cut = line_.search(value, direction, width, bar);
    if (cut.below < 0) return {};
    const double low = -value[cut.below] / direction[cut.below];
    const double high = -value[cut.above] / direction[cut.above];
    const double size = 0.5 * low + 0.5 * high;
    // Rounding may put rows on the other side, so what counts is the hyperplane as it will be.
    const double reached = goodness_after(direction, size);
    if (reached < bar || !(std::abs(size) <= LARGEST_STEP)) return {};
    return {reached, size};
}

RETREE_VECTOR void Plane::take_step(std::span<const double> direction, const Step &step) noexcept {
    for (size_t i = 0; i < value.size(); ++i) value[i] += step.size * direction[i];
    score = step.reached;
    spread_ = spread(value);
}

double Plane::best_of_constant(std::span<const double> values, double width) {
    poll_.check();
    return line_.search(values, sample.z(weights.size() - 1), width, NONE).goodness;
}

RETREE_VECTOR double Plane::goodness_after(std::span<const double> direction,
                                           double step) noexcept {
    if (sample.is_weighted()) return weighted_goodness_after(direction, step);
    int64_t n_left = 0;
    for (size_t c = 0; c < counts_.size(); ++c) {
        int64_t n_class = 0;
        for (int64_t i = sample.first[c]; i < sample.first[c + 1]; ++i)
            n_class += value[i] + step * direction[i] <= 0.0;
        counts_[c] = static_cast<double>(n_class);
        n_left += n_class;
    }
    return sample.measure.goodness(counts_.data(), static_cast<double>(n_left));
}

double Plane::weighted_goodness_after(std::span<const double> direction, double step) {
    std::ranges::fill(counts_, 0.0);
    for (size_t i = 0; i < value.size(); ++i)
        if (value[i] + step * direction[i] <= 0.0) counts_[sample.label[i]] += sample.weight(i);
    return sample.measure.goodness(counts_.data(), sum_of(counts_));
}

}  // namespace retree::oblique
