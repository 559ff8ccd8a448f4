#include "weka/random_tree.hpp"

#include "core/java_random.hpp"
#include "core/weka_sort.hpp"

namespace retree::weka {
namespace {

constexpr size_t WORD = 64, FEW = 12;

struct RandomNode {
    int64_t depth, parent;
    double sent;
    std::vector<double> counts;
    std::vector<int32_t> rows;   // of X, in Weka's order
    std::vector<double> weight;  // of each, empty where it is that of the row
};

// Where sums are exact, rows that are drawn again have a whole weight, sorting may use any method,
// and a number stands for a row of X. Otherwise it stands for a place in a node, whose rows Weka
// sorts in place by one feature after the other.
class RandomGrower {
public:
    RandomGrower(const AllRows &all, std::span<const int32_t> drawn, const RandomRule &rule,
                 const Terms &terms);

    Records grow();

private:
    // The level of a row, -1 where missing; its class; its weight.
    struct OfPlace {
        const RandomGrower &grower;
        std::span<const int32_t> codes;

        int32_t code(int32_t i) const { return codes[grower.row_at(i)]; }
        int32_t label(int32_t i) const { return grower.view_.y[grower.row_at(i)]; }
        double weight(int32_t i) const { return grower.view_.weight[i]; }
    };

    RandomNode root(std::span<const int32_t> drawn) const;
    bool is_exact() const { return rule_.is_exact != 0; }
    int32_t row_at(int32_t i) const { return is_exact() ? i : view_.origin[i]; }
    // What stands for the rows of a node.
    std::span<const int32_t> numbers(const RandomNode &node) const {
        return std::span(is_exact() ? node.rows : numbers_).first(node.rows.size());
    }
    bool is_terminal(const RandomNode &node) const;
    void expand(RandomNode node);
    void choose(RandomNode &node);
    void test(RandomNode &node, int32_t feature);
    std::span<const uint64_t> sorted(RandomNode &node, int64_t j);
    const int32_t *places_of(int64_t j) const { return place_.data() + j * all_.entries.columns; }
    void sort_places();
    void sort_in_place(RandomNode &node, int64_t j);
    void see(const RandomNode &node);
    int32_t branch_of(int32_t row) const;
    void deal(std::span<const int32_t> rows, std::span<RandomNode> children);
    std::vector<RandomNode> divided(const RandomNode &node, int64_t number);

