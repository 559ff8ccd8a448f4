#include "core/own_columns.hpp"

namespace retree {

void OwnColumns::see() {
    const auto n = static_cast<int64_t>(rows.size());
    view.rows = rows;
    view.y = y;
    view.weight = weight;
    view.origin = origin;
    view.entries = {entries.data(), view.n_numeric(), n};
    view.codes = {codes.data(), view.n_nominal(), n};
}

Columns copied_branch(const WeightedColumns &columns, int64_t start, int64_t end,
                      std::span<const int32_t> branch, int32_t b, double share,
                      std::span<int32_t> number) {
    auto own = std::make_shared<OwnColumns>(OwnColumns{{}, {}, {}, {}, {}, {}, columns});
    const auto goes_here = [&](int32_t row) { return branch[row] == b || branch[row] < 0; };
    std::vector<int32_t> kept;
    for (const int32_t row : columns.segment_rows(start, end)) {
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
        for (const uint64_t entry : columns.segment(j, start, end))
            if (goes_here(row_of(entry)))
                own->entries.push_back((entry & ~ROW_MASK) |
                                       static_cast<uint64_t>(number[row_of(entry)]));
    for (int64_t j = 0; j < columns.n_nominal(); ++j)
        for (const int32_t row : kept) own->codes.push_back(columns.codes(j, row));
    own->see();
    return {own, &own->view};
}

}  // namespace retree
