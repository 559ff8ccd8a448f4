#include "c45/row_order.hpp"

namespace retree::c45 {

bool has_missing(const WeightedColumns &columns) {
    for (int64_t j = 0; j < columns.n_numeric(); ++j)
        if (columns.packing.is_missing(columns.entries.row(j).back())) return true;
    for (int64_t j = 0; j < columns.n_nominal(); ++j)
        for (const int32_t row : columns.rows)
            if (columns.codes(j, row) < 0) return true;
    return false;
}

RowOrder::RowOrder(const WeightedColumns &columns, bool is_j48)
    : is_kept_(is_j48 && has_missing(columns)) {}

void RowOrder::sort(const WeightedColumns &columns, std::span<int32_t> rows, int64_t first,
                    int64_t last) {
    if (!is_kept_) return;
    for (int64_t j = first; j < last; ++j) {
        keyed_.clear();
        for (const int32_t row : rows) keyed_.push_back({columns.value_of(j, row), row});
        weka_sort(keyed_);
        std::ranges::transform(keyed_, rows.begin(), &Keyed::item);
    }
}

}  // namespace retree::c45
