// A hyperplane in a node's sample, and steps along a line of its coefficients.
#pragma once

#include "oblique/line_search.hpp"
#include "oblique/node_sample.hpp"

namespace retree::oblique {

// A step along a line: the goodness after it, NONE if there is no step, and its size.
struct Step {
    double reached = NONE;
    double size = 0.0;

    bool exists() const { return reached != NONE; }
};

class Plane {
public:
    Plane(const NodeSample &sample, std::span<const double> start, Poll &poll);
    Plane(const Plane &) = delete;

    // Scales the coefficients to at most 1 and computes everything else from them.
    void place() noexcept;

    // Finds the best step along a line, to the middle between the two rows of the best cut.
    //
    // direction: what the rows have in the direction. mean: about the mean of its absolute values.
    // stagnant: whether a step to a hyperplane that is only as good as this one counts.
    Step try_line(std::span<const double> direction, double mean, bool stagnant);
    Step try_weight(size_t m, bool stagnant) {
        return try_line(sample.z(m), sample.mean[m], stagnant);
    }

    // Moves the rows' values; the coefficients are the caller's.
    void take_step(std::span<const double> direction, const Step &step) noexcept;

    // Goodness of the best hyperplane of these values of the rows, whatever the constant is.
    double best_of_constant(std::span<const double> values, double width);

    bool gains_over(double before) const { return score > before + TIE * sample.measure.n; }

    const NodeSample &sample;
    std::vector<double> weights;  // the constant term last
    std::vector<double> value;    // weights @ z; at most 0 on the left
    double score = 0.0;           // goodness

private:
    double goodness_after(std::span<const double> direction, double step) noexcept;
    double weighted_goodness_after(std::span<const double> direction, double step);

    Poll &poll_;
    LineSearch line_;
    std::vector<double> counts_;
    double spread_ = 0.0;  // about the mean of abs(value)
};

}  // namespace retree::oblique
