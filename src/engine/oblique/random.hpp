// Random numbers whose stream is named by a 64-bit seed (SplitMix64; Steele, Lea, Flood 2014).
#pragma once

#include "core/standard.hpp"

namespace retree::oblique {

class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}

    // The next number in [0, 1).
    double unit() {
        state_ += STEP;
        return static_cast<double>(mixed(state_) >> 11) * 0x1p-53;
    }

    // The next number in 0, 1, ..., n - 1.
    int64_t integer(int64_t n) {
        return std::min(static_cast<int64_t>(unit() * static_cast<double>(n)), n - 1);
    }

    // Sets `numbers` to the next numbers in [-1, 1).
    void fill_with_signs(std::span<double> numbers) {
        for (double &number : numbers) number = 2.0 * unit() - 1.0;
    }

    // The seed of the left (side 0) or right (side 1) child of the node with a seed.
    static uint64_t child_seed(uint64_t seed, uint64_t side) {
        return mixed(seed + STEP * (side + 1));
    }

private:
    static constexpr uint64_t STEP = 0x9E3779B97F4A7C15;

    // A number every bit of which depends on every bit of `x`.
    static uint64_t mixed(uint64_t x) {
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
        return x ^ (x >> 31);
    }

    uint64_t state_;
};

}  // namespace retree::oblique
