#include "structure/choose.hpp"

namespace retree::structure {

Chooser::Chooser(const Columns &columns, const Rule &rule)
    : columns_(columns),
      rule_(rule),
      geometry_(columns, rule.rank_by == RETREE_BY_MARGIN),
      lists_(static_cast<size_t>(rule.n_lists())),
      left_(static_cast<size_t>(columns.n_classes)),
      chosen_(static_cast<size_t>(rule.n_points())) {
    if (rule.rank_by == RETREE_BY_MARGIN) margin_.emplace(columns, geometry_, rule);
    if (rule.rank_by == RETREE_BY_GAIN_RATIO)
        gain_ratio_.emplace(columns.weight.differ() ? 0 : columns.n_rows());
    if (rule.take == RETREE_TAKE_COMPACT)
        compactness_.emplace(columns, rule.codes, rule.scale_by_child);
    else if (rule.take != RETREE_TAKE_FIRST)
        segments_.emplace(columns, rule.along_split);
}

const std::vector<Split> &Chooser::choose(const Node &node, std::span<const double> counts,
                                          std::span<const uint8_t> points) {
    std::ranges::copy(counts, geometry_.counts.begin());
    clear_lists(points);
    rank(node);
    const bool contested =
        rule_.take != RETREE_TAKE_FIRST &&
        std::ranges::any_of(lists_, [](const auto &list) { return list.candidates().size() > 1; });
    if (contested) measure_ranked(node);
    for (int64_t p = 0; p < rule_.n_points(); ++p) {
        chosen_[p] = {};
        auto candidates = lists_[rule_.list_of[p]].candidates();
        if (points[p] == 0 || candidates.empty()) continue;
        candidates = candidates.first(std::min(candidates.size(), static_cast<size_t>(rule_.k[p])));
        const size_t best = contested ? best_of(candidates, rule_.alpha[p]) : 0;
        const auto &[score, column, feature, position, n_left] = candidates[best];
        if (std::min(n_left, sum_of(counts) - n_left) >= static_cast<double>(rule_.least_taken))
            chosen_[p] = {column, position};
    }
    return chosen_;
}

void Chooser::clear_lists(std::span<const uint8_t> points) {
    std::vector<int64_t> wanted(lists_.size());
    for (int64_t p = 0; p < rule_.n_points(); ++p) {
        int64_t &n = wanted[rule_.list_of[p]];
        if (points[p] != 0) n = std::max(n, rule_.k[p]);
    }
    for (size_t i = 0; i < lists_.size(); ++i) lists_[i].clear(wanted[i]);
}

// Fills the ranked lists with the candidates of a node.
void Chooser::rank(const Node &node) {
    const auto &counts = geometry_.counts;
    const auto &ones = geometry_.ones;
    const auto least = static_cast<double>(rule_.least_ranked);
    RankedList &list = lists_.front();
    count_pairs(node, geometry_.ones);
    if (rule_.take == RETREE_TAKE_COMPACT && !rule_.scale_by_child) geometry_.weigh(node);
    switch (rule_.rank_by) {
        case RETREE_BY_PURITY:
            for (int64_t j = 0; j < columns_.n_wide(); ++j)
                rank_wide_by_purity(node, j, counts, left_, least, list);
            rank_pairs_by_purity(columns_, counts, ones, least, list);
            break;
        case RETREE_BY_MARGIN:
            geometry_.measure(node);
            margin_->enter(node);
            margin_->rank_pairs(node, geometry_, lists_);
            margin_->rank_wide(node, purest_first(node), geometry_, lists_);
            break;
        case RETREE_BY_GAIN_RATIO:
            rank_by_frequency(*gain_ratio_, node, counts, ones, least, list);
            break;
        case RETREE_BY_HELLINGER:
            rank_by_frequency(Hellinger(), node, counts, ones, least, list);
            break;
    }
}

// Returns the wide columns by the purity of their best split, greatest first. The order changes no
// result: it fills the lists early with candidates that are hard to beat, so that more of the
// others are passed over on sight.
std::vector<int64_t> Chooser::purest_first(const Node &node) {
    std::vector<double> best(static_cast<size_t>(columns_.n_wide()));
    RankedList list;
    for (int64_t j = 0; j < columns_.n_wide(); ++j) {
        list.clear(1);
        rank_wide_by_purity(node, j, geometry_.counts, left_,
                            static_cast<double>(rule_.least_ranked), list);
        if (!list.empty()) best[j] = list.candidates().front().score;
    }
    std::vector<int64_t> order(best.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater(), [&](int64_t j) { return best[j]; });
    return order;
}

// Returns the place of the last row that a candidate sends left, in the order of its column.
int64_t Chooser::last_left(const Node &node, const Measured &candidate) const {
    if (candidate.column < columns_.n_wide()) return candidate.position;
    const int64_t j = candidate.column - columns_.n_wide();
    return std::ranges::count_if(node.rows(),
                                 [&](int32_t row) { return columns_.bits(row, j) == 0; }) -
           1;
}

void Chooser::measure_ranked(const Node &node) {
    measured_.clear();
    for (const RankedList &list : lists_)
        for (const Candidate &candidate : list.candidates())
            measured_.push_back({candidate.column, candidate.position, candidate.n_left, 0.0});
    std::ranges::sort(measured_, {}, &Measured::key);
    const auto repeated = std::ranges::unique(measured_, {}, &Measured::key);
    measured_.erase(repeated.begin(), repeated.end());
    if (segments_) segments_->enter(node);
    const std::span all(measured_);
    for (size_t first = 0, stop = 0; first < all.size(); first = stop) {
        while (stop < all.size() && all[stop].column == all[first].column) ++stop;
        measure_cuts(node, all.subspan(first, stop - first));
    }
}

// Gives candidates of one column their second measure.
void Chooser::measure_cuts(const Node &node, std::span<Measured> candidates) {
    node.poll.check();
    const int64_t column = candidates.front().column;
    std::vector<int64_t> cuts;
    for (const Measured &candidate : candidates) cuts.push_back(last_left(node, candidate));
    if (rule_.take == RETREE_TAKE_COMPACT) {
        std::vector<int32_t> rows;
        std::vector<double> csn(cuts.size());
        rows_by_column(node, column, rows);
        compactness_->measure(rows, cuts, geometry_.ones, geometry_.weight, csn);
        for (size_t i = 0; i < cuts.size(); ++i) candidates[i].value = rounded(csn[i]);
        return;
    }
    const auto &segments = segments_->measure(node, column, cuts);
    for (size_t i = 0; i < cuts.size(); ++i)
        candidates[i].value = segment_score(segments[i], candidates[i].n_left);
}

// What the numbers of segments of the children say of a split; less is better.
double Chooser::segment_score(const Sides &segments, double n_left) const {
    const auto [left, right] = segments;
    if (rule_.take == RETREE_TAKE_TOTAL) {
        // The ratio (eq. 4) is in (0, 1]: it decides between equal sums alone.
        const double ratio =
            static_cast<double>(std::min(left, right)) / static_cast<double>(std::max(left, right));
        return static_cast<double>(left + right) - ratio;
    }
    // Eq. 2 times the rows: a whole number unless they have weights, so equal scores are equal.
    const double n_right = sum_of(geometry_.counts) - n_left;
    const double score = static_cast<double>(left) * n_left + static_cast<double>(right) * n_right;
    return columns_.weight.differ() ? rounded(score) : score;
}

// Returns what the choice among candidates minimises: their second measure, or minus the weighted
// sum of frequency and segments (eq. 3).
std::vector<double> Chooser::values_of(std::span<const Candidate> candidates, double alpha) const {
    std::vector<double> values;
    for (const Candidate &candidate : candidates) {
        const std::pair key(candidate.column, candidate.position);
        values.push_back(std::ranges::lower_bound(measured_, key, {}, &Measured::key)->value);
    }
    if (rule_.take != RETREE_TAKE_BLEND_RANGE && rule_.take != RETREE_TAKE_BLEND_RATIO)
        return values;
    const auto [least, most] = std::ranges::minmax(values);
    for (size_t i = 0; i < values.size(); ++i) {
        double share = least / values[i];
        if (rule_.take == RETREE_TAKE_BLEND_RANGE)
            share = most > least ? (most - values[i]) / (most - least) : 1.0;
        values[i] = -rounded(alpha * (candidates[i].score - 1.0) + (1.0 - alpha) * share);
    }
    return values;
}

// Returns the position of the candidate of the least value.
size_t Chooser::best_of(std::span<const Candidate> candidates, double alpha) const {
    const auto values = values_of(candidates, alpha);
    size_t best = 0;
    for (size_t i = 1; i < values.size(); ++i) {
        const bool is_tied = values[i] == values[best];
        const bool stands_first =
            !rule_.rank_breaks_ties && stands_before(candidates[i], candidates[best]);
        if (is_tied ? stands_first : values[i] < values[best]) best = i;
    }
    return best;
}

}  // namespace retree::structure
