// How many errors C4.5 expects of a leaf (Quinlan 1993, chapter 4).
#pragma once

#include "core/elementary.hpp"
#include "core/interface.hpp"

namespace retree {

// The confidence of error-based pruning and the normal quantile of its complement.
struct Confidence {
    explicit Confidence(double confidence)
        : share(checked(confidence)), z(normal_quantile(1.0 - share)) {}

    double share;
    double z;

private:
    // The quantile of a share below 0 has no end.
    static double checked(double confidence) {
        require(0.0 < confidence && confidence <= 0.5,
                "The engine needs a confidence above 0 and up to 0.5.");
        return confidence;
    }
};

// Returns how far the upper confidence limit of the errors lies above `errors`. The limit is that
// of a binomial share, by the normal approximation with continuity correction; exact for no error,
// and linear between none and one.
double added_errors(double total, double errors, Confidence confidence);

// Returns the pessimistic number of errors of a leaf with class weights `counts`.
double estimated_errors(std::span<const double> counts, Confidence confidence);

// Returns the training errors of a leaf.
double training_errors(std::span<const double> counts);

}  // namespace retree