    const AllRows &all_;
    RandomRule rule_;
    WeightedColumns view_;  // the rows of a node
    std::vector<double> weight_;
    std::vector<int32_t> rows_;
    Tester tester_;
    JavaRandom random_;
    std::vector<int32_t> window_;  // features, those drawn last in a node at the end
    std::vector<int64_t> column_;  // of each feature, numeric ones first
    std::vector<int32_t> place_;   // (n_numeric, n_samples) of a row's entry in each column
    Records records_;
    std::vector<RandomNode> stack_;
    Split best_, own_;
    std::vector<uint64_t> entries_, words_;
    std::vector<int32_t> places_, branches_;
    int32_t first_right_ = 0;  // of sums that are exact: the place from which on rows go right
    std::vector<Keyed> keyed_;
    std::vector<int32_t> numbers_;  // 0, 1, ...
    std::vector<double> weights_;
};

std::vector<double> weights_of_drawn(const AllRows &all, std::span<const int32_t> drawn) {
    std::vector<double> weight(all.columns.y.size());
    for (const int32_t row : drawn) weight[row] += all.columns.weight[row];
    return weight;
}

// The columns of all rows, with the weights and numbers of those drawn.
WeightedColumns columns_of_drawn(const AllRows &all, std::span<const double> weight,
                                 std::vector<int32_t> &rows) {
    for (int32_t row = 0; row < std::ssize(weight); ++row)
        if (weight[row] > 0.0) rows.push_back(row);
    WeightedColumns view = all.columns;
    view.weight = weight;
    view.rows = rows;
    return view;
}

RandomGrower::RandomGrower(const AllRows &all, std::span<const int32_t> drawn,
                           const RandomRule &rule, const Terms &terms)
    : all_(all),
      rule_(rule),
      view_(all.columns),
      weight_(weights_of_drawn(all, drawn)),
      tester_(columns_of_drawn(all, weight_, rows_), terms, is_exact()),
      random_(JavaRandom::of_seed(rule.seed)),
      window_(row_numbers(all.columns.X.columns)),
      column_(window_.size()),
      place_(static_cast<size_t>(all.entries.rows * all.entries.columns)),
      records_{{}, all.columns.n_classes, {}, {}, {}} {
    view_.weight = weight_;
    int64_t next = 0;
    for (const auto &features : {all.columns.numeric, all.columns.nominal})
        for (const int32_t feature : features) column_[feature] = next++;
    const Matrix<int32_t> place{place_.data(), all.entries.rows, all.entries.columns};
    for (int64_t j = 0; j < place.rows; ++j)
        for (int32_t i = 0; i < place.columns; ++i) place(j, row_of(all.entries(j, i))) = i;
    words_.resize((view_.y.size() + WORD - 1) / WORD);
    stack_.push_back(root(drawn));
}

RandomNode RandomGrower::root(std::span<const int32_t> drawn) const {
    RandomNode node{0, -1, 0.0, std::vector<double>(static_cast<size_t>(view_.n_classes)), {}, {}};
    for (const int32_t row : drawn) {
        node.counts[view_.y[row]] += all_.columns.weight[row];
        node.sent += all_.columns.weight[row];
    }
    node.rows = rows_;
    if (is_exact()) return node;
    node.rows.assign(drawn.begin(), drawn.end());
    for (const int32_t row : drawn) node.weight.push_back(all_.columns.weight[row]);
    return node;
}

Records RandomGrower::grow() {
    Poll poll;
    grow_depth_first(stack_, poll, [this](RandomNode node) { expand(std::move(node)); });
    return std::move(records_);
}

// Whether a node is a leaf whatever its tests: without rows, light, pure, or at the greatest depth.
bool RandomGrower::is_terminal(const RandomNode &node) const {
    const double total = sum_of(node.counts);
    return node.rows.empty() || total < 2 * rule_.min_cases ||
           total - *std::ranges::max_element(node.counts) < SMALL || node.depth >= rule_.max_depth;
}

// Records a node and puts its branches on the stack.
void RandomGrower::expand(RandomNode node) {
    const int64_t number = records_.add_leaf(node.parent);
    records_.counts.insert(records_.counts.end(), node.counts.begin(), node.counts.end());
    records_.sent.push_back(node.sent);
    records_.known.push_back(0.0);
    if (is_terminal(node)) return;
    see(node);
    choose(node);
    if (best_.column < 0) return;
    records_.feature[number] = static_cast<int32_t>(best_.column);
    records_.threshold[number] = best_.point;
    records_.known[number] = best_.known;
    auto children = divided(node, number);
    for (size_t b = children.size(); b-- > 0;) stack_.push_back(std::move(children[b]));
}

// Draws features, as many as asked for and until one gains something; the first of the best wins.
void RandomGrower::choose(RandomNode &node) {
    best_.column = -1;
    best_.gain = SMALL;
    int64_t n_left = std::ssize(window_), n_tried = 0;
    while (n_left > 0 && (n_tried++ < rule_.n_tried || best_.column < 0)) {
        const int32_t chosen = random_.below(static_cast<int32_t>(n_left--));
        std::swap(window_[chosen], window_[n_left]);
        const int32_t feature = window_[n_left];
        own_.start(feature);
        test(node, feature);
        const bool ties = own_.gain == best_.gain && feature < best_.column;
        if (!(own_.gain > best_.gain || ties)) continue;
        std::swap(best_, own_);
        // The middle of huge values may be infinite, and all rows are below it.
        if (is_exact() && best_.point < INF)
            first_right_ = places_[static_cast<size_t>(best_.place)];
        if (best_.point == INF) first_right_ = std::numeric_limits<int32_t>::max();
    }
}

void RandomGrower::test(RandomNode &node, int32_t feature) {
    const int64_t column = column_[feature], j = column - all_.entries.rows;
    if (j < 0)
        return tester_.numeric(view_, sorted(node, column), column, node.counts, best_.gain, own_);
    tester_.nominal(numbers(node), view_.n_levels[j], OfPlace{*this, view_.codes.row(j)}, own_);
}

// Returns the entries of a node in the order of numeric column j.
std::span<const uint64_t> RandomGrower::sorted(RandomNode &node, int64_t j) {
    const auto column = all_.entries.row(j);
    const int32_t *const place = places_of(j);
    if (is_exact()) {
        const size_t n = node.rows.size();
        places_.resize(n);
        entries_.resize(n);
        for (size_t i = 0; i < n; ++i) places_[i] = place[node.rows[i]];
        sort_places();
        for (size_t i = 0; i < n; ++i) entries_[i] = column[places_[i]];
        return entries_;
    }
    sort_in_place(node, j);
    entries_.clear();
    for (const int32_t i : numbers(node))
        entries_.push_back((column[place[node.rows[i]]] & ~ROW_MASK) | static_cast<uint64_t>(i));
    return entries_;
}

// Sorts places, all different: many as the bits of words, which takes no comparisons.
void RandomGrower::sort_places() {
    if (places_.size() < std::max(FEW, words_.size() / 4)) {
        std::ranges::sort(places_);
        return;
    }
    for (const int32_t i : places_) words_[i / WORD] |= uint64_t{1} << (i % WORD);
    int32_t *next = places_.data();
    for (size_t w = 0; w < words_.size(); ++w) {
        for (uint64_t word = std::exchange(words_[w], 0); word != 0; word &= word - 1)
            *next++ = static_cast<int32_t>(w * WORD) + std::countr_zero(word);
    }
}

void RandomGrower::sort_in_place(RandomNode &node, int64_t j) {
    keyed_.clear();
    for (const int32_t i : numbers(node)) keyed_.push_back({view_.value_of(j, i), i});
    weka_sort(keyed_);
    rows_.clear();
    weights_.clear();
    for (const Keyed &each : keyed_) {
        rows_.push_back(node.rows[each.item]);
        weights_.push_back(node.weight[each.item]);
    }
    std::swap(node.rows, rows_);
    std::swap(node.weight, weights_);
    see(node);
}

// Lets the view show the rows of a node.
void RandomGrower::see(const RandomNode &node) {
    if (is_exact()) return;
    if (numbers_.size() < node.rows.size()) numbers_ = row_numbers(std::ssize(node.rows));
    view_.origin = node.rows;
    view_.weight = node.weight;
}

// The branch of a row by the best test, -1 where the value is missing.
int32_t RandomGrower::branch_of(int32_t row) const {
    const int64_t j = column_[best_.column] - all_.entries.rows;
    if (j >= 0) return view_.codes(j, row);
    if (is_exact()) return places_of(column_[best_.column])[row] >= first_right_;
    const double value = all_.columns.X(row, best_.column);
    return std::isnan(value) ? -1 : value >= best_.point;
}

// Gives each row to one branch.
void RandomGrower::deal(std::span<const int32_t> rows, std::span<RandomNode> children) {
    std::vector<size_t> sizes(children.size());
    branches_.resize(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) ++sizes[branches_[i] = branch_of(rows[i])];
    std::vector<int32_t *> next;
    for (size_t b = 0; b < children.size(); ++b) {
        children[b].rows.resize(sizes[b]);
        next.push_back(children[b].rows.data());
    }
    for (size_t i = 0; i < rows.size(); ++i) *next[branches_[i]]++ = rows[i];
}

std::vector<RandomNode> RandomGrower::divided(const RandomNode &node, int64_t number) {
    std::vector<RandomNode> children;
    const auto counts = best_.by_branch(view_.n_classes);
    for (int64_t b = 0; b < counts.rows; ++b) {
        const auto own = counts.row(b);
        children.push_back(
            {node.depth + 1, number, best_.sent[b], {own.begin(), own.end()}, {}, {}});
    }
    if (is_exact()) {
        deal(node.rows, children);
        return children;
    }
    for (size_t i = 0; i < node.rows.size(); ++i) {
        const int32_t row = node.rows[i], branch = branch_of(row);
        if (branch >= 0) {
            children[branch].rows.push_back(row);
            children[branch].weight.push_back(node.weight[i]);
            continue;
        }
        for (size_t b = 0; b < children.size(); ++b) {
            if (!(best_.share[b] > 0.0)) continue;
            children[b].rows.push_back(row);
            children[b].weight.push_back(best_.share[b] * node.weight[i]);
        }
    }
    return children;
}

}  // namespace

Records grow_random(const AllRows &all, std::span<const int32_t> drawn, const RandomRule &rule,
                    const Terms &terms) {
    return RandomGrower(all, drawn, rule, terms).grow();
}

}  // namespace retree::weka
