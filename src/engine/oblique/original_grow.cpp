#include "oblique/original_grow.hpp"

#include "core/tests.hpp"

namespace retree::oblique {
namespace {

constexpr double JUST_BELOW_0 = -std::numeric_limits<double>::denorm_min();

struct OriginalTest {
    std::vector<double> normal;
    double threshold;
};

// The test of finite numbers that sends rows where the program's hyperplane does. A coefficient
// that has overflowed leaves the sign of its feature: a sum of -infinity is on the left, and one
// that is no number on the right. (Of several such features the signs are added up.)
OriginalTest test_of(std::span<const float> coefs) {
    const auto features = coefs.first(coefs.size() - 1);
    const float constant = coefs.back();
    OriginalTest test{std::vector<double>(features.begin(), features.end()), 0.0};
    const auto is_finite = [](float c) { return std::isfinite(c); };
    if (std::ranges::all_of(coefs, is_finite)) {
        const double bound = -double{constant};
        test.threshold = std::nextafter(bound, -INF);
        return test;
    }
    const auto is_nan = [](float c) { return c != c; };
    const bool none = std::ranges::any_of(coefs, is_nan) || constant > HUGE_IMPURITY;
    const bool all = !none && std::ranges::all_of(features, is_finite);
    for (size_t j = 0; j < features.size(); ++j)
        test.normal[j] = none || all || is_finite(features[j]) ? 0.0
                         : features[j] < 0.0F                  ? -1.0
                                                               : 1.0;
    test.threshold = all ? 0.0 : JUST_BELOW_0;
    return test;
}

class Grower {
public:
    Grower(Matrix<const double> X, std::span<const int32_t> y, int64_t n_classes,
           const OriginalRule &rule, uint64_t state, Poll &poll)
        : y_(y),
          n_classes_(static_cast<size_t>(n_classes)),
          rule_(rule),
          poll_(poll),
          x_(X.data, X.data + X.rows * X.columns),
          X_{x_.data(), X.rows, X.columns},
          rows_(row_numbers(X.rows)),
          search_(rule, rows_.size(), static_cast<size_t>(X.columns), n_classes_, state, poll) {}

    Nodes grow();

private:
    struct Pending {
        size_t start, end;
        int64_t depth, parent;
        bool is_last;  // whether the program takes the node for pure
    };

    bool add_node(const Pending &node);
    size_t split(const Pending &node);

    std::span<const int32_t> y_;
    size_t n_classes_;
    const OriginalRule &rule_;
    Poll &poll_;
    std::vector<float> x_;
    Matrix<float> X_;
    std::vector<int32_t> rows_, labels_;
    OriginalSearch search_;
    Nodes nodes_;
};

Nodes Grower::grow() {
    std::vector<Pending> stack{{0, rows_.size(), 0, -1, false}};
    grow_depth_first(stack, poll_, [&](const Pending &node) {
        const int64_t number = nodes_.size();
        if (!add_node(node)) return;
        const auto rows = std::span(rows_).subspan(node.start, node.end - node.start);
        labels_.clear();
        for (const int32_t row : rows) labels_.push_back(y_[static_cast<size_t>(row)]);
        const float impurity = search_.search(X_, rows, labels_, node.parent < 0);
        if (!(impurity < HUGE_IMPURITY)) return;
        const OriginalTest test = test_of(search_.coefficients());
        nodes_.feature.back() = OBLIQUE;
        nodes_.threshold.back() = test.threshold;
        nodes_.normals.insert(nodes_.normals.end(), test.normal.begin(), test.normal.end());
        const size_t middle = split(node);
        const bool is_last = impurity == 0.0F;
        stack.push_back({middle, node.end, node.depth + 1, number, is_last});
        stack.push_back({node.start, middle, node.depth + 1, number, is_last});
    });
    return std::move(nodes_);
}

// Records a node as a leaf; returns whether it may be split.
bool Grower::add_node(const Pending &node) {
    std::vector<double> counts(n_classes_);
    for (size_t i = node.start; i < node.end; ++i)
        counts[static_cast<size_t>(y_[static_cast<size_t>(rows_[i])])] += 1.0;
    nodes_.add_leaf(node.parent);
    nodes_.counts.insert(nodes_.counts.end(), counts.begin(), counts.end());
    const auto n = static_cast<int64_t>(node.end - node.start);
    return !node.is_last && node.depth < rule_.max_depth && n >= rule_.min_samples_split &&
           *std::ranges::max_element(counts) < static_cast<double>(n);
}

// Puts the rows on the left before the others, both in their order; returns where these begin.
size_t Grower::split(const Pending &node) {
    std::vector<int32_t> right;
    size_t middle = node.start;
    for (size_t i = node.start; i < node.end; ++i) {
        if (search_.is_left(i - node.start)) {
            rows_[middle++] = rows_[i];
        } else {
            right.push_back(rows_[i]);
        }
    }
    std::ranges::copy(right, rows_.begin() + static_cast<int64_t>(middle));
    return middle;
}

}  // namespace

Nodes grow_original(Matrix<const double> X, std::span<const int32_t> y, int64_t n_classes,
                    const OriginalRule &rule, uint64_t state, Poll &poll) {
    for (int64_t i = 0; i < X.rows * X.columns; ++i)
        require(std::abs(X.data[i]) <= double{HUGE_IMPURITY},
                "The engine needs numbers of 32-bit floats, up to 3.4e38.");
    return Grower(X, y, n_classes, rule, state, poll).grow();
}

}  // namespace retree::oblique
