// Growing an ID3 or C4.5 tree: many branches, rows without a value divided over all of them.
#include <algorithm>
#include <limits>
#include <memory>

#include "c45/split.hpp"
#include "c45/thresholds.hpp"
#include "core/guard.hpp"
#include "core/result.hpp"
#include "core/tests.hpp"
#include "retree/c45.h"

namespace retree::c45 {
namespace {

// Columns with memory of their own, for rows that went to two branches and have another weight in
// each: they are numbered anew.
struct OwnColumns {
    std::vector<uint64_t> entries;
    std::vector<int32_t> rows, y, codes, origin;
    std::vector<double> weight;
    WeightedColumns view;
};

using Columns = std::shared_ptr<const WeightedColumns>;

struct Pending {
    Columns columns;  // none of a node that stays a leaf
    int64_t start, end, depth, parent;
    std::vector<double> counts;
};

struct Records {
    std::vector<int32_t> parent, feature, level;
    std::vector<double> threshold, counts;

    int64_t add(int64_t above, std::span<const double> weights) {
        parent.push_back(static_cast<int32_t>(above));
        feature.push_back(LEAF);
        level.push_back(-1);
        threshold.push_back(std::numeric_limits<double>::quiet_NaN());
        counts.insert(counts.end(), weights.begin(), weights.end());
        return static_cast<int64_t>(parent.size()) - 1;
    }
};

// What a test makes of the rows of a node.
struct Branches {
    std::vector<double> counts;   // (n_branches, n_classes), rows without a value divided
    std::vector<double> share;    // part of a row without a value that each branch gets
    std::vector<int64_t> n_rows;  // rows with a value

    int64_t size() const { return static_cast<int64_t>(n_rows.size()); }
    bool is_divided() const {
        return std::any_of(share.begin(), share.end(), [](double part) { return part != 0.0; });
    }
};

class Grower {
public:
    Grower(const WeightedColumns &columns, const Rule &rule)
        : root_(columns),
          rule_(rule),
          chooser_(columns, rule),
          thresholds_(columns),
          branch_(columns.y.size()),
          row_buffer_(columns.y.size()),
          goes_left_(columns.y.size()),
          buffer_(columns.rows.size()) {}

    Records grow();

private:
    void expand(Pending node);
    void describe(const WeightedColumns &columns, const Node &node, int64_t column, int64_t number);
    int64_t assign(const WeightedColumns &columns, const Node &node, int64_t column);
    Branches count_branches(const WeightedColumns &columns, const Node &node, int64_t n) const;
    void partition(const WeightedColumns &columns, const Node &node, int64_t sorted_column,
                   const std::vector<uint8_t> &stays, std::span<const int64_t> n_rows);
    Columns copied(const WeightedColumns &columns, const Node &node, int32_t b, double share);
    bool is_terminal(std::span<const double> counts, int64_t depth) const;

