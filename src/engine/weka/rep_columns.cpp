#include "weka/rep_columns.hpp"

#include "core/weka_sort.hpp"

namespace retree::weka {
namespace {

std::shared_ptr<OwnColumns> own_columns(const AllRows &all) {
    return std::make_shared<OwnColumns>(OwnColumns{{}, {}, {}, {}, {}, {}, all.columns});
}

// Appends the sorted entries of a numeric column.
void add_entries(OwnColumns &own, int64_t j, std::vector<Keyed> &keyed) {
    keyed.clear();
    for (const int32_t row : own.rows) keyed.push_back({own.view.value_of(j, row), row});
    weka_sort(keyed);
    uint64_t code = 0;
    for (size_t i = 0; i < keyed.size(); ++i) {
        const int32_t row = keyed[i].item;
        const bool is_missing = std::isnan(own.view.value_of(j, row));
        if (i > 0 && keyed[i - 1].value < keyed[i].value) ++code;
        own.entries.push_back(
            own.view.packing.pack(is_missing ? own.view.packing.missing() : code, own.y[row], row));
    }
}

}  // namespace

Columns counted_rows(const AllRows &all, std::span<const int32_t> rows, bool in_place) {
    auto own = own_columns(all);
    const WeightedColumns &columns = all.columns;
    own->weight.assign(columns.y.size(), 0.0);
    for (const int32_t row : rows) own->weight[row] += columns.weight[row];
    for (int32_t row = 0; row < std::ssize(own->weight); ++row)
        if (own->weight[row] > 0.0) own->rows.push_back(row);
    const int64_t n = std::ssize(own->rows);
    // Room for one more, as each entry is written before it is known to stay.
    if (!in_place) own->entries.resize(static_cast<size_t>(all.entries.rows * n) + 1);
    uint64_t *const start = in_place ? all.entries.data : own->entries.data(), *next = start;
    for (int64_t j = 0; j < all.entries.rows; ++j)
        for (const uint64_t entry : all.entries.row(j)) {
            *next = entry;
            next += own->weight[row_of(entry)] > 0.0;
        }
    own->view.rows = own->rows;
    own->view.weight = own->weight;
    own->view.entries = {start, all.entries.rows, n};
    return {own, &own->view};
}

Columns listed_rows(const AllRows &all, std::span<const int32_t> rows) {
    auto own = own_columns(all);
    const WeightedColumns &columns = all.columns;
    own->rows = row_numbers(std::ssize(rows));
    own->origin.assign(rows.begin(), rows.end());
    for (const int32_t row : rows) {
        own->y.push_back(columns.y[row]);
        own->weight.push_back(columns.weight[row]);
    }
    for (int64_t j = 0; j < columns.n_nominal(); ++j)
        for (const int32_t row : rows) own->codes.push_back(columns.codes(j, row));
    own->view.origin = own->origin;
    own->entries.reserve(rows.size() * columns.numeric.size());
    own->view.packing = packing_of(columns.n_classes, std::ssize(rows));
    std::vector<Keyed> keyed;
    for (int64_t j = 0; j < std::ssize(columns.numeric); ++j) add_entries(*own, j, keyed);
    own->see();
    return {own, &own->view};
}

}  // namespace retree::weka
