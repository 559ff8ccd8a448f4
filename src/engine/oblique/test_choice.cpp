#include "oblique/test_choice.hpp"

namespace retree::oblique {
namespace {

// Returns the test of greatest goodness; ties go to the lowest feature, then threshold.
AxisTest best_axis_test(const Data &data, int64_t start, int64_t end, const Measure &measure,
                        Poll &poll) {
    std::vector<double> left(measure.totals.size());
    AxisTest best;
    double bar = NONE;
    for (int64_t j = 0; j < data.X.columns; ++j) {
        poll.check();
        std::fill(left.begin(), left.end(), 0.0);
        const auto rows = data.sorted_rows(j, start, end);
        double next = data.X(rows[0], j), n_left = 0.0;
        for (size_t i = 0; i + 1 < rows.size(); ++i) {
            const double w = data.weight[rows[i]];
            left[data.y[rows[i]]] += w;
            n_left += w;
            const double value = next;
            next = data.X(rows[i + 1], j);
            if (value == next) continue;
            const double score = measure.goodness(left.data(), n_left);
            if (score > bar) {
                best = {j, middle_of(value, next), score};
                bar = score + TIE * measure.n;
            }
        }
    }
    return best;
}

// The coefficients of the axis-parallel test, all 0 if its feature hardly varies.
std::vector<double> start_at(const AxisTest &axis, const std::vector<ScaledFeature> &features) {
    std::vector<double> weights(features.size() + 1);
    for (size_t m = 0; m < features.size(); ++m) {
        const auto &[feature, centre, scale] = features[m];
        if (feature != axis.feature) continue;
        weights[m] = 1.0;
        weights.back() = -(0.5 * axis.threshold - centre) / scale;
    }
    return weights;
}

// The coefficients of the features as they are, of about 1 at most.
std::vector<double> original_normal(std::span<const double> weights,
                                    const std::vector<ScaledFeature> &features,
                                    int64_t n_features) {
    double unit = -NONE;
    for (size_t m = 0; m < features.size(); ++m)
        if (weights[m] != 0.0) unit = std::min(unit, features[m].scale);
    std::vector<double> normal(static_cast<size_t>(n_features));
    for (size_t m = 0; m < features.size(); ++m)
        // This quotient is at most 1, whatever the units are.
        if (weights[m] != 0.0)
            normal[features[m].feature] = weights[m] * (unit / features[m].scale);
    return normal;
}

// Whether a row of the sample is on the left of a hyperplane.
bool is_left(const NodeSample &sample, std::span<const double> weights, size_t i) {
    double value = weights.back();
    for (size_t m = 0; m + 1 < weights.size(); ++m) value += weights[m] * sample.z(m)[i];
    return value <= 0.0;
}

// What prediction compares with the threshold, to the last bit.
double project(std::span<const double> x, std::span<const double> normal) {
    double total = 0.0;
    for (size_t j = 0; j < normal.size(); ++j)
        if (normal[j] != 0.0) total += normal[j] * x[j];
    return total;
}

}  // namespace

TestChooser::TestChooser(const Data &data, const Rule &rule, Poll &poll)
    : goes_left(data.rows.size()),
      data_(data),
      rule_(rule),
      poll_(poll),
      table_(make_table(data.X.rows, rule.criterion, data.weight.differ())) {}

Test TestChooser::choose(int64_t start, int64_t end, std::span<const double> counts,
                         uint64_t seed) {
    const double n = sum_of(counts);
    const Measure measure{rule_.criterion, counts, n, data_.weight.least(), table_of(table_)};
    const AxisTest axis = best_axis_test(data_, start, end, measure, poll_);
    if (axis.feature == LEAF) return {LEAF, 0.0, {}};
    if (n > rule_.rows_per_feature * static_cast<double>(data_.X.columns)) {
        Scored found = oblique_test(start, end, axis, seed);
        if (found.goodness > axis.goodness + TIE * n) return std::move(found.test);
    }
    for (int64_t i = start; i < end; ++i) {
        const int32_t row = data_.rows[i];
        goes_left[row] = data_.X(row, axis.feature) <= axis.threshold;
    }
    return {axis.feature, axis.threshold, {}};
}

// Searches for an oblique test.
TestChooser::Scored TestChooser::oblique_test(int64_t start, int64_t end, const AxisTest &axis,
                                              uint64_t seed) {
    const auto features = scale_features(data_, start, end, rule_.scaling);
    auto weights = start_at(axis, features);
    if (std::ranges::all_of(weights, [](double w) { return w == 0.0; })) return {{}, NONE};
    const NodeSample sample(data_, start, end, features, rule_.criterion, table_, poll_);
    weights = rule_.search(sample, weights, seed, poll_);
    return test_in_original(sample, weights, original_normal(weights, features, data_.X.columns));
}

// Finds the threshold of a hyperplane on the original features: the middle between the nearest
// projections on both sides. Rounding may move rows to the other side, so the goodness is that of
// the test as it is; NONE if numbers are too large.
TestChooser::Scored TestChooser::test_in_original(const NodeSample &sample,
                                                  std::span<const double> weights,
                                                  std::vector<double> normal) {
    std::vector<double> projected(sample.n());
    double low = NONE, high = -NONE;
    for (size_t i = 0; i < projected.size(); ++i) {
        projected[i] = project(data_.X.row(sample.row[i]), normal);
        if (is_left(sample, weights, i)) {
            low = std::max(low, projected[i]);
        } else {
            high = std::min(high, projected[i]);
        }
    }
    const double threshold = middle_of(low, high);
    const auto is_finite = [](double number) { return std::isfinite(number); };
    if (!is_finite(threshold) || !std::ranges::all_of(projected, is_finite)) return {{}, NONE};
    std::vector<double> left(sample.totals.size());
    double n_left = 0.0;
    for (size_t i = 0; i < projected.size(); ++i) {
        const bool goes = projected[i] <= threshold;
        goes_left[sample.row[i]] = goes;
        if (!goes) continue;
        left[sample.label[i]] += sample.weight(i);
        n_left += sample.weight(i);
    }
    const double score = sample.measure.goodness(left.data(), n_left);
    return {{OBLIQUE, threshold, std::move(normal)}, score};
}

}  // namespace retree::oblique
