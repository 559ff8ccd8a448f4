// Parts of growing by structure and purity, by themselves.
#include "testing/structure_parts.h"

#include "structure/frequency.hpp"
#include "structure/segments.hpp"

using namespace retree;
using namespace retree::structure;

int32_t retree_structure_frequency(const retree_array *counts, const retree_array *left,
                                   retree_array *scores) {
    return guarded([&] {
        const auto all = vector_of<const double>(counts, "counts");
        const auto own = vector_of<const double>(left, "left", std::ssize(all));
        for (size_t c = 0; c < all.size(); ++c)
            require(own[c] >= 0.0 && own[c] <= all[c] && all[c] <= 1e6,
                    "The engine needs left within counts.");
        const auto found = vector_of<double>(scores, "scores", 2);
        const double n = sum_of(all), n_left = sum_of(own);
        found[0] = GainRatio(0)(all, own, n, n_left);
        found[1] = Hellinger()(all, own, n, n_left);
    });
}

int32_t retree_structure_segments(const retree_array *values, const retree_array *y,
                                  int64_t n_classes, int64_t limit, retree_array *found) {
    return guarded([&] {
        const auto codes = vector_of<const int64_t>(values, "values");
        const Packing packing = packing_of(n_classes, std::ssize(codes));
        const auto labels = codes_of<const int32_t>(y, std::ssize(codes), n_classes);
        std::vector<uint64_t> entries;
        for (size_t i = 0; i < codes.size(); ++i)
            entries.push_back(packing.pack(static_cast<uint64_t>(codes[i]), labels[i], 0));
        std::vector<int64_t> seen(static_cast<size_t>(n_classes));
        vector_of<int64_t>(found, "found", 1)[0] = count_segments(packing, entries, limit, seen);
    });
}
