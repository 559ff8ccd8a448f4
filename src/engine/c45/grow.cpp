// Growing an ID3 or C4.5 tree: many branches, rows without a value divided over all of them.
#include "c45/branches.hpp"
#include "c45/records.hpp"

namespace retree::c45 {
namespace {

struct Pending {
    Columns columns;  // none of a node that stays a leaf
    int64_t start, end, depth, parent;
    bool is_empty;        // of rows, and without class weights on the stack
    double weight, sent;  // of its rows, and what the test above says that it sends here
};

// A node to grow from, with its class weights.
struct Start {
    Pending node;
    std::vector<double> counts;
};

class Grower {
public:
    // Grows nodes of up to `most_rows`.
    Grower(const Training &training, Team &team, Poll poll, int64_t most_rows)
        : rule_(training.rule),
          n_classes_(training.columns.n_classes),
          team_(team),
          poll_(poll),
          chooser_(training, team_),
          order_(training.order),
          whole_(training.whole),
          branch_(training.columns.y.size()),
          row_buffer_(branch_.size()),
          goes_left_(branch_.size()),
          scratch_(static_cast<size_t>(team_.size())) {
        for (Scratch &own : scratch_) own.buffer.resize(static_cast<size_t>(most_rows));
    }

    // Returns the nodes from one on. Those of up to `most_rows_aside` are put aside.
    Records grow(const Start &start, int64_t most_rows_aside);
    // The nodes put aside, and the leaves in their place.
    const std::vector<Start> &aside() const { return aside_; }
    const std::vector<int32_t> &leaves() const { return leaves_; }

private:
    // What a member of the team moves entries with.
    struct Scratch {
        std::vector<uint64_t> buffer;
        std::vector<int64_t> places;
    };

    void push(Pending node, std::span<const double> counts);
    void pop_counts(const Pending &node);
    int32_t add(const Pending &pending);
    void expand(const Pending &pending);
    void describe(const WeightedColumns &columns, const Node &node, int64_t column, int32_t number);
    bool is_cut(const WeightedColumns &columns, const Node &node, int64_t column) const;
    Branches cut(const WeightedColumns &columns, const Node &node, int64_t column);
    Branches divide(const WeightedColumns &columns, const Node &node, int64_t column);
    int64_t assign(const WeightedColumns &columns, const Node &node, int64_t column);
    void partition(const WeightedColumns &columns, const Node &node, int64_t sorted_column,
                   const std::vector<uint8_t> &stays, std::span<const int64_t> n_rows);
    template <class T>
    void move(std::span<T> values, std::span<const int64_t> n_rows, T *buffer,
              std::vector<int64_t> &places) const;
    bool is_terminal(std::span<const double> counts, int64_t depth) const;

