#include "structure/grow.hpp"

#include "core/growing.hpp"

namespace retree::structure {
namespace {

// A node that is still to be grown.
struct Pending {
    int64_t start;
    int64_t end;
    int64_t depth;
    int64_t parent;
    std::vector<double> counts;   // weight of each class
    std::vector<uint8_t> points;  // 1 for the points whose trees have it
};

class Grower {
public:
    Grower(const Columns &columns, const Rule &rule, Poll &poll)
        : columns_(columns),
          rule_(rule),
          poll_(poll),
          chooser_(columns, rule),
          goes_left_(columns.y.size()),
          row_buffer_(columns.y.size()),
          buffer_(columns.y.size()) {}

    // Grows everything below some nodes, the last one first.
    void expand(Order &order, std::vector<Pending> pending);

    Records records;

private:
    bool is_terminal(std::span<const double> counts, int64_t depth) const;
    int64_t record(const Pending &node, std::span<const uint8_t> points, int64_t feature,
                   int64_t threshold_row);
    void grow_node(Order &order, Pending node, std::vector<Pending> &pending);
    std::vector<Pending> split(Order &order, int64_t start, const Pending &node, const Split &split,
                               std::vector<uint8_t> points);
    int64_t threshold_row(const Node &node, const Split &split) const;
    int64_t mark_left(const Node &node, const Split &split, std::span<double> left);
    void partition(Order &order, int64_t start, int64_t end, int64_t split_column, bool keeps_left,
                   bool keeps_right);

    const Columns &columns_;
    const Rule &rule_;
    Poll &poll_;
    Chooser chooser_;
    std::vector<uint8_t> goes_left_;  // of each training row
    std::vector<int32_t> row_buffer_;
    std::vector<uint64_t> buffer_;
};

// Whether a node is a leaf whatever its splits: pure, small, or at the greatest depth.
bool Grower::is_terminal(std::span<const double> counts, int64_t depth) const {
    const double n = sum_of(counts);
    return std::ranges::max(counts) == n || n <= static_cast<double>(rule_.min_samples_leaf) ||
           depth >= rule_.max_depth;
}

int64_t Grower::record(const Pending &node, std::span<const uint8_t> points, int64_t feature,
                       int64_t threshold_row) {
    records.numbers.insert(records.numbers.end(), {node.parent, feature, threshold_row});
    records.counts.insert(records.counts.end(), node.counts.begin(), node.counts.end());
    records.members.insert(records.members.end(), points.begin(), points.end());
    return records.size++;
}

void Grower::expand(Order &order, std::vector<Pending> pending) {
    grow_depth_first(pending, poll_, [&](Pending node) {
        if (is_terminal(node.counts, node.depth))
            record(node, node.points, LEAF, -1);
        else
            grow_node(order, std::move(node), pending);
    });
}

// Splits a node for each group of points that choose the same split.
void Grower::grow_node(Order &order, Pending node, std::vector<Pending> &pending) {
    const Node segment{columns_, order, poll_, node.start, node.end};
    const auto chosen = chooser_.choose(segment, node.counts, node.points);
    std::vector<uint8_t> rest = std::move(node.points);
    for (auto first = rest.begin(); (first = std::ranges::find(rest, 1)) != rest.end();) {
        const Split split = chosen[static_cast<size_t>(first - rest.begin())];
        std::vector<uint8_t> group(rest.size());
        bool is_last = true;  // that goes on
        for (size_t p = 0; p < rest.size(); ++p) {
            group[p] = rest[p] != 0 && chosen[p] == split;
            rest[p] &= !group[p];
            is_last &= rest[p] == 0 || chosen[p].column == NO_SPLIT;
        }
        if (split.column == NO_SPLIT) {
            record(node, group, LEAF, -1);
        } else if (is_last) {
            std::ranges::move(this->split(order, node.start, node, split, std::move(group)),
                              std::back_inserter(pending));
        } else {
            Order copy(order, node.start, node.end);
            expand(copy, this->split(copy, 0, node, split, std::move(group)));
        }
    }
}

// Records a node and partitions it, whose segment begins at `start` of `order`; returns its
// children, the right one first.
std::vector<Pending> Grower::split(Order &order, int64_t start, const Pending &node,
                                   const Split &split, std::vector<uint8_t> points) {
    const int64_t end = start + node.end - node.start, depth = node.depth + 1;
    const Node segment{columns_, order, poll_, start, end};
    const int64_t number =
        record(node, points, columns_.feature(split.column), threshold_row(segment, split));
    std::vector<double> left(node.counts.size()), right(node.counts.size());
    const int64_t middle = start + mark_left(segment, split, left);
    std::ranges::transform(node.counts, left, right.begin(), std::minus());
    partition(order, start, end, split.column, !is_terminal(left, depth),
              !is_terminal(right, depth));
    std::vector<Pending> children;
    children.push_back({middle, end, depth, number, std::move(right), points});
    children.push_back({start, middle, depth, number, std::move(left), std::move(points)});
    return children;
}

// Returns a row whose value in the split column is the threshold.
int64_t Grower::threshold_row(const Node &node, const Split &split) const {
    if (split.column < columns_.n_wide())
        return row_of(node.entries(split.column)[static_cast<size_t>(split.position)]);
    const int64_t j = split.column - columns_.n_wide();
    return *std::ranges::find_if(node.rows(),
                                 [&](int32_t row) { return columns_.bits(row, j) == 0; });
}

// Sets `goes_left_` for the rows of a node; adds the left ones to `left`, the weights of the
// classes, and returns their number.
int64_t Grower::mark_left(const Node &node, const Split &split, std::span<double> left) {
    int64_t n_left = 0;
    const auto mark = [&](int32_t row, bool goes_left) {
        goes_left_[row] = goes_left;
        if (!goes_left) return;
        left[columns_.y[row]] += columns_.weight[row];
        ++n_left;
    };
    if (split.column < columns_.n_wide()) {
        const auto entries = node.entries(split.column);
        for (int64_t i = 0; i < node.size(); ++i) mark(row_of(entries[i]), i <= split.position);
    } else {
        const int64_t j = split.column - columns_.n_wide();
        for (const int32_t row : node.rows()) mark(row, columns_.bits(row, j) == 0);
    }
    return n_left;
}

// Partitions the segment of a node in every column; a side that is not kept may be lost.
void Grower::partition(Order &order, int64_t start, int64_t end, int64_t split_column,
                       bool keeps_left, bool keeps_right) {
    const auto n = static_cast<size_t>(end - start);
    const std::span rows(order.rows.data() + start, n);
    move_values(rows, goes_left_.data(), keeps_left, keeps_right, row_buffer_.data());
    for (int64_t j = 0; j < columns_.n_wide(); ++j) {
        if (j == split_column) continue;
        const auto entries = order.entries.row(j).subspan(static_cast<size_t>(start), n);
        move_values(entries, goes_left_.data(), keeps_left, keeps_right, buffer_.data());
    }
}

}  // namespace

Records grow(const Columns &columns, Order &order, const Rule &rule, Poll &poll) {
    Grower grower(columns, rule, poll);
    std::vector<double> counts(static_cast<size_t>(columns.n_classes));
    for (int32_t i = 0; i < columns.n_rows(); ++i) counts[columns.y[i]] += columns.weight[i];
    std::vector<uint8_t> points(static_cast<size_t>(rule.n_points()), 1);
    grower.expand(order, {{0, columns.n_rows(), 0, -1, std::move(counts), std::move(points)}});
    return std::move(grower.records);
}

}  // namespace retree::structure
