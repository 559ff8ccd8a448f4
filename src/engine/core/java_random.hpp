// Java's random numbers, which Weka shuffles and draws with.
#pragma once

#include "core/standard.hpp"

namespace retree {

// The numbers of java.util.Random.
class JavaRandom {
public:
    // Of a seed as Java's constructor takes it.
    static JavaRandom of_seed(int64_t seed) {
        return JavaRandom((static_cast<uint64_t>(seed) ^ FACTOR) & MASK);
    }
    explicit JavaRandom(uint64_t state) : state_(state) {}

    uint64_t state() const { return state_; }

    // nextInt(bound)
    int32_t below(int32_t bound) {
        if ((bound & (bound - 1)) == 0)
            return static_cast<int32_t>((static_cast<uint64_t>(bound) * next(31)) >> 31);
        while (true) {
            const auto bits = static_cast<int64_t>(next(31)), value = bits % bound;
            if (bits - value + (bound - 1) <= INT32_MAX) return static_cast<int32_t>(value);
        }
    }

    // nextDouble()
    double share() {
        // Two steps from the same state, so that the second does not wait for the first.
        const uint64_t first = (state_ * FACTOR + 0xB) & MASK;
        state_ = (state_ * (FACTOR * FACTOR) + 0xB * (FACTOR + 1)) & MASK;
        return static_cast<double>(((first >> 22) << 27) + (state_ >> 21)) * 0x1p-53;
    }

    // Shuffles as Instances.randomize does.
    void shuffle(std::span<int32_t> rows) {
        for (auto i = static_cast<int32_t>(rows.size()) - 1; i > 0; --i)
            std::swap(rows[i], rows[below(i + 1)]);
    }

private:
    static constexpr uint64_t FACTOR = 0x5DEECE66D, MASK = (uint64_t{1} << 48) - 1;

    uint64_t next(int bits) {
        state_ = (state_ * FACTOR + 0xB) & MASK;
        return state_ >> (48 - bits);
    }

    uint64_t state_;
};

}  // namespace retree
