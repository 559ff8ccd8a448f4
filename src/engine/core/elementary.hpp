// Logarithms, exponentials, powers and normal quantiles that are the same on every machine.
//
// libm's differ in the last bit from one processor and version to another. These are computed with
// twice the precision and then rounded, so that they are the nearest doubles but for one argument
// in some 2^40.
#pragma once

#include "core/standard.hpp"

namespace retree {

// Of a positive number; -infinity of 0, NaN of a negative one.
double log_of(double x);
double log2_of(double x);

// Of a whole number above 0; small ones are looked up.
double log2_of_whole(size_t n);

// Of two numbers, in little more time than of one.
std::array<double, 2> log2_of_both(std::array<double, 2> x);

// Of many numbers, in less time than one by one.
void log2_of_all(std::span<const double> x, std::span<double> logs) noexcept;

double exp_of(double x);

// Of a positive base.
double power_of(double base, double exponent);

// The number that a standard normal variable exceeds with a chance of 1 - `share`, which is from
// 0.5 to 1.
double normal_quantile(double share);

}  // namespace retree
