#include "structure/segments.hpp"

namespace retree::structure {
namespace {

constexpr int64_t UNCOUNTED = int64_t{1} << 62;  // more segments than there can be

}  // namespace

int64_t count_segments(const Packing &packing, std::span<const uint64_t> entries, int64_t limit,
                       std::vector<int64_t> &seen) {
    std::ranges::fill(seen, -2);  // the block in which each class was met last
    int64_t n_segments = 0, excluded = -1;
    const size_t n = entries.size();
    size_t i = 0;
    for (int64_t block = 0; i < n; ++block) {
        const uint64_t first = entries[i];
        int64_t n_classes = 0, n_shared = 0, shared = -1;
        for (; i < n && packing.is_same_value(entries[i], first); ++i) {
            const int32_t c = packing.label(entries[i]);
            if (seen[c] == block) continue;
            ++n_classes;
            if (seen[c] == block - 1 && c != excluded) {
                ++n_shared;
                shared = c;
            }
            seen[c] = block;
        }
        n_segments += n_classes - (n_shared > 0);
        if (n_segments >= limit) return limit;
        excluded = n_classes > 1 && n_shared == 1 ? shared : -1;
    }
    return n_segments;
}

void Segments::Child::move(const Columns &columns, std::span<const int32_t> rows, int32_t sign) {
    for (const int32_t row : rows) {
        const int32_t c = columns.y[row];
        counts[c] += sign;
        const auto bits = ones.row(c);
        for (const int32_t j : columns.set_of(row)) bits[j] += sign;
    }
}

int64_t Segments::Child::n_classes() const {
    return std::ranges::count_if(counts, [](int64_t n) { return n > 0; });
}

// The least number of segments along the pair columns that the child is not constant in; `floor` is
// its number of classes.
int64_t Segments::Child::least_of_pairs(int64_t floor) const {
    if (floor == 1) return 1;
    int64_t least = UNCOUNTED;
    for (int64_t j = 0; j < ones.columns() && least != floor; ++j) {
        int64_t low = 0, high = 0, shared = 0;
        for (int64_t c = 0; c < std::ssize(counts); ++c) {
            const bool has_high = ones(c, j) > 0, has_low = counts[c] > ones(c, j);
            low += has_low;
            high += has_high;
            shared += has_low && has_high;
        }
        if (low > 0 && high > 0) least = std::min(least, low + high - (shared > 0));
    }
    return least;
}

Segments::Segments(const Columns &columns, bool along_split)
    : columns_(columns),
      along_split_(along_split),
      none_{std::vector<int64_t>(static_cast<size_t>(columns.n_classes)),
            {columns.n_classes, columns.n_pair()}},
      member_(columns.y.size()),
      buffer_(columns.y.size()),
      seen_(static_cast<size_t>(columns.n_classes)) {}

void Segments::enter(const Node &node) {
    all_ = none_;
    all_.move(columns_, node.rows(), 1);
}

const std::vector<Sides> &Segments::measure(const Node &node, int64_t column,
                                            std::span<const int64_t> cuts) {
    found_.resize(cuts.size());
    if (along_split_ && column < columns_.n_wide()) {
        const auto values = node.entries(column);
        for (size_t i = 0; i < cuts.size(); ++i) {
            const auto n_left = static_cast<size_t>(cuts[i] + 1);
            found_[i] = {
                count_segments(columns_.packing, values.first(n_left), UNCOUNTED, seen_),
                count_segments(columns_.packing, values.subspan(n_left), UNCOUNTED, seen_)};
        }
        return found_;
    }
    rows_by_column(node, column, rows_);
    floor_.resize(cuts.size());
    const Runs runs(cuts, rows_.size());
    count_pairs(runs);
    if (along_split_) return floor_;
    count_along_wide(node, runs);
    for (size_t i = 0; i < cuts.size(); ++i)
        for (size_t side = 0; side < 2; ++side)
            if (found_[i][side] == UNCOUNTED) found_[i][side] = floor_[i][side];
    return found_;
}

// Fills `floor_` and `found_` with the classes, and the segments along pair columns, of children.
//
// The children of a cut differ from those of the next one by a run of rows. All runs but the
// longest are gone through: up to it from the front, beyond it from the back.
void Segments::count_pairs(const Runs &runs) {
    const size_t n_cuts = runs.size() - 1, longest = runs.longest();
    for (size_t near = 0; near < 2; ++near) {  // the side that is gone through
        Child own = none_, rest = all_;
        const size_t n_steps = near == 0 ? longest : n_cuts - longest;
        for (size_t step = 0; step < n_steps; ++step) {
            const size_t i = near == 0 ? step : n_cuts - 1 - step, far = 1 - near;
            const auto run = runs.of(rows_, i + near);
            own.move(columns_, run, 1);
            rest.move(columns_, run, -1);
            floor_[i][near] = own.n_classes();
            floor_[i][far] = rest.n_classes();
            found_[i][near] = own.least_of_pairs(floor_[i][near]);
            found_[i][far] = rest.least_of_pairs(floor_[i][far]);
        }
    }
}

// Lowers `found_` to the segments of the children along wide columns.
void Segments::count_along_wide(const Node &node, const Runs &runs) {
    const size_t n_cuts = runs.size() - 1;
    for (size_t side = 0; side < 2; ++side) {
        const auto is_done = [&](size_t i) { return found_[i][side] == floor_[i][side]; };
        size_t n_done = 0;
        while (n_done < n_cuts && is_done(n_done)) ++n_done;
        if (n_done == n_cuts) continue;
        for (const int32_t row : rows_) member_[row] = 0;
        // The children of a side grow, so what one of them has is a bound for the next one.
        std::vector<int64_t> lower(static_cast<size_t>(columns_.n_wide()));
        for (size_t step = 0; step < n_cuts; ++step) {
            const size_t i = side == 0 ? step : n_cuts - 1 - step;
            for (const int32_t row : runs.of(rows_, i + side)) member_[row] = 1;
            found_[i][side] = least_of_wide(node, floor_[i][side], found_[i][side], lower);
        }
    }
}

// Returns the least number of segments of a child along wide columns, or `least` if it is fewer.
// `lower` has lower bounds of the number along each column; they are tightened.
int64_t Segments::least_of_wide(const Node &node, int64_t floor, int64_t least,
                                std::vector<int64_t> &lower) {
    const auto first = std::ranges::min_element(lower) - lower.begin();
    for (int64_t step = 0; step < std::ssize(lower) && least > floor; ++step) {
        // The column of the lowest bound changes places with the first one.
        const int64_t j = step == 0 ? first : (step == first ? 0 : step);
        if (lower[j] >= least) continue;
        node.poll.check();
        size_t n = 0;
        for (const uint64_t entry : node.entries(j)) {
            buffer_[n] = entry;
            n += member_[row_of(entry)];
        }
        if (columns_.packing.is_same_value(buffer_[0], buffer_[n - 1])) {
            lower[j] = floor;  // constant, so it sorts nothing
            continue;
        }
        least = lower[j] = count_segments(columns_.packing, {buffer_.data(), n}, least, seen_);
    }
    return least;
}

}  // namespace retree::structure
