#include "structure/margin.hpp"

#include "structure/penalty.hpp"

namespace retree::structure {
namespace {

// Bounds are compared with a margin, since both sides carry rounding errors.
constexpr double SLACK = 1e-9;

}  // namespace

MarginRanking::MarginRanking(const Columns &columns, const Geometry &geometry, const Rule &rule)
    : rule_(rule),
      min_side_(static_cast<double>(rule.least_ranked)),
      sweep_(columns),
      bins_(columns),
      total_(columns.n_classes, columns.n_columns()),
      block_(columns.n_pair() > 0 ? columns.n_classes * PAIR_BLOCK : 0, columns.n_columns()),
      left_(static_cast<size_t>(columns.n_classes)),
      right_(left_.size()) {
    if (rule.penalty != RETREE_PENALTY_NEAREST) return;
    nearest_.emplace(columns, geometry, rule.squared != 0);
    side_.resize(columns.y.size());
}

void MarginRanking::enter(const Node &node) {
    if (nearest_) nearest_->measure(node);
}

bool MarginRanking::is_hopeful(double purity, double margin,
                               std::span<const RankedList> lists) const {
    for (size_t i = 0; i < lists.size(); ++i) {
        const double score = rule_.omega1 * purity + rule_.omega2[i] * margin;
        if (score + std::abs(score) * SLACK >= lists[i].cut()) return true;
    }
    return false;
}

void MarginRanking::offer(double purity, double margin, Candidate candidate,
                          std::span<RankedList> lists) const {
    for (size_t i = 0; i < lists.size(); ++i) {
        candidate.score = rule_.omega1 * purity + rule_.omega2[i] * margin;
        if (candidate.score >= lists[i].cut()) lists[i].offer(candidate);
    }
}

void MarginRanking::rank_wide(const Node &node, std::span<const int64_t> order,
                              const Geometry &geometry, std::span<RankedList> lists) {
    const bool binned = node.size() >= BINNED_ROWS;
    const auto n_at_once = static_cast<size_t>(std::max<int64_t>(1, bins_.n_columns()));
    for (size_t first = 0; first < order.size(); first += n_at_once) {
        const auto some = order.subspan(first, std::min(n_at_once, order.size() - first));
        if (binned) bins_.fill(node, some, geometry);
        for (size_t place = 0; place < some.size(); ++place) {
            if (binned) bins_.measure_borders(geometry, static_cast<int64_t>(place));
            rank_column(node, some[place], geometry, binned, lists);
        }
    }
}

void MarginRanking::rank_column(const Node &node, int64_t column, const Geometry &geometry,
                                bool binned, std::span<RankedList> lists) {
    node.poll.check();
    const Columns &columns = node.columns;
    const auto values = node.entries(column);
    if (columns.packing.is_same_value(values.front(), values.back())) return;
    const double extent = ColumnRange(node, column).extent;
    const int64_t n = node.size();
    sweep_.reset();
    if (nearest_) std::ranges::fill(side_, 0);
    total_.fill(0.0);
    added_ = 0;
    MovingPurity moving(columns.weight, geometry.counts, sweep_.left);
    int64_t next_bin = binned ? 0 : n;
    for (int64_t i = 0; i + 1 < n; ++i) {
        if (i == next_bin) next_bin = bins_.enter(i, geometry, rule_.squared, sweep_);
        prefetch(&geometry.distance[row_of(values[std::min(i + ROWS_AHEAD, values.size() - 1)])]);
        const int32_t c = columns.packing.label(values[i]), row = row_of(values[i]);
        sweep_.pass(c, i, moving.move(row, c), geometry.distance[row]);
        if (nearest_) side_[row] = 1;
        if (columns.packing.is_same_value(values[i], values[i + 1])) continue;
        if (!moving.is_large_enough(min_side_)) continue;
        const double purity = moving.purity().value();
        if (!is_hopeful(purity, sweep_.bin_bound, lists)) continue;
        const double bound = sweep_.margin_bound(geometry, rule_.squared);
        if (!is_hopeful(purity, bound, lists)) continue;
        double loss = wide_penalty(node, column, extent, i, geometry);
        if (!is_hopeful(purity, bound - loss, lists)) continue;
        add_rows(node, column, i);
        const double margin =
            sweep_.margin(geometry, total_.row(0).data(), total_.columns(), rule_.squared);
        if (nearest_ && is_hopeful(purity, margin - loss, lists))
            loss = nearest_->penalty(sweep_.left, side_);
        offer(purity, margin - loss, {0.0, column, columns.wide[column], i, moving.n_left()},
              lists);
    }
}

void MarginRanking::add_rows(const Node &node, int64_t column, int64_t position) {
    const auto values = node.entries(column);
    for (; added_ <= position; ++added_) {
        const int32_t row = row_of(values[added_]);
        add_row(node.columns, row, total_.row(node.columns.y[row]).data());
    }
}

double MarginRanking::wide_penalty(const Node &node, int64_t column, double extent,
                                   int64_t position, const Geometry &geometry) {
    if (rule_.penalty == RETREE_PENALTY_NONE) return 0.0;
    if (nearest_) return nearest_->bound(sweep_.left);
    const Columns &columns = node.columns;
    const auto values = node.entries(column);
    const auto value_at = [&](int64_t i) { return columns.scaled(row_of(values[i]), column); };
    const double threshold = value_at(position);
    std::ranges::fill(left_, INF);
    std::ranges::fill(right_, INF);
    for (int32_t c = 0; c < columns.n_classes; ++c) {
        if (sweep_.left[c] > 0.0) left_[c] = (threshold - value_at(sweep_.last[c])) / extent;
        if (sweep_.left[c] == geometry.counts[c]) continue;
        int64_t i = std::max(sweep_.following[c], position + 1);
        while (columns.packing.label(values[i]) != c) ++i;
        sweep_.following[c] = i;
        right_[c] = (value_at(i) - threshold) / extent;
    }
    return penalty_of(rule_.penalty, left_, right_);
}

void MarginRanking::rank_pairs(const Node &node, const Geometry &geometry,
                               std::span<RankedList> lists) {
    for (int64_t first = 0; first < node.columns.n_pair(); first += PAIR_BLOCK)
        rank_block(node, first, geometry, lists);
}

void MarginRanking::rank_block(const Node &node, int64_t first, const Geometry &geometry,
                               std::span<RankedList> lists) {
    const Columns &columns = node.columns;
    const int64_t size = std::min(PAIR_BLOCK, columns.n_pair() - first);
    active_.assign(static_cast<size_t>(size), 0);
    for (int64_t j = 0; j < size; ++j) {
        const PairSplit split = pair_split(geometry.counts, geometry.ones, first + j);
        if (!split.is_large_enough(min_side_)) continue;
        sweep_.stand_for_pair(geometry, first + j);
        const double bound =
            sweep_.margin_bound(geometry, rule_.squared) - pair_penalty(geometry, first + j);
        active_[j] = is_hopeful(split.purity(), bound, lists);
    }
    if (std::ranges::find(active_, 1) == active_.end()) return;
    add_up_block(node, first);
    for (int64_t j = 0; j < size; ++j) {
        if (active_[j] == 0) continue;
        const PairSplit split = pair_split(geometry.counts, geometry.ones, first + j);
        const double purity = split.purity();
        sweep_.stand_for_pair(geometry, first + j);
        const double margin = sweep_.margin(geometry, block_.row(j).data(),
                                            PAIR_BLOCK * block_.columns(), rule_.squared);
        double loss = pair_penalty(geometry, first + j);
        if (nearest_ && is_hopeful(purity, margin - loss, lists))
            loss = exact_pair_penalty(node, first + j);
        offer(purity, margin - loss,
              {0.0, columns.n_wide() + first + j, columns.pair[first + j], 0, split.n_left}, lists);
    }
}

// Adds up, by class, the rows of a node with the larger value of each active pair column.
void MarginRanking::add_up_block(const Node &node, int64_t first) {
    const Columns &columns = node.columns;
    for (int64_t j = 0; j < std::ssize(active_); ++j)
        for (int64_t c = 0; c < columns.n_classes && active_[j] != 0; ++c)
            std::ranges::fill(block_.row(c * PAIR_BLOCK + j), 0.0);
    for (const int32_t row : node.rows()) {
        for (const int32_t pair : columns.set_of(row)) {
            const int64_t j = pair - first;
            if (j < 0 || j >= std::ssize(active_) || active_[j] == 0) continue;
            add_row(columns, row, block_.row(columns.y[row] * PAIR_BLOCK + j).data());
        }
    }
}

double MarginRanking::exact_pair_penalty(const Node &node, int64_t j) {
    for (const int32_t row : node.rows()) side_[row] = node.columns.bits(row, j);
    return nearest_->penalty(sweep_.left, side_);
}

// Left rows are at the threshold, right ones 1 off. `sweep_` stands for the column.
double MarginRanking::pair_penalty(const Geometry &geometry, int64_t j) {
    if (nearest_) return nearest_->bound(sweep_.left);
    for (size_t c = 0; c < left_.size(); ++c) {
        const double right = geometry.ones(static_cast<int64_t>(c), j);
        left_[c] = right < geometry.counts[c] ? 0.0 : INF;
        right_[c] = right > 0.0 ? 1.0 : INF;
    }
    return penalty_of(rule_.penalty, left_, right_);
}

}  // namespace retree::structure
