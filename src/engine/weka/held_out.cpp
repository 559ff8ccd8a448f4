#include "weka/held_out.hpp"

namespace retree::weka {
namespace {

// Puts the rows of a class together, as swapping leaves them (Instances.stratify).
void group_classes(std::span<int32_t> rows, std::span<const int32_t> y) {
    for (size_t start = 1; start < rows.size(); ++start) {
        const int32_t label = y[rows[start - 1]];
        for (size_t j = start; j < rows.size(); ++j)
            if (y[rows[j]] == label) std::swap(rows[start++], rows[j]);
    }
}

// Returns every folds-th row from the first on, then from the second on.
std::vector<int32_t> dealt(std::span<const int32_t> rows, size_t folds) {
    std::vector<int32_t> found;
    found.reserve(rows.size());
    for (size_t first = 0; first < std::min(folds, rows.size()); ++first)
        for (size_t i = first; i < rows.size(); i += folds) found.push_back(rows[i]);
    return found;
}

}  // namespace

HeldOut hold_out(std::span<const int32_t> rows, std::span<const int32_t> y, int64_t folds,
                 int64_t seed, bool holds_out) {
    JavaRandom random = JavaRandom::of_seed(seed);
    std::vector<int32_t> all(rows.begin(), rows.end());
    random.shuffle(all);
    group_classes(all, y);
    const auto n_folds = static_cast<size_t>(folds);
    all = dealt(all, n_folds);
    if (!holds_out) return {std::move(all), {}};
    const auto n_held = static_cast<int64_t>(all.size() / n_folds + (all.size() % n_folds > 0));
    HeldOut found{{all.begin() + n_held, all.end()}, {all.begin(), all.begin() + n_held}};
    random.shuffle(found.grown);
    return found;
}

}  // namespace retree::weka