    Rule rule_;
    int64_t n_classes_;
    Team &team_;
    Poll poll_;
    Chooser chooser_;
    RowOrder order_;
    std::shared_ptr<const WholeWeights> whole_;
    Records records_;
    int64_t most_rows_aside_ = 0;
    std::vector<Start> aside_;
    std::vector<int32_t> leaves_;
    std::vector<Pending> stack_;
    std::vector<double> stack_counts_;  // class weights of each item that is not empty
    std::vector<int32_t> branch_;  // of each row of a node, -1 where the tested value is missing
    std::vector<int32_t> row_buffer_;
    std::vector<uint8_t> goes_left_;
    std::vector<Scratch> scratch_;  // of each member
};

Records Grower::grow(const Start &start, int64_t most_rows_aside) {
    most_rows_aside_ = most_rows_aside;
    push(start.node, start.counts);
    grow_depth_first(stack_, poll_, [this](const Pending &node) {
        pop_counts(node);
        expand(node);
    });
    return std::exchange(records_, {});
}

// A test may have thousands of branches without rows: these have no class weights on the stack.
void Grower::push(Pending node, std::span<const double> counts) {
    if (!node.is_empty) stack_counts_.insert(stack_counts_.end(), counts.begin(), counts.end());
    stack_.push_back(std::move(node));
}

// Takes the class weights of a node off the stack: they become the newest of the records.
void Grower::pop_counts(const Pending &node) {
    const auto n_classes = static_cast<size_t>(n_classes_);
    records_.counts.resize(records_.counts.size() + n_classes);
    if (!node.is_empty) {
        std::copy(stack_counts_.end() - n_classes_, stack_counts_.end(),
                  records_.counts.end() - n_classes_);
        stack_counts_.resize(stack_counts_.size() - n_classes);
    }
}

// Records a node and returns its number.
int32_t Grower::add(const Pending &pending) {
    records_.level.push_back(-1);
    records_.n_rows.push_back(static_cast<int32_t>(pending.end - pending.start));
    records_.weight.insert(records_.weight.end(), {pending.weight, pending.sent});
    return records_.add_leaf(pending.parent);
}

// Records a node and puts its branches on the stack.
void Grower::expand(const Pending &pending) {
    const int32_t number = add(pending);
    const auto own = std::span(records_.counts).last(static_cast<size_t>(n_classes_));
    if (is_terminal(own, pending.depth)) return records_.empty_if_light(number);
    if (pending.end - pending.start <= most_rows_aside_) {
        aside_.push_back({pending, {own.begin(), own.end()}});
        aside_.back().node.parent = -1;
        leaves_.push_back(number);
        return;
    }
    const WeightedColumns &columns = *pending.columns;
    const Node node{pending.start, pending.end, own, sum_of(own)};
    const int64_t column = chooser_.choose(columns, node);
    if (column < 0) return records_.empty_if_light(number);
    describe(columns, node, column, number);
    const Branches branches =
        is_cut(columns, node, column) ? cut(columns, node, column) : divide(columns, node, column);
    const int64_t n = std::ssize(branches.sent);
    std::copy(branches.known.begin(), branches.known.end(), records_.counts_of(number).begin());
    records_.weight[2 * number] = branches.total;
    const int64_t depth = pending.depth + 1;
    std::vector<uint8_t> stays;
    const auto counts_of = [&](int64_t b) {
        return std::span(branches.counts).subspan(b * columns.n_classes, columns.n_classes);
    };
    for (int64_t b = 0; b < n; ++b) stays.push_back(is_terminal(counts_of(b), depth));
    const bool is_divided = branches.is_divided();
    if (!is_divided && std::count(stays.begin(), stays.end(), 0) > 0)
        partition(columns, node, column, stays, branches.n_rows);
    else if (!is_divided && rule_.prunes != 0)
        move(columns.segment_rows(node.start, node.end), branches.n_rows, row_buffer_.data(),
             scratch_.front().places);
    int64_t end = node.end;
    for (int64_t b = n - 1; b >= 0; --b) {
        const int64_t start = end - branches.n_rows[b];
        const auto i = static_cast<size_t>(b);
        Pending child{
            pending.columns,    start,           end, depth, number, branches.n_rows[i] == 0,
            branches.weight[i], branches.sent[i]};
        end = start;
        if (stays[b]) {
            child.columns.reset();
        } else if (is_divided) {
            child.columns = copied_branch(columns, node.start, node.end, branch_,
                                          static_cast<int32_t>(b), branches.share[b], row_buffer_);
            child.start = 0;
            child.end = child.columns->n_rows();
        }
        push(std::move(child), counts_of(b));
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
                      int32_t number) {
    const int64_t place = chooser_.test(column).place;
    if (column >= columns.n_numeric()) {
        records_.feature[number] = columns.nominal[column - columns.n_numeric()];
        if (rule_.binary_splits) records_.level[number] = static_cast<int32_t>(place);
        return;
    }
    const auto segment = columns.segment(column, node.start, node.end);
    records_.feature[number] = columns.numeric[column];
    records_.threshold[number] = columns.value(column, segment[place]);
    const auto gap = gap_between(columns, column, segment[place], segment[place + 1], number);
    if (gap) records_.gaps.push_back(*gap);
}

// Whether a test has two sides whose sums are exact in any order.
bool Grower::is_cut(const WeightedColumns &columns, const Node &node, int64_t column) const {
    if (column >= columns.n_numeric() || whole_->terms.empty() || order_.is_kept() ||
        !columns.origin.empty())
        return false;
    return !columns.packing.is_missing(columns.segment(column, node.start, node.end).back());
}

Branches Grower::cut(const WeightedColumns &columns, const Node &node, int64_t column) {
    const auto segment = columns.segment(column, node.start, node.end);
    const auto n_left = static_cast<size_t>(chooser_.test(column).place) + 1;
    for (size_t i = 0; i < segment.size(); ++i) goes_left_[row_of(segment[i])] = i < n_left;
    return {columns, node, segment.first(n_left), whole_->weight.empty()};
}

// Sums the branches of a test, in J48's order of the rows.
Branches Grower::divide(const WeightedColumns &columns, const Node &node, int64_t column) {
    const int64_t n = assign(columns, node, column), n_numeric = columns.n_numeric();
    const bool is_numeric = column < n_numeric;
    int64_t n_sorted = is_numeric ? column + 1 : 0;  // by the time that the test is found
    if (!is_numeric)
        n_sorted = std::ranges::lower_bound(columns.numeric, columns.nominal[column - n_numeric]) -
                   columns.numeric.begin();
    const auto rows = columns.segment_rows(node.start, node.end);
    order_.sort(columns, rows, 0, n_sorted);
    Branches branches(columns, node, branch_, n, is_numeric && order_.is_kept());
    order_.sort(columns, rows, n_sorted, n_numeric);
    if (order_.is_kept() || branches.has_missing) branches.recount(columns, node, branch_);
    for (const int32_t row : rows) goes_left_[row] = branch_[row] == 0;
    return branches;
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

// Moves the rows of a node to its branches. In the columns, but for one that is in order already,
// the order in a branch that stays a leaf may be lost.
void Grower::partition(const WeightedColumns &columns, const Node &node, int64_t sorted_column,
                       const std::vector<uint8_t> &stays, std::span<const int64_t> n_rows) {
    const auto rows = columns.segment_rows(node.start, node.end);
    const int64_t n = columns.n_numeric();
    const bool is_binary = n_rows.size() == 2;
    // The rows come last. All of them are kept: pruning asks for those of each leaf.
    team_.share(n + 1, n * (node.end - node.start), [&](int64_t member, int64_t j) {
        auto &[buffer, places] = scratch_[member];
        if (j == n) return move(rows, n_rows, row_buffer_.data(), places);
        if (j == sorted_column) return;
        const auto entries = columns.segment(j, node.start, node.end);
        if (is_binary)
            move_values(entries, goes_left_.data(), !stays[0], !stays[1], buffer.data());
        else
            move(entries, n_rows, buffer.data(), places);
    });
}

// Moves what stands for the rows of a node to their branches.
template <class T>
void Grower::move(std::span<T> values, std::span<const int64_t> n_rows, T *buffer,
                  std::vector<int64_t> &places) const {
    if (n_rows.size() == 2) return split_values(values, goes_left_.data(), buffer);
    places.resize(n_rows.size());
    group_by_branch(values, branch_.data(), n_rows, places, buffer);
}

// The root, whose columns are the caller's.
Start root_of(const WeightedColumns &columns) {
    std::vector<double> counts(static_cast<size_t>(columns.n_classes));
    double weight = 0.0;
    for (const int32_t row : columns.rows) {
        counts[columns.y[row]] += columns.weight[row];
        weight += columns.weight[row];
    }
    const Columns own(&columns, [](const WeightedColumns *) {});
    return {{own, 0, columns.n_rows(), 0, -1, false, weight, weight}, std::move(counts)};
}

}  // namespace
}  // namespace retree::c45

using namespace retree;

int32_t retree_c45_grow(const retree_array *X, const retree_array *y, const retree_array *weight,
                        retree_array *rows, retree_array *entries, const retree_array *codes,
                        const retree_array *n_levels, int64_t n_classes, double total,
                        const retree_array *times, const retree_c45_rule *asked,
                        retree_result *result) {
    return guarded([&] {
        c45::Rule rule = rule_of(asked);
        WeightedColumns columns = columns_of(
            {X, y, weight, rows, entries, codes, n_levels, n_classes, total, rule.n_threads});
        columns.times = vector_of<const int32_t>(times, "times");
        require(columns.times.empty() || std::ssize(columns.times) == columns.X.rows,
                "The engine needs times of each row, or none.");
        rule.n_declared = std::max(rule.n_declared, n_classes);
        require(rule.slack >= 0, "The engine needs a slack of 0 or more.");
        require(rule.min_cases >= 0, "The engine needs min_cases of 0 or more.");
        const std::vector<int32_t> in_order(columns.rows.begin(), columns.rows.end());
        const Sample sample{columns.X, columns.y, columns.weight, in_order};
        const bool is_known = !c45::has_missing(columns);
        const c45::Training training(columns, rule);
        c45::Records records = grow_by_members<c45::Grower>(training, c45::root_of(columns));
        c45::settle_thresholds(columns, records.gaps, rule, records.threshold);
        if (rule.prunes != 0) records = c45::pruned(records, columns, sample, is_known, rule);
        if (is_known) records.weight.clear();
        const auto n_nodes = records.size(), n_weights = std::ssize(records.weight) / 2;
        result->add(std::move(records.parent));
        result->add(std::move(records.feature));
        result->add(std::move(records.level));
        result->add(std::move(records.threshold));
        result->add(std::move(records.counts), n_nodes, n_classes);
        result->add(std::move(records.weight), n_weights, 2);
    });
}
