// Growing a CART tree, depth first, by stable partitions of columns that were sorted once.
#include "cart/criteria.hpp"
#include "cart/split.hpp"
#include "core/growing.hpp"

namespace retree::cart {
namespace {

constexpr int64_t MOST_EXACT_LEVELS = 20;

struct Records : NodeRecords {
    std::vector<int32_t> subset;
    std::vector<double> sums;
    std::vector<uint8_t> left_levels;
    int64_t n_subsets = 0;

    int32_t add(int64_t parent_number, std::span<const double> own_sums) {
        subset.push_back(-1);
        sums.insert(sums.end(), own_sums.begin(), own_sums.end());
        return add_leaf(parent_number);
    }

    void copy(const Records &other, int64_t i, int64_t parent_number) {
        NodeRecords::copy(other, i, parent_number);
        const auto part_of = [](const auto &values, int64_t n, int64_t k) {
            const int64_t size = std::ssize(values) / n;
            return std::span(values).subspan(k * size, size);
        };
        const auto own = part_of(other.sums, other.size(), i);
        sums.insert(sums.end(), own.begin(), own.end());
        subset.push_back(-1);
        if (other.subset[i] < 0) return;
        const auto levels = part_of(other.left_levels, other.n_subsets, other.subset[i]);
        left_levels.insert(left_levels.end(), levels.begin(), levels.end());
        subset.back() = static_cast<int32_t>(n_subsets++);
    }
};

struct Node {
    int64_t start, end, depth;
    int32_t parent;

    int64_t n_rows() const { return end - start; }
};

class Grower {
public:
    // Grows nodes of up to `most_rows`.
    Grower(const Training &training, Team &team, Poll poll, int64_t most_rows)
        : columns_(training.columns),
          sample_(training.sample),
          rule_(training.rule),
          pairs_(training.pairs),
          n_sums_(rule_.is_regression ? N_MOMENTS : columns_.n_classes),
          team_(team),
          poll_(poll),
          splitter_(training, team_, poll_),
          row_buffer_(static_cast<size_t>(most_rows)),
          buffers_(static_cast<size_t>(team_.size()), std::vector<uint64_t>(row_buffer_.size())) {}

    // Returns the nodes from one on. Those of up to `most_rows_aside` are put aside.
    Records grow(const Node &root, int64_t most_rows_aside);
    // The nodes put aside, and the leaves in their place.
    const std::vector<Node> &aside() const { return aside_; }
    const std::vector<int32_t> &leaves() const { return leaves_; }

private:
    void push(const Node &node);
    void grow_node(const Node &node);
    bool is_worthwhile(double gain, std::span<const double> sums) const;
    void describe(const Node &node, const Split &split);
    void move_entries(const Node &node, int64_t middle, std::span<const double> below);
    double threshold_of(int64_t column, int64_t last_left) const;

