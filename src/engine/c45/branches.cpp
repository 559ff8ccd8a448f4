#include "c45/branches.hpp"

namespace retree::c45 {
namespace {

// Columns with memory of their own, for rows that went to two branches and have another weight in
// each: they are numbered anew.
struct OwnColumns {
    std::vector<uint64_t> entries;
    std::vector<int32_t> rows, y, codes, origin;
    std::vector<double> weight;
    WeightedColumns view;
};

}  // namespace

Branches::Branches(const WeightedColumns &columns, const Node &node,
                   std::span<const int32_t> branch, int64_t n)
    : counts(static_cast<size_t>(n * columns.n_classes)),
      share(static_cast<size_t>(n)),
      n_rows(share.size()) {
    const int64_t n_classes = columns.n_classes;
    std::vector<double> missing(static_cast<size_t>(n_classes));
    bool has_missing = false;
    for (const int32_t row : columns.segment_rows(node.start, node.end)) {
        const int32_t b = branch[row], c = columns.y[row];
        if (b < 0) {
            missing[c] += columns.weight[row];
            has_missing = true;
        } else {
            counts[b * n_classes + c] += columns.weight[row];
            ++n_rows[b];
        }
    }
    if (!has_missing) return;
    for (int64_t b = 0; b < n; ++b)
        share[b] = sum_of(std::span(counts).subspan(b * n_classes, n_classes));
    const double known = sum_of(share);
    for (int64_t b = 0; b < n; ++b) {
        share[b] /= known;
        if (share[b] <= TOLERANCE) share[b] = 0.0;
        for (int64_t c = 0; c < n_classes; ++c) counts[b * n_classes + c] += share[b] * missing[c];
    }
}

Columns copied_branch(const WeightedColumns &columns, const Node &node,
                      std::span<const int32_t> branch, int32_t b, double share,
                      std::span<int32_t> number) {
    auto own = std::make_shared<OwnColumns>(OwnColumns{{}, {}, {}, {}, {}, {}, columns});
    const auto goes_here = [&](int32_t row) { return branch[row] == b || branch[row] < 0; };
    std::vector<int32_t> kept;
    for (const int32_t row : columns.segment_rows(node.start, node.end)) {
        if (!goes_here(row)) continue;
        number[row] = static_cast<int32_t>(kept.size());  // its new number
        kept.push_back(row);
    }
    for (const int32_t row : kept) {
        own->rows.push_back(number[row]);
        own->y.push_back(columns.y[row]);
        own->origin.push_back(columns.origin.empty() ? row : columns.origin[row]);
        own->weight.push_back(branch[row] < 0 ? columns.weight[row] * share : columns.weight[row]);
    }
    own->entries.reserve(kept.size() * static_cast<size_t>(columns.n_numeric()));
    own->codes.reserve(kept.size() * static_cast<size_t>(columns.n_nominal()));
    for (int64_t j = 0; j < columns.n_numeric(); ++j)
        for (const uint64_t entry : columns.segment(j, node.start, node.end))
            if (goes_here(row_of(entry)))
                own->entries.push_back((entry & ~ROW_MASK) |
                                       static_cast<uint64_t>(number[row_of(entry)]));
    for (int64_t j = 0; j < columns.n_nominal(); ++j)
        for (const int32_t row : kept) own->codes.push_back(columns.codes(j, row));
    const auto n = static_cast<int64_t>(kept.size());
    own->view.rows = own->rows;
    own->view.y = own->y;
    own->view.weight = own->weight;
    own->view.origin = own->origin;
    own->view.entries = {own->entries.data(), columns.n_numeric(), n};
    own->view.codes = {own->codes.data(), columns.n_nominal(), n};
    return {own, &own->view};
}

}  // namespace retree::c45
