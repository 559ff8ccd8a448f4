// The runs into which ascending cuts part a sequence.
#pragma once

#include "core/standard.hpp"

namespace retree::structure {

class Runs {
public:
    // A cut at position i ends a run behind i; the last run ends at `n`.
    Runs(std::span<const int64_t> cuts, size_t n) : edges_(cuts.size() + 2) {
        for (size_t i = 0; i < cuts.size(); ++i) edges_[i + 1] = static_cast<size_t>(cuts[i] + 1);
        edges_.back() = n;
        for (size_t i = 1; i < size(); ++i)
            if (length(i) > length(longest_)) longest_ = i;
    }

    size_t size() const { return edges_.size() - 1; }
    size_t longest() const { return longest_; }

    std::span<const int32_t> of(std::span<const int32_t> rows, size_t i) const {
        return rows.subspan(edges_[i], length(i));
    }

private:
    size_t length(size_t i) const { return edges_[i + 1] - edges_[i]; }

    std::vector<size_t> edges_;
    size_t longest_ = 0;
};

}  // namespace retree::structure