    const WeightedColumns &columns_;
    const Sample &sample_;
    const Rule &rule_;
    const Pairs &pairs_;
    int64_t n_sums_;
    Team &team_;
    Poll poll_;
    Splitter splitter_;
    std::vector<int32_t> row_buffer_;
    std::vector<std::vector<uint64_t>> buffers_;  // of each member
    std::vector<Node> stack_;
    std::vector<double> stack_sums_;  // n_sums of each item
    Records records_;
    int64_t most_rows_aside_ = 0;
    std::vector<Node> aside_;
    std::vector<int32_t> leaves_;
};

Records Grower::grow(const Node &root, int64_t most_rows_aside) {
    most_rows_aside_ = most_rows_aside;
    push(root);
    grow_depth_first(stack_, poll_, [this](const Node &node) { grow_node(node); });
    return std::exchange(records_, {});
}

// Puts a node, whose rows are in place, on the stack.
void Grower::push(const Node &node) {
    stack_.push_back(node);
    stack_sums_.resize(stack_sums_.size() + static_cast<size_t>(n_sums_));
    sum_node(columns_.segment_rows(node.start, node.end), sample_, rule_,
             std::span(stack_sums_).last(static_cast<size_t>(n_sums_)));
}

void Grower::grow_node(const Node &node) {
    const size_t n_sums = static_cast<size_t>(n_sums_);
    const int32_t id = records_.add(node.parent, std::span(stack_sums_).last(n_sums));
    stack_sums_.resize(stack_sums_.size() - n_sums);
    const std::span<const double> sums = std::span(records_.sums).last(n_sums);
    if (is_terminal(sums, node.n_rows(), node.depth, rule_)) return;
    if (node.n_rows() <= most_rows_aside_) {
        aside_.push_back({node.start, node.end, node.depth, -1});
        leaves_.push_back(id);
        return;
    }
    const Split split = splitter_.choose(node.start, node.end, sums);
    if (split.column < 0 || !is_worthwhile(split.gain, sums)) return;
    const int64_t middle = node.start + splitter_.mark_left(node.start, node.end, split);
    describe(node, split);
    move_values(columns_.segment_rows(node.start, node.end), splitter_.goes_left(), true, true,
                row_buffer_.data());
    push({middle, node.end, node.depth + 1, id});
    push({node.start, middle, node.depth + 1, id});
    move_entries(node, middle, std::span(stack_sums_).last(2 * n_sums));
}

// Whether a split lowers the impurity of the whole tree enough.
bool Grower::is_worthwhile(double gain, std::span<const double> sums) const {
    const double share = node_weight(sums, rule_) / columns_.total;
    return rounded(share * std::max(0.0, gain)) >= rounded(rule_.min_impurity_decrease);
}

// Turns the newest record, a leaf, into a test.
void Grower::describe(const Node &node, const Split &split) {
    const int64_t n_numeric = columns_.n_numeric();
    if (split.column < n_numeric) {
        records_.feature.back() = columns_.numeric[split.column];
        records_.threshold.back() = threshold_of(split.column, node.start + split.position);
        return;
    }
    records_.feature.back() = columns_.nominal[split.column - n_numeric];
    records_.subset.back() = static_cast<int32_t>(records_.n_subsets++);
    splitter_.add_left_levels(split, records_.left_levels);
}

// Partitions the sorted columns; the order of a child that stays a leaf may be lost. `below` has
// the sums of the right and the left child.
void Grower::move_entries(const Node &node, int64_t middle, std::span<const double> below) {
    const auto n_sums = static_cast<size_t>(n_sums_);
    const bool keeps_left =
        !is_terminal(below.last(n_sums), middle - node.start, node.depth + 1, rule_);
    const bool keeps_right =
        !is_terminal(below.first(n_sums), node.end - middle, node.depth + 1, rule_);
    const auto sorted = pairs_.other_columns();
    const int64_t n = std::ssize(sorted);
    team_.share(n, n * node.n_rows(), [&](int64_t member, int64_t k) {
        const int64_t j = sorted[k];
        const auto segment = columns_.segment(j, node.start, node.end);
        // No split of a column without two values is ever looked for below.
        if (j != splitter_.in_order() &&
            !columns_.packing.is_same_value(segment.front(), segment.back()))
            move_values(segment, splitter_.goes_left(), keeps_left, keeps_right,
                        buffers_[member].data());
    });
}

// The middle of the gap after an entry, or the value below if it rounds up.
double Grower::threshold_of(int64_t column, int64_t last_left) const {
    const bool is_pair = pairs_.has(column);
    const auto entries = columns_.entries.row(column);
    const double low = columns_.value(column, is_pair ? entries.front() : entries[last_left]);
    const double high = columns_.value(column, is_pair ? entries.back() : entries[last_left + 1]);
    return middle_of(low, high);
}

Rule complete(const retree_cart_rule &asked, double total) {
    check_choice(asked.criterion, N_CRITERIA - 1);
    return with_criterion(asked.criterion, [&]<class Criterion>(Criterion) -> Rule {
        return {asked, asked.min_weight_fraction_leaf * total, Criterion::is_regression,
                Criterion::takes_logs};
    });
}

void check_rule(const Rule &rule, const WeightedColumns &columns, std::span<const double> target) {
    require(0 <= rule.max_exact_levels && rule.max_exact_levels <= MOST_EXACT_LEVELS,
            "The engine tries all subsets of 20 levels at most.");
    require(rule.min_samples_leaf >= 1, "The engine needs at least one row for a leaf.");
    require(rule.least_weight >= 0.0, "The engine needs a least weight of a leaf from 0 on.");
    double total = 0.0;
    for (const int32_t row : columns.rows) total += columns.weight[row];
    require(std::abs(columns.total - total) <= 1e-6 * total || columns.total == total,
            "The engine needs the weight of all rows as their total.");
    if (!rule.is_regression) return;
    require(columns.n_classes == 1, "The engine needs one class for all rows of a regression.");
    for (const int32_t row : columns.rows)
        require(std::abs(target[row]) <= 1.0, "The engine needs targets between -1 and 1.");
}

}  // namespace
}  // namespace retree::cart

