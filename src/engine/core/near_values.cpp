#include "core/near_values.hpp"

namespace retree {
namespace {

constexpr size_t NEAR_BLOCK = 64, FEW_NEAR = 16;  // values

// Counts for values those among the ones that follow them that are near; returns whether any is.
RETREE_VECTOR bool add_near(const double *values, const double *following,
                            uint64_t *__restrict n_near) noexcept {
    uint64_t is_any = 0;
    for (size_t i = 0; i < NEAR_BLOCK; ++i) {
        const uint64_t is_one = is_near(values[i], following[i]);
        n_near[i] += is_one;
        is_any |= is_one;
    }
    return is_any != 0;
}

}  // namespace

// Near values stand together. So those of a block that have a few are counted all at once: whether
// the next one is near, then the one after it.
void count_near(std::span<const double> values, uint64_t most, std::span<uint64_t> n_near) {
    std::ranges::fill(n_near, 0);
    const size_t n = values.size();
    size_t far = 0;
    for (size_t start = 0; start < n; start += NEAR_BLOCK) {
        const size_t end = std::min(start + NEAR_BLOCK, n);
        const size_t n_steps = end + FEW_NEAR <= n && end - start == NEAR_BLOCK ? FEW_NEAR : 0;
        size_t step = 0;
        while (step < n_steps && add_near(values.data() + start, values.data() + start + step + 1,
                                          n_near.data() + start))
            ++step;
        for (size_t i = start; i < end; ++i) {
            if (n_near[i] == n_steps) {
                far = std::max(far, i + n_steps + 1);
                while (far < n && is_near(values[i], values[far])) ++far;
                n_near[i] = far - i - 1;
            }
            n_near[i] = std::min(n_near[i], most);
        }
    }
}

}  // namespace retree
