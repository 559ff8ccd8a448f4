#include "c45/split.hpp"

namespace retree::c45 {
namespace {

constexpr double AVERAGE_SLACK = 1e-3;  // gains this far below the average still count as average
constexpr double MANY_LEVELS = 0.3;     // of the training rows

int32_t feature_of(const WeightedColumns &columns, int64_t column) {
    const int64_t n_numeric = columns.n_numeric();
    return column < n_numeric ? columns.numeric[column] : columns.nominal[column - n_numeric];
}

}  // namespace

Searcher::Searcher(const Training &training)
    : rule_(training.rule),
      scanner_(training.columns, training.whole),
      logs_(training.whole),
      known_(static_cast<size_t>(training.columns.n_classes)),
      both_(known_.size()),
      pair_(2 * known_.size()),
      level_counts_(static_cast<size_t>(training.columns.most_levels()) * known_.size()),
      is_found_(static_cast<size_t>(training.columns.most_levels())) {}

Test Searcher::test_numeric(const WeightedColumns &columns, const Node &node, int64_t j) {
    auto segment = columns.segment(j, node.start, node.end);
    if (columns.packing.is_same_value(segment.front(), segment.back())) return {};
    const auto n_known = static_cast<size_t>(count_with_value(segment, columns.packing));
    std::copy(node.counts.begin(), node.counts.end(), known_.begin());
    for (const uint64_t entry : segment.subspan(n_known))
        known_[columns.packing.label(entry)] -= columns.weight[row_of(entry)];
    const double weight = sum_of(known_);
    const double least =
        rule_.by_gain ? rule_.min_cases : smallest_side(weight, rule_.n_declared, rule_.min_cases);
    const auto known = segment.first(n_known);
    if (!has_enough_rows(columns, known, least)) return {};
    const Cut cut = scanner_.best_cut(columns, {known, j, known_, least, node.total});
    double gain = cut.gain;
    if (rule_.mdl_correction && cut.n_tries > 1)
        gain -= log2_of_whole(static_cast<size_t>(cut.n_tries)) / node.total;
    if (gain <= TOLERANCE) return {};
    const double terms = logs_.term(cut.n_left) + logs_.term(weight - cut.n_left);
    const double ratio = gain_ratio(gain, terms, node.total - weight, node.total, logs_);
    return {true, gain, ratio, cut.position};
}

// Whether a numeric test may be looked for: J48 asks for twice as many rows, whatever they weigh,
// as it asks for weight on a side.
bool Searcher::has_enough_rows(const WeightedColumns &columns, std::span<const uint64_t> known,
                               double least) const {
    if (rule_.by_gain) return true;
    const double needed = 2 * least - TOLERANCE;
    if (static_cast<double>(known.size()) >= needed) return true;
    double n_rows = 0.0;
    for (size_t i = 0; i < known.size() && n_rows < needed; ++i)
        n_rows += static_cast<double>(columns.n_cases(row_of(known[i])));
    return n_rows >= needed;
}

// Weighs the test with a branch for each level, or with one level against the rest.
Test Searcher::test_nominal(const WeightedColumns &columns, const Node &node, int64_t j) {
    count_levels(columns, node, j);
    if (found_.size() < 2) return {};
    const double missing = std::max(0.0, node.total - sum_of(sides_));
    if (rule_.binary_splits) return test_one_level(missing, node.total);
    const auto is_enough = [this](double side) { return side >= rule_.min_cases - TOLERANCE; };
    if (std::count_if(sides_.begin(), sides_.end(), is_enough) < 2) return {};
    const Matrix<const double> counts{found_counts_.data(), static_cast<int64_t>(found_.size()),
                                      columns.n_classes};
    const double gain = gain_of_levels(counts, sides_, node.total, known_, logs_);
    return {true, gain, gain_ratio(gain, logs_.sum(sides_), missing, node.total, logs_), 0};
}

// Finds the level of best gain ratio against all others.
Test Searcher::test_one_level(double missing, double total) {
    const size_t n_classes = known_.size();
    std::ranges::fill(known_, 0.0);
    for (size_t i = 0; i < found_counts_.size(); ++i) known_[i % n_classes] += found_counts_[i];
    const Matrix<const double> counts{pair_.data(), 2, static_cast<int64_t>(n_classes)};
    Test best;
    for (size_t i = 0; i < found_.size(); ++i) {
        for (size_t c = 0; c < n_classes; ++c) {
            pair_[c] = found_counts_[i * n_classes + c];
            pair_[n_classes + c] = known_[c] - pair_[c];
        }
        const double two[] = {sum_of(counts.row(0)), sum_of(counts.row(1))};
        if (std::min(two[0], two[1]) < rule_.min_cases - TOLERANCE) continue;
        const double gain = gain_of_levels(counts, two, total, both_, logs_);
        const double ratio = gain_ratio(gain, logs_.sum(two), missing, total, logs_);
        if (!best.is_valid || ratio > best.ratio + TOLERANCE) best = {true, gain, ratio, found_[i]};
    }
    return best;
}

// Sums the class weights of each level that occurs in the node.
void Searcher::count_levels(const WeightedColumns &columns, const Node &node, int64_t j) {
    const auto n_classes = static_cast<size_t>(columns.n_classes);
    const auto codes = columns.codes.row(j);
    found_.clear();
    found_counts_.clear();
    sides_.clear();
    for (const int32_t row : columns.segment_rows(node.start, node.end)) {
        const int32_t level = codes[row];
        if (level < 0) continue;
        if (!is_found_[level]) {
            is_found_[level] = 1;
            found_.push_back(level);
        }
        level_counts_[static_cast<size_t>(level) * n_classes + columns.y[row]] +=
            columns.weight[row];
    }
    std::sort(found_.begin(), found_.end());
    for (const int32_t level : found_) {
        const std::span counts(level_counts_.data() + static_cast<size_t>(level) * n_classes,
                               n_classes);
        found_counts_.insert(found_counts_.end(), counts.begin(), counts.end());
        sides_.push_back(sum_of(counts));
        std::fill(counts.begin(), counts.end(), 0.0);
        is_found_[level] = 0;
    }
}

Training::Training(const WeightedColumns &its_columns, const Rule &its_rule)
    : columns(its_columns),
      rule(its_rule),
      whole(std::make_shared<const WholeWeights>(columns)),
      order(columns, !rule.by_gain) {
    for (const int32_t row : columns.rows) n_cases += static_cast<double>(columns.n_cases(row));
}

Chooser::Chooser(const Training &training, Team &team)
    : rule_(training.rule),
      team_(team),
      n_cases_(training.n_cases),
      tests_(static_cast<size_t>(training.columns.X.columns)),
      by_feature_(tests_.size()) {
    const WeightedColumns &columns = training.columns;
    searchers_.reserve(static_cast<size_t>(team.size()));
    for (int64_t member = 0; member < team.size(); ++member) searchers_.emplace_back(training);
    std::iota(by_feature_.begin(), by_feature_.end(), 0);
    std::sort(by_feature_.begin(), by_feature_.end(), [&columns](int64_t a, int64_t b) {
        return feature_of(columns, a) < feature_of(columns, b);
    });
}

int64_t Chooser::choose(const WeightedColumns &columns, const Node &node) {
    const int64_t n_numeric = columns.n_numeric(), n = columns.X.columns;
    team_.share(n, n * (node.end - node.start), [&](int64_t member, int64_t j) {
        Searcher &searcher = searchers_[member];
        tests_[j] = j < n_numeric ? searcher.test_numeric(columns, node, j)
                                  : searcher.test_nominal(columns, node, j - n_numeric);
    });
    const double least = rule_.by_gain ? 0.0 : average_gain(columns) - AVERAGE_SLACK;
    int64_t chosen = -1;
    double best = 0.0;
    // The first of equal worth is taken.
    for (const int64_t column : by_feature_) {
        const Test &test = tests_[column];
        const double worth = rule_.by_gain ? test.gain : test.ratio;
        if (!test.is_valid || test.gain < least || !(worth > best + TOLERANCE)) continue;
        chosen = column;
        best = worth;
    }
    return chosen;
}

// Whether a column is nominal with so many levels that its gain says little.
bool Chooser::has_many_levels(const WeightedColumns &columns, int64_t column) const {
    const int64_t n_numeric = columns.n_numeric();
    if (column < n_numeric) return false;
    return columns.n_levels[column - n_numeric] >= MANY_LEVELS * n_cases_ - TOLERANCE;
}

// Returns the mean gain of the valid tests, without columns of many levels if there are others;
// infinity if there is no test to average over.
double Chooser::average_gain(const WeightedColumns &columns) const {
    const auto n_columns = static_cast<int64_t>(tests_.size());
    bool all_many = true;
    for (int64_t j = 0; j < n_columns; ++j) all_many &= has_many_levels(columns, j);
    double total = 0.0;
    int64_t n_valid = 0;
    for (int64_t j = 0; j < n_columns; ++j) {
        if (!tests_[j].is_valid || (!all_many && has_many_levels(columns, j))) continue;
        total += tests_[j].gain;
        ++n_valid;
    }
    return n_valid > 0 ? total / static_cast<double>(n_valid) : INF;
}

}  // namespace retree::c45