using namespace retree;
using namespace retree::cart;

int32_t retree_cart_grow(const retree_array *X, const retree_array *y, const retree_array *weight,
                         retree_array *rows, retree_array *entries, const retree_array *codes,
                         const retree_array *n_levels, int64_t n_classes, double total,
                         const retree_array *target, const retree_cart_rule *asked,
                         retree_result *result) {
    return guarded([&] {
        const Rule rule = complete(rule_of(asked), total);
        const WeightedColumns columns = columns_of(
            {X, y, weight, rows, entries, codes, n_levels, n_classes, total, rule.n_threads});
        Sample sample{columns.y, {}, columns.weight};
        if (has_unit_weights(columns)) sample.weight = {};
        if (rule.is_regression)
            sample.target = vector_of<const double>(target, "target", columns.X.rows);
        check_rule(rule, columns, sample.target);
        const Training training(columns, sample, rule);
        Records records = grow_by_members<Grower>(training, Node{0, columns.n_rows(), 0, -1});
        const auto n_nodes = records.size();
        const int64_t n_sums = static_cast<int64_t>(records.sums.size()) / n_nodes;
        const int64_t n_bytes = (columns.most_levels() + 7) / 8;
        result->add(std::move(records.parent));
        result->add(std::move(records.feature));
        result->add(std::move(records.subset));
        result->add(std::move(records.threshold));
        result->add(std::move(records.sums), n_nodes, n_sums);
        result->add(std::move(records.left_levels), records.n_subsets, n_bytes);
    });
}

int32_t retree_cart_gains(const retree_array *left, const retree_array *node, int64_t criterion,
                          retree_result *result) {
    return guarded([&] {
        check_choice(criterion, N_CRITERIA - 1);
        const auto sides = matrix_of<const double>(left, "left");
        const auto wholes = matrix_of<const double>(node, "node", sides.rows, sides.columns);
        const XLog2X xlog2x{{}};
        std::vector<double> gains;
        with_criterion(criterion, [&]<class Criterion>(Criterion) {
            require(!Criterion::is_regression, "The engine needs a criterion of classes.");
            for (int64_t i = 0; i < sides.rows; ++i) {
                const auto side = sides.row(i), whole = wholes.row(i);
                const Known known{{whole.begin(), whole.end()}, sum_of(whole)};
                const double w_left = sum_of(side);
                const bool is_split = w_left > 0.0 && w_left < known.weight;
                gains.push_back(is_split ? Criterion::gain(side, w_left, known, xlog2x) : 0.0);
            }
        });
        result->add(std::move(gains));
    });
}

int32_t retree_cart_criteria(retree_result *result) {
    return guarded([&] {
        std::string names;
        std::vector<uint8_t> is_regression;
        for (int64_t number = 0; number < N_CRITERIA; ++number)
            with_criterion(number, [&]<class Criterion>(Criterion) {
                names += std::string(number > 0 ? " " : "") + Criterion::name;
                is_regression.push_back(Criterion::is_regression);
            });
        result->add(std::vector<uint8_t>(names.begin(), names.end()));
        result->add(std::move(is_regression));
    });
}
