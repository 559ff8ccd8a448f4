#include "weka/random_tree.hpp"

#include "core/java_random.hpp"
#include "weka/random_rows.hpp"

namespace retree::weka {
namespace {

constexpr size_t ROWS_BETWEEN_POLLS = 4096;

struct RandomNode {
    int64_t number, depth;
    size_t n_rows;
};

class RandomGrower {
public:
    // `made`: room for the records of a tree.
    RandomGrower(const SharedRows &shared, std::span<const int32_t> drawn, int64_t seed,
                 Records &made);

    void grow(Poll &poll);

private:
    void start();
    bool is_terminal(std::span<const double> counts, size_t n_rows, int64_t depth) const;
    void expand(const RandomNode &node);
    void choose();
    void test(int32_t feature);
    void count(int64_t j);
    void divide(const RandomNode &node);

    const SharedRows &shared_;
    RandomRows rows_;
    std::vector<int32_t> whole_weight_;  // of each row of X, where terms of sums are in the table
    Tester tester_;
    JavaRandom random_;
    std::vector<int32_t> window_;  // features, those drawn last in a node at the end
    Records &made_;                // in the order of the tests that make them
    std::vector<RandomNode> stack_;
    std::vector<double> counts_;  // of the node
    Split best_, own_;
    double prior_ = 0.0;            // entropy of the node, if its weights are whole
    std::vector<int32_t> cells_;    // whole weights by level and class
    int32_t first_right_ = 0;       // of sums that are exact: the place from which on rows go right
    std::vector<uint8_t> is_leaf_;  // of each branch
};

RandomGrower::RandomGrower(const SharedRows &shared, std::span<const int32_t> drawn, int64_t seed,
                           Records &made)
    : shared_(shared),
      rows_(shared, drawn),
      tester_(rows_.of_drawn(), shared.terms, rows_.is_exact()),
      random_(JavaRandom::of_seed(seed)),
      window_(row_numbers(shared.all.columns.X.columns)),
      made_(made),
      counts_(static_cast<size_t>(made.n_classes)) {}

void RandomGrower::start() {
    const WeightedColumns &view = rows_.view();
    double sent = 0.0;
    const auto numbers = rows_.numbers();
    for (size_t i = 0; i < numbers.size(); ++i) {
        const double weight = view.weight[numbers[i]];
        counts_[view.y[rows_.rows()[i]]] += weight;
        sent += weight;
    }
    if (!shared_.cell.empty() && shared_.terms.has(sent))
        whole_weight_.assign(view.weight.begin(), view.weight.end());
    made_.add_leaf(-1);
    made_.counts = counts_;
    made_.sent.push_back(sent);
    made_.known.push_back(0.0);
}

// Whether a node is a leaf whatever its tests: without rows, light, pure, or at the greatest depth.
bool RandomGrower::is_terminal(std::span<const double> counts, size_t n_rows, int64_t depth) const {
    const double total = sum_of(counts);
    return n_rows == 0 || total < 2 * shared_.rule.min_cases ||
           total - *std::ranges::max_element(counts) < SMALL || depth >= shared_.rule.max_depth;
}

void RandomGrower::grow(Poll &poll) {
    start();
    if (is_terminal(counts_, rows_.rows().size(), 0)) return;
    expand({0, 0, rows_.rows().size()});
    size_t n_seen = 0;
    while (!stack_.empty()) {
        const RandomNode node = stack_.back();
        stack_.pop_back();
        const auto counts = made_.all_counts().row(node.number);
        counts_.assign(counts.begin(), counts.end());
        rows_.take(node.n_rows);
        expand(node);
        n_seen += node.n_rows;
        if (n_seen < ROWS_BETWEEN_POLLS) continue;
        poll.check();
        n_seen = 0;
    }
}

void RandomGrower::expand(const RandomNode &node) {
    choose();
    if (best_.column < 0) return;
    made_.feature[node.number] = static_cast<int32_t>(best_.column);
    made_.threshold[node.number] = best_.point;
    made_.known[node.number] = best_.known;
    divide(node);
}

// Draws features, as many as asked for and until one gains something; the first of the best wins.
void RandomGrower::choose() {
    best_.column = -1;
    best_.gain = SMALL;
    if (!whole_weight_.empty())
        prior_ = entropy_of_classes({counts_.data(), 1, std::ssize(counts_)}, shared_.terms);
    int64_t n_left = std::ssize(window_), n_tried = 0;
    while (n_left > 0 && (n_tried++ < shared_.rule.n_tried || best_.column < 0)) {
        const int32_t chosen = random_.below(static_cast<int32_t>(n_left--));
        std::swap(window_[chosen], window_[n_left]);
        const int32_t feature = window_[n_left];
        own_.start(feature);
        test(feature);
        const bool ties = own_.gain == best_.gain && feature < best_.column;
        if (!(own_.gain > best_.gain || ties)) continue;
        std::swap(best_, own_);
        // The middle of huge values may be infinite, and all rows are below it.
        if (rows_.is_exact() && best_.point < INF) first_right_ = rows_.place_of(best_.place);
        if (best_.point == INF) first_right_ = std::numeric_limits<int32_t>::max();
    }
}

void RandomGrower::test(int32_t feature) {
    const int64_t column = shared_.column[feature], j = column - shared_.n_numeric();
    if (j < 0)
        tester_.numeric(rows_.view(), rows_.sorted(column), column, counts_, best_.gain, own_);
    else if (!whole_weight_.empty())
        count(j);
    else
        tester_.nominal(rows_.numbers(), rows_.view().n_levels[j],
                        RandomRows::OfNumber{rows_, rows_.view().codes.row(j)}, own_);
}

// Tests a nominal column by whole weights, whose terms stand in the table.
void RandomGrower::count(int64_t j) {
    const auto n_levels = static_cast<size_t>(rows_.view().n_levels[j]);
    cells_.assign(n_levels * counts_.size(), 0);
    const int32_t *const cell = shared_.cells_of(j), *const weight = whole_weight_.data();
    for (const int32_t row : rows_.rows()) cells_[cell[row]] += weight[row];
    const double *const terms = shared_.terms.table().data();
    own_.sent.resize(n_levels);
    int32_t total = 0;
    double sum = 0.0;
    const int32_t *next = cells_.data();
    for (double &sent : own_.sent) {
        int32_t of_level = 0;
        for (const int32_t *const end = next + counts_.size(); next < end; ++next) {
            sum += terms[*next];
            of_level += *next;
        }
        sum -= terms[of_level];
        total += of_level;
        sent = of_level;
    }
    own_.known = total;
    own_.gain = prior_ - -sum / (total * LOG_2);
    if (own_.gain >= best_.gain) own_.counts.assign(cells_.begin(), cells_.end());
}

// Makes the branches of the best test.
void RandomGrower::divide(const RandomNode &node) {
    const auto n_rows = rows_.count_branches(best_, first_right_);
    const auto counts = best_.by_branch(made_.n_classes);
    const int64_t first = made_.size();
    made_.counts.insert(made_.counts.end(), best_.counts.begin(), best_.counts.end());
    made_.sent.insert(made_.sent.end(), best_.sent.begin(), best_.sent.end());
    is_leaf_.clear();
    for (int64_t b = 0; b < counts.rows; ++b) {
        made_.add_leaf(node.number);
        made_.known.push_back(0.0);
        is_leaf_.push_back(is_terminal(counts.row(b), n_rows[b], node.depth + 1));
    }
    for (int64_t b = counts.rows; b-- > 0;)
        if (!is_leaf_[b]) stack_.push_back({first + b, node.depth + 1, n_rows[b]});
    rows_.put_aside(best_, is_leaf_);
}

// Moves the records of a tree to those of others, in depth-first order.
void move_records(Records &made, Records &records) {
    const auto n = static_cast<size_t>(made.size()), start = static_cast<size_t>(records.size());
    // Of the nodes: how many are below and here, the number, and that of the next branch.
    std::vector<int32_t> n_nodes(n, 1), number(n), next(n, 1);
    for (size_t i = n; i-- > 1;) n_nodes[made.parent[i]] += n_nodes[i];
    for (size_t i = 1; i < n; ++i) {
        int32_t &parent = made.parent[i];
        number[i] = std::exchange(next[parent], next[parent] + n_nodes[i]);
        next[i] = number[i] + 1;
        parent = number[parent];
    }
    const auto move = [&](auto &from, auto &to, size_t width = 1) {
        to.resize((start + n) * width);
        for (size_t i = 0; i < n; ++i)
            std::copy_n(from.data() + i * width, width, to.data() + (start + number[i]) * width);
        from.clear();
    };
    move(made.feature, records.feature);
    move(made.threshold, records.threshold);
    move(made.sent, records.sent);
    move(made.known, records.known);
    move(made.counts, records.counts, static_cast<size_t>(made.n_classes));
    move(made.parent, records.parent);
}

}  // namespace

Records grow_random(const AllRows &all, Matrix<const int32_t> drawn, std::span<const int64_t> seeds,
                    const RandomRule &rule, const Terms &terms) {
    const SharedRows shared(all, rule, terms);
    Records records{{}, all.columns.n_classes, {}, {}, {}}, made = records;
    Poll poll;
    for (int64_t tree = 0; tree < drawn.rows; ++tree) {
        RandomGrower(shared, drawn.row(tree), seeds[tree], made).grow(poll);
        move_records(made, records);
    }
    return records;
}

}  // namespace retree::weka
