#include "cmdt/split.hpp"

#include "core/tests.hpp"
#include "relief/relief.hpp"

namespace retree::cmdt {
namespace {

constexpr double ZERO = 1e-12;  // weights that are no more are 0; Gini indices closer are tied
constexpr int N_GAMMAS = 9;     // 0.1, 0.2, ... 0.9

// Returns the rows of lowest priority, in order; all if there are not so many.
std::vector<int32_t> sample(std::span<const int32_t> priority, int64_t n_samples) {
    auto rows = row_numbers(std::ssize(priority));
    if (n_samples >= static_cast<int64_t>(rows.size())) return rows;
    // Priorities are a permutation, so that there are no ties.
    std::nth_element(rows.begin(), rows.begin() + n_samples, rows.end(),
                     [&](int32_t a, int32_t b) { return priority[a] < priority[b]; });
    rows.resize(static_cast<size_t>(n_samples));
    std::sort(rows.begin(), rows.end());
    return rows;
}

// Columns on the scale of Relief-F; those that are on it already are not copied.
class ScaledColumns {
public:
    ScaledColumns(const NodeRows &node, const Columns &columns) {
        own_.resize(columns.spread.size());
        for (size_t j = 0; j < own_.size(); ++j) {
            auto column = node.rows.column(static_cast<int64_t>(j));
            if (const double spread = columns.spread[j]; spread != 1.0) {
                own_[j].assign(column.begin(), column.end());
                for (double &value : own_[j]) value /= spread;
                column = own_[j];
            }
            views_.push_back(column);
        }
    }

    std::span<const std::span<const double>> views() const { return views_; }

private:
    std::vector<std::vector<double>> own_;
    std::vector<std::span<const double>> views_;
};

// Returns the weights of the columns, 0 of those that are dropped.
std::vector<double> weigh(const NodeRows &node, const Columns &columns, const Rule &rule,
                          Poll &poll) {
    if (!rule.weights) return std::vector<double>(columns.nominal.size(), 1.0);
    const ScaledColumns scaled(node, columns);
    Relief relief(scaled.views(), columns.nominal, node.class_start);
    auto weight = relief.weights(sample(node.priority, rule.n_samples), rule.n_neighbors, poll);
    const double largest = *std::max_element(weight.begin(), weight.end());
    for (double &w : weight)
        if (w <= ZERO || w < rule.beta * largest) w = 0.0;
    return weight;
}

// Returns 1 - the Gini index: the rows' mean share of their own class in their cluster. Rows
// without a label go to the largest cluster.
double purity(std::span<int32_t> labels, std::span<const int32_t> y, int64_t n_clusters,
              int64_t n_classes) {
    std::vector<double> values(static_cast<size_t>(n_clusters * n_classes));
    const Matrix<double> counts{values.data(), n_clusters, n_classes};
    std::vector<double> sizes(static_cast<size_t>(n_clusters));
    const auto add = [&](size_t i) {
        counts(labels[i], y[i]) += 1.0;
        sizes[labels[i]] += 1.0;
    };
    for (size_t i = 0; i < labels.size(); ++i)
        if (labels[i] >= 0) add(i);
    const auto largest = std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
    for (size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] >= 0) continue;
        labels[i] = static_cast<int32_t>(largest);
        add(i);
    }
    double total = 0.0;
    for (int64_t c = 0; c < n_clusters; ++c) {
        double squares = 0.0;
        for (const double count : counts.row(c)) squares += count * count;
        total += squares / sizes[c];
    }
    return total / static_cast<double>(labels.size());
}

struct Gammas {
    std::vector<double> values;
    int32_t metric;
};

// Returns the parts of the numeric columns to try, and the metric: all or nothing if all are.
Gammas gammas_to_try(std::span<const double> weight, const Columns &columns, const Rule &rule) {
    bool has_nominal = false, has_numeric = false;
    for (size_t j = 0; j < weight.size(); ++j)
        if (weight[j] != 0.0) (columns.nominal[j] != 0 ? has_nominal : has_numeric) = true;
    const auto metric = static_cast<int32_t>(rule.metric);
    if (metric == MANHATTAN) return {{0.5}, metric};
    // The mean is the middle of the squared distances; the nearest centre is the same.
    if (!has_nominal) return {{1.0}, SQEUCLIDEAN};
    if (!has_numeric) return {{0.0}, metric};
    if (!std::isnan(rule.gamma)) return {{rule.gamma}, metric};
    std::vector<double> values;
    for (int i = 1; i <= N_GAMMAS; ++i) values.push_back(static_cast<double>(i) / (N_GAMMAS + 1));
    return {std::move(values), metric};
}

}  // namespace

Split find_split(const NodeRows &node, const Columns &columns, const Rule &rule, Poll &poll) {
    const auto n_classes = static_cast<int64_t>(node.class_start.size()) - 1;
    const auto weight = weigh(node, columns, rule, poll);
    Split best{weight, 0.0, static_cast<int32_t>(rule.metric), {0, columns.start.back()}, {}};
    if (std::all_of(weight.begin(), weight.end(), [](double w) { return w == 0.0; })) return best;
    const auto [gammas, metric] = gammas_to_try(weight, columns, rule);
    Space space{weight, 0.0, metric, columns.start, columns.nominal, rule.modes != 0};
    const Positions centroids = find_centres(node.rows, node.y, n_classes, space);
    double most_pure = -1.0;
    for (const double gamma : gammas) {
        space.gamma = gamma;
        std::vector<int32_t> labels(node.y.size());
        auto found = cluster(node.rows, centroids, space, rule.max_rounds, false, labels, poll);
        if (found.positions.n < 2) continue;
        const double now = purity(labels, node.y, found.positions.n, n_classes);
        if (now <= most_pure + ZERO) continue;
        most_pure = now;
        best = {weight, gamma, metric, std::move(found.positions), std::move(labels)};
    }
    return best;
}

}  // namespace retree::cmdt
