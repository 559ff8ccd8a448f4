#include "weka/rep_split.hpp"

namespace retree::weka {
namespace {

int32_t feature_of(const WeightedColumns &columns, int64_t column) {
    const int64_t n_numeric = columns.n_numeric();
    return column < n_numeric ? columns.numeric[column] : columns.nominal[column - n_numeric];
}

double weight_of(const WeightedColumns &columns) {
    double total = 0.0;
    for (const int32_t row : columns.rows) total += columns.weight[row];
    return total;
}

// A number between two neighbouring values: what is below it goes left.
double point_between(double low, double high) {
    const double point = (low + high) / 2.0;
    return point > low ? point : high;
}

}  // namespace

Chooser::Chooser(const WeightedColumns &columns, const Rule &rule, const Terms &terms)
    : rule_(rule),
      terms_(terms),
      n_classes_(columns.n_classes),
      by_feature_(static_cast<size_t>(columns.X.columns)),
      scanner_(columns, terms, rule.is_exact && terms.has(weight_of(columns))) {
    std::iota(by_feature_.begin(), by_feature_.end(), 0);
    std::ranges::sort(by_feature_, {}, [&](int64_t c) { return feature_of(columns, c); });
}

const Split &Chooser::choose(const WeightedColumns &columns, const Node &node) {
    best_.column = -1;
    best_.gain = SMALL;
    const int64_t n_numeric = columns.n_numeric();
    for (const int64_t column : by_feature_) {
        own_.gain = 0.0;
        own_.column = column;
        own_.point = std::numeric_limits<double>::quiet_NaN();
        if (column < n_numeric)
            test_numeric(columns, node, column);
        else
            test_nominal(columns, node, column - n_numeric);
        if (own_.gain > best_.gain) std::swap(best_, own_);
    }
    const auto is_enough = [&](double weight) { return weight >= rule_.min_cases; };
    if (best_.column >= 0 && std::ranges::count_if(best_.weight, is_enough) < 2) best_.column = -1;
    return best_;
}

void Chooser::test_numeric(const WeightedColumns &columns, const Node &node, int64_t j) {
    const auto segment = columns.segment(j, node.start, node.end);
    if (columns.packing.is_same_value(segment.front(), segment.back())) return;
    const auto n_known = static_cast<size_t>(count_with_value(segment, columns.packing));
    const auto known = segment.first(n_known), missing = segment.subspan(n_known);
    known_.assign(node.counts.begin(), node.counts.end());
    if (!rule_.is_exact) {
        std::ranges::fill(known_, 0.0);
        for (const uint64_t entry : known)
            known_[columns.packing.label(entry)] += columns.weight[row_of(entry)];
    }
    scanner_.scan({columns, known, known_}, best_.gain, cut_);
    if (cut_.place < 0) return;
    std::swap(own_.counts, cut_.counts);
    own_.sent.resize(2);
    own_.place = cut_.place;
    own_.point = point_between(columns.value(j, known[static_cast<size_t>(cut_.place) - 1]),
                               columns.value(j, known[static_cast<size_t>(cut_.place)]));
    finish(columns, missing, [&](uint64_t entry) { return columns.packing.label(entry); });
}

void Chooser::test_nominal(const WeightedColumns &columns, const Node &node, int64_t j) {
    const auto codes = columns.codes.row(j);
    const auto rows = columns.segment_rows(node.start, node.end);
    own_.sent.resize(static_cast<size_t>(columns.n_levels[j]));
    own_.counts.assign(own_.sent.size() * static_cast<size_t>(n_classes_), 0.0);
    const Matrix<double> counts = this->counts();
    bool has_missing = false;
    for (const int32_t row : rows) {
        if (codes[row] >= 0)
            counts(codes[row], columns.y[row]) += columns.weight[row];
        else
            has_missing = true;
    }
    const auto label_of = [&](int32_t row) { return columns.y[row]; };
    if (!has_missing) return finish(columns, std::span<const int32_t>(), label_of);
    std::vector<int32_t> missing;
    std::ranges::copy_if(rows, std::back_inserter(missing),
                         [&](int32_t row) { return codes[row] < 0; });
    finish(columns, std::span<const int32_t>(missing), label_of);
}

// Shares out the rows without a value, and works out the gain of the column.
template <class Rows, class Label>
void Chooser::finish(const WeightedColumns &columns, Rows missing, Label label_of) {
    const Matrix<double> counts = this->counts();
    share_out();
    own_.has_missing = !missing.empty();
    for (const auto item : missing)
        for (int64_t b = 0; b < counts.rows; ++b)
            counts(b, label_of(item)) += share_[b] * columns.weight[row_of(item)];
    own_.weight.resize(own_.sent.size());
    for (int64_t b = 0; b < counts.rows; ++b) own_.weight[b] = sum_of(counts.row(b));
    own_.gain = entropy_of_classes(counts, terms_) - entropy_of_branches(counts, terms_);
}

// Sets which part of a row without a value each branch gets.
void Chooser::share_out() {
    const Matrix<double> counts = this->counts();
    for (int64_t b = 0; b < counts.rows; ++b) own_.sent[b] = sum_of(counts.row(b));
    own_.known = sum_of(own_.sent);
    if (!(own_.known > 0.0)) {
        std::ranges::fill(own_.sent, 1.0 / static_cast<double>(counts.rows));
        own_.known = 1.0;
    }
    share_.resize(own_.sent.size());
    for (size_t b = 0; b < share_.size(); ++b) share_[b] = own_.sent[b] / own_.known;
}

}  // namespace retree::weka
