// How many errors C4.5 expects of a leaf (Quinlan 1993, chapter 4).
#pragma once

#include "core/elementary.hpp"
#include "core/tests.hpp"

namespace retree {

// A confidence of error-based pruning.
class Confidence {
public:
    explicit Confidence(double confidence)
        : share_(checked(confidence)), z_(normal_quantile(1.0 - share_)) {}

    // Returns the pessimistic number of errors of a leaf with class weights `counts`.
    double errors_of(std::span<const double> counts);
    // Returns a lower bound of `errors_of` for whole weights to which any others are added.
    double lower_bound_of(std::span<const double> counts);

private:
    // The quantile of a share below 0 has no end.
    static double checked(double confidence) {
        require(0.0 < confidence && confidence <= 0.5,
                "The engine needs a confidence above 0 and up to 0.5.");
        return confidence;
    }

    double added_errors(double total, double errors);
    double limit_of_none(double total);
    double normal_bound(double total, double errors) const;

    double share_, z_;
    // Limits of no error among so many rows, negative where not yet computed.
    std::vector<double> of_none_;
};

// Marks the nodes that err as a leaf no more in training than the leaves below them.
void mark_collapsible(const Tests &tests, Matrix<const double> counts, std::span<uint8_t> marked);

// Returns the training errors of a leaf.
double training_errors(std::span<const double> counts);

}  // namespace retree
