#include "c45/branches.hpp"

namespace retree::c45 {

Branches::Branches(const WeightedColumns &columns, const Node &node,
                   std::span<const int32_t> branch, int64_t n, bool by_side)
    : known(static_cast<size_t>(columns.n_classes)),
      sent(static_cast<size_t>(n)),
      counts(sent.size() * known.size()),
      weight(sent.size()),
      n_rows(sent.size()) {
    for (const int32_t row : columns.segment_rows(node.start, node.end)) {
        const int32_t b = branch[row];
        if (b < 0) {
            has_missing = true;
            continue;
        }
        const double w = columns.weight[row];
        counts[b * columns.n_classes + columns.y[row]] += w;
        known[columns.y[row]] += w;
        sent[b] += w;
        total += w;
        ++n_rows[b];
    }
    if (by_side) total = sum_of(sent);
    weight = sent;
}

Branches::Branches(const WeightedColumns &columns, const Node &node, std::span<const uint64_t> left,
                   bool has_unit_weights)
    : total(node.total),
      known(node.counts.begin(), node.counts.end()),
      counts(2 * known.size()),
      n_rows{std::ssize(left), node.end - node.start - std::ssize(left)} {
    for (const uint64_t entry : left)
        counts[columns.packing.class_of(entry)] +=
            has_unit_weights ? 1.0 : columns.weight[row_of(entry)];
    const auto split = counts.begin() + std::ssize(known);
    std::transform(known.begin(), known.end(), counts.begin(), split, std::minus());
    sent = {sum_of(std::span(counts).first(known.size())),
            sum_of(std::span(counts).last(known.size()))};
    weight = sent;
}

void Branches::recount(const WeightedColumns &columns, const Node &node,
                       std::span<const int32_t> branch) {
    const size_t n = sent.size();
    const auto rows = columns.segment_rows(node.start, node.end);
    if (has_missing) divide(columns, rows, branch);
    std::fill(counts.begin(), counts.end(), 0.0);
    std::fill(weight.begin(), weight.end(), 0.0);
    for (const int32_t row : rows) {
        const int32_t own = branch[row];
        for (size_t b = own < 0 ? 0 : own; b < (own < 0 ? n : own + size_t{1}); ++b) {
            const double w = own < 0 ? columns.weight[row] * share[b] : columns.weight[row];
            counts[b * known.size() + columns.y[row]] += w;
            weight[b] += w;
        }
    }
}

// Sends the rows without a value to every branch in proportion to its weight.
void Branches::divide(const WeightedColumns &columns, std::span<const int32_t> rows,
                      std::span<const int32_t> branch) {
    const size_t n = sent.size();
    std::vector<double> part(n);
    for (size_t b = 0; b < n; ++b) part[b] = sent[b] / total;
    for (const int32_t row : rows) {
        if (branch[row] >= 0) continue;
        const double w = columns.weight[row];
        known[columns.y[row]] += w;
        total += w;
        for (size_t b = 0; b < n; ++b) sent[b] += part[b] * w;
    }
    share.resize(n);
    for (size_t b = 0; b < n; ++b) {
        share[b] = sent[b] / total;
        if (share[b] <= TOLERANCE) share[b] = 0.0;
    }
}

}  // namespace retree::c45
