// The tolerance of C4.5, of its growing and of its pruning, as in J48.
#pragma once

namespace retree {

constexpr double TOLERANCE = 1e-6;  // numbers closer are equal, and a weight below it is none

}  // namespace retree
