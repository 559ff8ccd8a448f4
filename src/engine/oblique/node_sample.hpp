// The training rows, and the rows of a node as the searches for an oblique test see them.
#pragma once

#include "core/exact_weights.hpp"
#include "oblique/goodness.hpp"

namespace retree::oblique {

// All training rows; a node is a range of `rows` and of each of the sorted columns.
struct Data {
    Matrix<const double> X;
    std::span<const int32_t> y;  // class codes
    ExactWeights weight;
    int64_t n_classes;
    std::vector<int32_t> rows;
    std::vector<int32_t> sorted;  // of each column, the rows in the order of its values

    Data(Matrix<const double> values, std::span<const int32_t> codes, ExactWeights weights,
         int64_t classes, Poll &poll);

    std::span<const int32_t> sorted_rows(int64_t column, int64_t start, int64_t end) const {
        return {sorted.data() + column * X.rows + start, static_cast<size_t>(end - start)};
    }
    std::vector<double> count_classes(int64_t start, int64_t end) const;
};

enum class Scaling : int64_t { AS_IS, BY_RANGE, BY_QUARTILES };

// A feature that varies in the node is z = (x / 2 - centre) / scale. Halves, so that the range of
// values near the largest double stays finite.
struct ScaledFeature {
    int64_t feature;
    double centre;
    double scale;  // positive
};

// How the features of a node are shifted and scaled: by range, to [0, 1]; by quartiles, to median 0
// and distance 1 of the quartiles, where the range takes their place if they are (nearly) equal; or
// not at all, and then features with values above 1e100 are left out.
std::vector<ScaledFeature> scale_features(const Data &data, int64_t start, int64_t end,
                                          Scaling scaling);

// The rows of a node, grouped by class, their features shifted and scaled.
class NodeSample {
public:
    NodeSample(const Data &data, int64_t start, int64_t end,
               const std::vector<ScaledFeature> &features, Criterion criterion,
               std::span<const double> table, Poll &poll);
    NodeSample(const NodeSample &) = delete;

    size_t n() const { return row.size(); }
    size_t n_weights() const { return mean.size(); }
    // The values of a weight's feature; 1 for the last one, the constant term.
    std::span<const double> z(size_t m) const { return {z_.data() + m * n(), n()}; }

    double weight(size_t i) const { return weight_.empty() ? 1.0 : weight_[i]; }
    bool is_weighted() const { return !weight_.empty(); }

    std::vector<int32_t> row;    // row of the training data
    std::vector<int32_t> label;  // ascending numbers of the classes that occur
    std::vector<int64_t> first;  // where each class starts, and the end
    std::vector<double> totals;  // weight of each class
    std::vector<double> mean;    // means of the absolute values of z
    Measure measure;

private:
    void group_rows(const Data &data, int64_t start, int64_t end);

    std::vector<double> z_;
    std::vector<double> weight_;  // empty if all are 1
};

}  // namespace retree::oblique
