#include "pruning/placed_rows.hpp"

namespace retree {
namespace {

constexpr int64_t ROWS_OF_TASK = 4 * Descent::N_ROWS;
constexpr int64_t STEPS = 16;      // that a row is taken to go down
constexpr double ROUNDING = 1e-6;  // relative; more than 2^31 sums can lose

// How many rows go down together after some: enough for threads to share, and hardly too many.
int64_t rows_at_once(int64_t n_before) {
    return std::max(n_before / 4 / Descent::N_ROWS, int64_t{1}) * Descent::N_ROWS;
}

}  // namespace

PlacedRows::PlacedRows(const Sample &sample, const Draft &draft, Confidence &confidence,
                       std::span<const int32_t> placed, std::span<const int32_t> n_rows,
                       int64_t n_threads)
    : sample_(sample),
      draft_(draft),
      team_(n_threads, std::ssize(sample.rows) / ROWS_OF_TASK),
      confidence_(confidence),
      descent_(draft),
      row_(placed.empty() ? std::vector(sample.rows.begin(), sample.rows.end())
                          : std::vector(placed.begin(), placed.end())),
      old_row_(row_.size()),
      leaf_(row_.size()),
      range_(draft.test.size()),
      counts_(draft.counts.size()),
      bound_(draft.test.size()),
      bound_now_(draft.test.size()),
      majority_(draft.test.size()) {
    range_[0] = {0, std::ssize(row_)};
    placed.empty() ? place(0) : take(n_rows);
}

// Takes the rows as they stand.
void PlacedRows::take(std::span<const int32_t> n_rows) {
    counts_ = draft_.counts;
    for (int32_t node = 0; node < draft_.tests.n_nodes(); ++node) {
        if (draft_.is_leaf(node)) set_bound(node);
        int64_t start = range_[node].start;
        for (const int32_t child : draft_.tests.children_of(node)) {
            range_[child] = {start, start + n_rows[child]};
            start += n_rows[child];
        }
    }
}

void PlacedRows::raise(int32_t node, int32_t top) {
    descent_.raise(node, top);
    place(node);
}

// Puts the rows of a node into the leaves below it, which may be others than before.
void PlacedRows::place(int32_t node) {
    const std::vector<int32_t> below = draft_.below(node);
    group_by_leaf(node, below);
    for (const int32_t each : below) std::ranges::fill(counts_of(each), 0.0);
    for (int64_t i = range_[node].start; i < range_[node].end; ++i)
        counts_of(leaf_[i])[sample_.y[old_row_[i]]] += sample_.weight[old_row_[i]];
    for (size_t k = below.size(); k-- > 0;) {
        if (draft_.is_leaf(below[k])) set_bound(below[k]);
        for (const int32_t child : draft_.children_of(below[k]))
            std::ranges::transform(counts_of(below[k]), counts_of(child),
                                   counts_of(below[k]).begin(), std::plus());
    }
}

// Moves the rows of a node into the order of the leaves below it.
void PlacedRows::group_by_leaf(int32_t node, std::span<const int32_t> below) {
    const auto [start, end] = range_[node];
    for (const int32_t each : below) range_[each] = {0, 0};
    std::copy(row_.begin() + start, row_.begin() + end, old_row_.begin() + start);
    find_leaves(start, end, node);
    for (int64_t i = start; i < end; ++i) ++range_[leaf_[i]].end;
    int64_t place = start;
    for (const int32_t each : below) {
        const int64_t n = range_[each].end;
        range_[each] = {place, place};
        place += n;
    }
    for (int64_t i = start; i < end; ++i) row_[range_[leaf_[i]].end++] = old_row_[i];
    for (size_t k = below.size(); k-- > 0;)
        if (!draft_.is_leaf(below[k]))
            range_[below[k]].end = range_[draft_.children_of(below[k]).back()].end;
}

// Finds the leaves below a node of some rows.
void PlacedRows::find_leaves(int64_t start, int64_t end, int32_t top) {
    const int64_t n_tasks = (end - start + ROWS_OF_TASK - 1) / ROWS_OF_TASK;
    team_.share(n_tasks, STEPS * (end - start), [&](int64_t, int64_t task) {
        const int64_t first = start + task * ROWS_OF_TASK;
        const auto n = static_cast<size_t>(std::min(ROWS_OF_TASK, end - first));
        descent_.find_leaves(sample_.X, std::span(row_).subspan(static_cast<size_t>(first), n), top,
                             std::span(leaf_).subspan(static_cast<size_t>(first), n));
    });
}

// Adds a row to its leaf. Returns by how much the lower bound of the leaf's errors rises.
double PlacedRows::add(int64_t i) {
    const int32_t leaf = leaf_[i], label = sample_.y[row_[i]];
    prefetch(sample_.y.data() + ahead(i));
    prefetch(sample_.weight.data() + ahead(i));
    const auto counts = counts_of(leaf);
    counts[label] += sample_.weight[row_[i]];
    if (label == majority_[leaf]) return 0.0;
    if (counts[label] > counts[majority_[leaf]]) majority_[leaf] = label;
    const double before = bound_now_[leaf];
    bound_now_[leaf] = confidence_.lower_bound_of(counts);
    return bound_now_[leaf] - before;
}

// Once the estimate for the leaves with some of the rows is above the limit, the others need not go
// down.
double PlacedRows::errors_if_raised(int32_t node, int32_t top, double limit) {
    bound_[node] = 0.0;
    for (const int32_t child : draft_.children_of(node)) bound_[node] += bound_[child];
    double errors = bound_[top];
    const double enough = limit + ROUNDING * limit;
    const std::array others{Range{range_[node].start, range_[top].start},
                            Range{range_[top].end, range_[node].end}};
    std::array<int64_t, 2> added{others[0].start, others[1].start};
    int64_t n_added = 0;
    for (size_t side = 0; side < others.size(); ++side)
        while (added[side] < others[side].end && errors < enough) {
            const int64_t start = added[side];
            added[side] = std::min(start + rows_at_once(n_added), others[side].end);
            n_added += added[side] - start;
            find_leaves(start, added[side], top);
            for (int64_t i = start; i < added[side]; ++i) errors += add(i);
        }
    if (errors < enough) errors = errors_of_leaves(top, limit);
    for (size_t side = 0; side < others.size(); ++side)
        for (int64_t i = others[side].start; i < added[side]; ++i) {
            prefetch(sample_.y.data() + ahead(i));
            prefetch(sample_.weight.data() + ahead(i));
            counts_of(leaf_[i])[sample_.y[row_[i]]] -= sample_.weight[row_[i]];
            bound_now_[leaf_[i]] = bound_[leaf_[i]];
        }
    return errors;
}

double PlacedRows::errors_of_leaves(int32_t top, double limit) {
    double errors = 0.0;
    stack_ = {top};
    while (!stack_.empty() && errors < limit) {
        const int32_t node = stack_.back();
        stack_.pop_back();
        if (draft_.is_leaf(node)) errors += confidence_.errors_of(counts_of(node));
        const auto children = draft_.children_of(node);
        stack_.insert(stack_.end(), children.begin(), children.end());
    }
    return errors;
}

}  // namespace retree