    const WeightedColumns &root_;
    Rule rule_;
    Chooser chooser_;
    Thresholds thresholds_;
    Records records_;
    std::vector<Pending> stack_;
    Poll poll_;
    std::vector<int32_t> branch_;  // of each row of a node, -1 where the tested value is missing
    std::vector<int32_t> row_buffer_;
    std::vector<uint8_t> goes_left_;
    std::vector<uint64_t> buffer_;
};

Records Grower::grow() {
    std::vector<double> counts(static_cast<size_t>(root_.n_classes));
    for (const int32_t row : root_.rows) counts[root_.y[row]] += root_.weight[row];
    // The root is the caller's.
    const Columns columns(&root_, [](const WeightedColumns *) {});
    stack_.push_back({columns, 0, root_.n_rows(), 0, -1, std::move(counts)});
    while (!stack_.empty()) {
        poll_.check();
        Pending node = std::move(stack_.back());
        stack_.pop_back();
        expand(std::move(node));
    }
    thresholds_.settle(root_, records_.threshold);
    return std::move(records_);
}

// Records a node and puts its branches on the stack.
void Grower::expand(Pending pending) {
    const int64_t number = records_.add(pending.parent, pending.counts);
    if (is_terminal(pending.counts, pending.depth)) return;
    const WeightedColumns &columns = *pending.columns;
    const Node node{pending.start, pending.end, pending.counts, sum_of(pending.counts)};
    const int64_t column = chooser_.choose(columns, node);
    if (column < 0) return;
    describe(columns, node, column, number);
    const int64_t n = assign(columns, node, column);
    const Branches branches = count_branches(columns, node, n);
    const int64_t depth = pending.depth + 1;
    std::vector<uint8_t> stays;
    const auto counts_of = [&](int64_t b) {
        return std::span(branches.counts).subspan(b * columns.n_classes, columns.n_classes);
    };
    for (int64_t b = 0; b < n; ++b) stays.push_back(is_terminal(counts_of(b), depth));
    const bool is_divided = branches.is_divided();
    if (!is_divided && std::count(stays.begin(), stays.end(), 0) > 0)
        partition(columns, node, column, stays, branches.n_rows);
    int64_t end = node.end;
    for (int64_t b = n - 1; b >= 0; --b) {
        const int64_t start = end - branches.n_rows[b];
        Pending child{pending.columns, start, end, depth, number, {}};
        child.counts.assign(counts_of(b).begin(), counts_of(b).end());
        end = start;
        if (stays[b]) {
            child.columns.reset();
        } else if (is_divided) {
            child.columns = copied(columns, node, static_cast<int32_t>(b), branches.share[b]);
            child.start = 0;
            child.end = child.columns->n_rows();
        }
        stack_.push_back(std::move(child));
    }
}

// Whether a node is a leaf whatever its tests: pure, small, or at the greatest depth.
bool Grower::is_terminal(std::span<const double> counts, int64_t depth) const {
    const double total = sum_of(counts);
    if (total < 2 * rule_.min_cases - TOLERANCE || depth >= rule_.max_depth) return true;
    return total - *std::max_element(counts.begin(), counts.end()) < TOLERANCE;
}

// Turns the leaf `number` of the records into a test.
void Grower::describe(const WeightedColumns &columns, const Node &node, int64_t column,
                      int64_t number) {
    const int64_t place = chooser_.test(column).place;
    if (column >= columns.n_numeric()) {
        records_.feature[number] = columns.nominal[column - columns.n_numeric()];
        if (rule_.binary_splits) records_.level[number] = static_cast<int32_t>(place);
        return;
    }
    const auto segment = columns.segment(column, node.start, node.end);
    records_.feature[number] = columns.numeric[column];
    records_.threshold[number] =
        thresholds_.note(columns, column, segment[place], segment[place + 1], number);
}

// Sets the branch of each row of a node; returns the number of branches.
int64_t Grower::assign(const WeightedColumns &columns, const Node &node, int64_t column) {
    const int64_t n_numeric = columns.n_numeric(), place = chooser_.test(column).place;
    if (column < n_numeric) {
        int64_t i = 0;
        for (const uint64_t entry : columns.segment(column, node.start, node.end))
            branch_[row_of(entry)] = columns.packing.is_missing(entry) ? -1 : i++ > place;
        return 2;
    }
    const auto codes = columns.codes.row(column - n_numeric);
    for (const int32_t row : columns.segment_rows(node.start, node.end)) {
        const int32_t code = codes[row];
        branch_[row] = rule_.binary_splits && code >= 0 ? code != place : code;
    }
    return rule_.binary_splits ? 2 : columns.n_levels[column - n_numeric];
}

Branches Grower::count_branches(const WeightedColumns &columns, const Node &node, int64_t n) const {
    const int64_t n_classes = columns.n_classes;
    Branches branches{std::vector<double>(static_cast<size_t>(n * n_classes)),
                      std::vector<double>(static_cast<size_t>(n)),
                      std::vector<int64_t>(static_cast<size_t>(n))};
    std::vector<double> missing(static_cast<size_t>(n_classes));
    bool has_missing = false;
    for (const int32_t row : columns.segment_rows(node.start, node.end)) {
        const int32_t b = branch_[row], c = columns.y[row];
        if (b < 0) {
            missing[c] += columns.weight[row];
            has_missing = true;
        } else {
            branches.counts[b * n_classes + c] += columns.weight[row];
            ++branches.n_rows[b];
        }
    }
    if (!has_missing) return branches;
    for (int64_t b = 0; b < n; ++b)
        branches.share[b] = sum_of(std::span(branches.counts).subspan(b * n_classes, n_classes));
    const double known = sum_of(branches.share);
    for (int64_t b = 0; b < n; ++b) {
        double &share = branches.share[b];
        share /= known;
        if (share <= TOLERANCE) share = 0.0;
        for (int64_t c = 0; c < n_classes; ++c)
            branches.counts[b * n_classes + c] += share * missing[c];
    }
    return branches;
}

// Moves the rows of a node to its branches. In the columns, but for one that is in order already,
// the order in a branch that stays a leaf may be lost.
void Grower::partition(const WeightedColumns &columns, const Node &node, int64_t sorted_column,
                       const std::vector<uint8_t> &stays, std::span<const int64_t> n_rows) {
    const auto rows = columns.segment_rows(node.start, node.end);
    std::vector<int64_t> places(n_rows.size());
    if (n_rows.size() == 2)
        for (const int32_t row : rows) goes_left_[row] = branch_[row] == 0;
    for (int64_t j = 0; j < columns.n_numeric(); ++j) {
        if (j == sorted_column) continue;
        const auto entries = columns.segment(j, node.start, node.end);
        if (n_rows.size() == 2)
            move_values(entries, goes_left_.data(), !stays[0], !stays[1], buffer_.data());
        else
            group_by_branch(entries, branch_.data(), n_rows, places, buffer_.data());
    }
    // All of them are kept, since the thresholds are looked up in the end.
    group_by_branch(rows, branch_.data(), n_rows, places, row_buffer_.data());
}

// Returns columns of their own for branch b, with a share of each row without a value.
Columns Grower::copied(const WeightedColumns &columns, const Node &node, int32_t b, double share) {
    auto own = std::make_shared<OwnColumns>(OwnColumns{{}, {}, {}, {}, {}, {}, columns});
    const auto goes_here = [&](int32_t row) { return branch_[row] == b || branch_[row] < 0; };
    std::vector<int32_t> kept;
    for (const int32_t row : columns.segment_rows(node.start, node.end)) {
        if (!goes_here(row)) continue;
        row_buffer_[row] = static_cast<int32_t>(kept.size());  // its new number
        kept.push_back(row);
    }
    for (const int32_t row : kept) {
        own->rows.push_back(row_buffer_[row]);
        own->y.push_back(columns.y[row]);
        own->origin.push_back(columns.origin.empty() ? row : columns.origin[row]);
        own->weight.push_back(branch_[row] < 0 ? columns.weight[row] * share : columns.weight[row]);
    }
    own->entries.reserve(kept.size() * static_cast<size_t>(columns.n_numeric()));
    own->codes.reserve(kept.size() * static_cast<size_t>(columns.n_nominal()));
    for (int64_t j = 0; j < columns.n_numeric(); ++j)
        for (const uint64_t entry : columns.segment(j, node.start, node.end))
            if (goes_here(row_of(entry)))
                own->entries.push_back((entry & ~ROW_MASK) |
                                       static_cast<uint64_t>(row_buffer_[row_of(entry)]));
    for (int64_t j = 0; j < columns.n_nominal(); ++j)
        for (const int32_t row : kept) own->codes.push_back(columns.codes(j, row));
    const auto n = static_cast<int64_t>(kept.size());
    own->view.rows = own->rows;
    own->view.y = own->y;
    own->view.weight = own->weight;
    own->view.origin = own->origin;
    own->view.entries = {own->entries.data(), columns.n_numeric(), n};
    own->view.codes = {own->codes.data(), columns.n_nominal(), n};
    return {own, &own->view};
}

}  // namespace
}  // namespace retree::c45

using namespace retree;

extern "C" {

int32_t retree_c45_grow(const retree_array *X, const retree_array *y, const retree_array *weight,
                        retree_array *rows, retree_array *entries, const retree_array *n_near,
                        const retree_array *codes, const retree_array *n_levels, int64_t n_classes,
                        double total, double min_cases, int64_t mdl_correction,
                        int64_t binary_splits, int64_t by_gain, int64_t max_depth,
                        retree_result *result) {
    return guarded([&] {
        const WeightedColumns columns =
            columns_of({X, y, weight, rows, entries, n_near, codes, n_levels, n_classes, total});
        require(min_cases >= 0, "The engine needs min_cases of 0 or more.");
        const c45::Rule rule{min_cases, mdl_correction != 0, binary_splits != 0, by_gain != 0,
                             max_depth};
        c45::Records records = c45::Grower(columns, rule).grow();
        const auto n_nodes = static_cast<int64_t>(records.parent.size());
        result->add(std::move(records.parent));
        result->add(std::move(records.feature));
        result->add(std::move(records.level));
        result->add(std::move(records.threshold));
        result->add(std::move(records.counts), n_nodes, n_classes);
    });
}
}
