#include "oblique/node_sample.hpp"

#include "core/presort.hpp"

namespace retree::oblique {
namespace {

constexpr double FLAT = 0x1p-20;  // of the range: quartiles closer than this do not scale a feature
constexpr double LARGEST = 1e100;

// Half of the least value that at least a share of a node's rows does not exceed.
double half_value(const Data &data, int64_t column, std::span<const int32_t> rows, double share) {
    const auto n = static_cast<double>(rows.size());
    if (!data.weight.differ() || share == 0.0 || share == 1.0) {
        const auto place = std::max(int64_t{0}, static_cast<int64_t>(std::ceil(share * n)) - 1);
        return 0.5 * data.X(rows[static_cast<size_t>(place)], column);
    }
    double total = 0.0, below = 0.0;
    for (const int32_t row : rows) total += data.weight[row];
    size_t place = 0;
    while ((below += data.weight[rows[place]]) < share * total) ++place;
    return 0.5 * data.X(rows[place], column);
}

}  // namespace

Data::Data(Matrix<const double> values, std::span<const int32_t> codes, ExactWeights weights,
           int64_t classes, Poll &poll)
    : X(values),
      y(codes),
      weight(weights),
      n_classes(classes),
      rows(codes.size()),
      sorted(rows.size() * static_cast<size_t>(values.columns)) {
    std::iota(rows.begin(), rows.end(), 0);
    ColumnSorter sorter(X.rows);
    std::vector<uint64_t> keys(rows.size());
    for (int64_t j = 0; j < X.columns; ++j) {
        poll.check();
        for (const int32_t row : rows) keys[row] = sort_key(X(row, j));
        const auto ordered = sorter.sort(keys, rows).rows;
        std::copy(ordered.begin(), ordered.end(), sorted.begin() + j * X.rows);
    }
}

std::vector<double> Data::count_classes(int64_t start, int64_t end) const {
    std::vector<double> counts(static_cast<size_t>(n_classes));
    for (int64_t i = start; i < end; ++i) {
        const int32_t row = rows[static_cast<size_t>(i)];
        counts[static_cast<size_t>(y[static_cast<size_t>(row)])] += weight[row];
    }
    return counts;
}

std::vector<ScaledFeature> scale_features(const Data &data, int64_t start, int64_t end,
                                          Scaling scaling) {
    std::vector<ScaledFeature> features;
    for (int64_t j = 0; j < data.X.columns; ++j) {
        const auto rows = data.sorted_rows(j, start, end);
        const auto at = [&](double share) { return half_value(data, j, rows, share); };
        const double low = at(0.0), high = at(1.0);
        if (!(high - low > 0.0)) continue;
        if (scaling == Scaling::AS_IS) {
            if (std::max(-low, high) <= LARGEST) features.push_back({j, 0.0, 0.5});
            continue;
        }
        ScaledFeature feature{j, low, high - low};
        if (scaling == Scaling::BY_QUARTILES) {
            feature.centre = at(0.5);
            const double lower = at(0.25), upper = at(0.75);
            if (upper - lower > FLAT * (high - low)) feature.scale = upper - lower;
        }
        features.push_back(feature);
    }
    return features;
}

NodeSample::NodeSample(const Data &data, int64_t start, int64_t end,
                       const std::vector<ScaledFeature> &features, Criterion criterion,
                       std::span<const double> table, Poll &poll)
    : row(static_cast<size_t>(end - start)), label(row.size()), mean(features.size() + 1, 1.0) {
    group_rows(data, start, end);
    measure = {criterion, totals, sum_of(totals), data.weight.least(), table_of(table)};
    z_.resize(n_weights() * n());
    for (size_t i = 0; i < n(); ++i) {
        if (i % 4096 == 0) poll.check();
        const auto x = data.X.row(row[i]);
        double *z = z_.data() + i;
        for (const auto &[feature, centre, scale] : features) {
            *z = (0.5 * x[static_cast<size_t>(feature)] - centre) / scale;
            z += n();
        }
        *z = 1.0;
    }
    for (size_t m = 0; m < features.size(); ++m) {
        double sum = 0.0;
        for (const double value : z(m)) sum += std::abs(value);
        mean[m] = sum / static_cast<double>(n());
    }
}

void NodeSample::group_rows(const Data &data, int64_t start, int64_t end) {
    const auto counts = data.count_classes(start, end);
    std::vector<int64_t> n_rows(counts.size());
    for (int64_t i = start; i < end; ++i) ++n_rows[data.y[data.rows[i]]];
    std::vector<int32_t> number(counts.size());
    first.push_back(0);
    for (size_t c = 0; c < counts.size(); ++c) {
        number[c] = static_cast<int32_t>(totals.size());
        if (n_rows[c] == 0) continue;
        totals.push_back(counts[c]);
        first.push_back(first.back() + n_rows[c]);
    }
    if (data.weight.differ()) weight_.resize(n());
    std::vector<int64_t> free(first);
    for (int64_t i = start; i < end; ++i) {
        const int32_t r = data.rows[static_cast<size_t>(i)];
        const int32_t c = number[static_cast<size_t>(data.y[static_cast<size_t>(r)])];
        const auto place = static_cast<size_t>(free[static_cast<size_t>(c)]++);
        row[place] = r;
        label[place] = c;
        if (is_weighted()) weight_[place] = data.weight[r];
    }
}

}  // namespace retree::oblique
