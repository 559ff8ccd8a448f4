#include "weka/rep_split.hpp"

namespace retree::weka {
namespace {

int32_t feature_of(const WeightedColumns &columns, int64_t column) {
    const int64_t n_numeric = columns.n_numeric();
    return column < n_numeric ? columns.numeric[column] : columns.nominal[column - n_numeric];
}

struct OfRow {
    const WeightedColumns &columns;
    std::span<const int32_t> codes;

    int32_t code(int32_t row) const { return codes[row]; }
    int32_t label(int32_t row) const { return columns.y[row]; }
    double weight(int32_t row) const { return columns.weight[row]; }
};

}  // namespace

Chooser::Chooser(const WeightedColumns &columns, const Rule &rule, const Terms &terms)
    : rule_(rule),
      by_feature_(static_cast<size_t>(columns.X.columns)),
      tester_(columns, terms, rule.is_exact) {
    std::iota(by_feature_.begin(), by_feature_.end(), 0);
    std::ranges::sort(by_feature_, {}, [&](int64_t c) { return feature_of(columns, c); });
}

const Split &Chooser::choose(const WeightedColumns &columns, const Node &node) {
    best_.column = -1;
    best_.gain = SMALL;
    const int64_t n_numeric = columns.n_numeric();
    for (const int64_t column : by_feature_) {
        own_.start(column);
        const int64_t j = column - n_numeric;
        if (j < 0)
            tester_.numeric(columns, columns.segment(column, node.start, node.end), column,
                            node.counts, best_.gain, own_);
        else
            tester_.nominal(columns.segment_rows(node.start, node.end), columns.n_levels[j],
                            OfRow{columns, columns.codes.row(j)}, own_);
        if (own_.gain > best_.gain) std::swap(best_, own_);
    }
    const auto is_enough = [&](double weight) { return weight >= rule_.min_cases; };
    if (best_.column >= 0 && std::ranges::count_if(best_.weight, is_enough) < 2) best_.column = -1;
    return best_;
}

}  // namespace retree::weka
