#include "weka/rep_grow.hpp"

namespace retree::weka {
namespace {

struct Pending {
    Columns columns;  // none of a node that stays a leaf
    int64_t start, end, depth, parent;
    double sent;
    std::vector<double> counts;
};

class Grower {
public:
    Grower(const Columns &columns, const Rule &rule, const Terms &terms)
        : root_(columns),
          rule_(rule),
          chooser_(*columns, rule, terms),
          records_{{}, columns->n_classes, {}, {}, {}},
          branch_(columns->y.size()),
          row_buffer_(columns->y.size()),
          goes_left_(columns->y.size()),
          buffer_(columns->rows.size()) {}

    Records grow();

private:
    void expand(const Pending &pending);
    bool is_terminal(std::span<const double> counts, int64_t depth) const;
    void assign(const WeightedColumns &columns, const Node &node, const Split &split);
    void partition(const WeightedColumns &columns, const Node &node, const Split &split);

    Columns root_;
    Rule rule_;
    Chooser chooser_;
    Records records_;
    std::vector<Pending> stack_;
    std::vector<int32_t> branch_;  // of each row of a node, -1 where the tested value is missing
    std::vector<int32_t> row_buffer_;
    std::vector<uint8_t> goes_left_, stays_;
    std::vector<uint64_t> buffer_;
    std::vector<int64_t> n_rows_, places_;  // of each branch
};

Records Grower::grow() {
    std::vector<double> counts(static_cast<size_t>(root_->n_classes));
    double weight = 0.0;
    for (const int32_t row : root_->rows) {
        counts[root_->y[row]] += root_->weight[row];
        weight += root_->weight[row];
    }
    const bool stays = is_terminal(counts, 0);
    stack_.push_back(
        {stays ? nullptr : root_, 0, root_->n_rows(), 0, -1, weight, std::move(counts)});
    Poll poll;
    grow_depth_first(stack_, poll, [this](const Pending &node) { expand(node); });
    return std::move(records_);
}

// Whether a node is a leaf whatever its tests: light, pure, or at the greatest depth.
bool Grower::is_terminal(std::span<const double> counts, int64_t depth) const {
    const double total = sum_of(counts);
    if (total < 2 * rule_.min_cases || depth >= rule_.max_depth) return true;
    return total - *std::ranges::max_element(counts) < SMALL;
}

// Records a node and puts its branches on the stack.
void Grower::expand(const Pending &pending) {
    const int64_t number = records_.add_leaf(pending.parent);
    records_.counts.insert(records_.counts.end(), pending.counts.begin(), pending.counts.end());
    records_.sent.push_back(pending.sent);
    records_.known.push_back(0.0);
    if (!pending.columns) return;
    const WeightedColumns &columns = *pending.columns;
    const Node node{pending.start, pending.end, pending.counts};
    const Split &split = chooser_.choose(columns, node);
    if (split.column < 0) return;
    const int64_t n_numeric = columns.n_numeric(), n = std::ssize(split.sent);
    const bool is_numeric = split.column < n_numeric;
    records_.feature[number] =
        is_numeric ? columns.numeric[split.column] : columns.nominal[split.column - n_numeric];
    records_.threshold[number] = split.point;
    records_.known[number] = split.known;
    const Matrix<const double> counts{split.counts.data(), n, columns.n_classes};
    stays_.clear();
    for (int64_t b = 0; b < n; ++b)
        stays_.push_back(split.sent[b] <= 0.0 || is_terminal(counts.row(b), pending.depth + 1));
    const bool has_inner = std::ranges::count(stays_, 0) > 0;
    if (has_inner) assign(columns, node, split);
    if (has_inner && !split.has_missing) partition(columns, node, split);
    int64_t end = node.end;
    for (int64_t b = n - 1; b >= 0; --b) {
        const auto own = counts.row(b);
        Pending child{
            nullptr, 0, 0, pending.depth + 1, number, split.sent[b], {own.begin(), own.end()}};
        const int64_t start = has_inner ? end - n_rows_[b] : end;
        if (!stays_[b] && split.has_missing) {
            child.columns =
                copied_branch(columns, node.start, node.end, branch_, static_cast<int32_t>(b),
                              split.sent[b] / split.known, row_buffer_);
            child.end = child.columns->n_rows();
        } else if (!stays_[b]) {
            child.columns = pending.columns;
            child.start = start;
            child.end = end;
        }
        end = start;
        stack_.push_back(std::move(child));
    }
}

// Sets the branch of each row of a node, and the number of rows of each branch.
void Grower::assign(const WeightedColumns &columns, const Node &node, const Split &split) {
    n_rows_.assign(split.sent.size(), 0);
    const auto send = [&](int32_t row, int32_t b) {
        branch_[row] = b;
        if (b >= 0) ++n_rows_[b];
    };
    if (split.column < columns.n_numeric()) {
        int64_t i = 0;
        for (const uint64_t entry : columns.segment(split.column, node.start, node.end)) {
            const bool is_missing = columns.packing.is_missing(entry);
            send(row_of(entry), is_missing ? -1 : i >= split.place);
            ++i;
        }
        return;
    }
    const auto codes = columns.codes.row(split.column - columns.n_numeric());
    for (const int32_t row : columns.segment_rows(node.start, node.end)) send(row, codes[row]);
}

// Moves the rows of a node to its branches. In the columns, but for one that is in order already,
// the order in a branch that stays a leaf may be lost.
void Grower::partition(const WeightedColumns &columns, const Node &node, const Split &split) {
    const auto rows = columns.segment_rows(node.start, node.end);
    const bool is_binary = n_rows_.size() == 2;
    if (is_binary)
        for (const int32_t row : rows) goes_left_[row] = branch_[row] == 0;
    places_.resize(n_rows_.size());
    for (int64_t j = 0; j < columns.n_numeric(); ++j) {
        if (j == split.column) continue;
        const auto entries = columns.segment(j, node.start, node.end);
        if (is_binary)
            move_values(entries, goes_left_.data(), !stays_[0], !stays_[1], buffer_.data());
        else
            group_by_branch(entries, branch_.data(), n_rows_, places_, buffer_.data());
    }
    group_by_branch(rows, branch_.data(), n_rows_, places_, row_buffer_.data());
}

}  // namespace

Records grow(const Columns &columns, const Rule &rule, const Terms &terms) {
    return Grower(columns, rule, terms).grow();
}

}  // namespace retree::weka
