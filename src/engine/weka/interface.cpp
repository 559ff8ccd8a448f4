#include "weka/held_out.hpp"
#include "weka/random_tree.hpp"
#include "weka/rep_prune.hpp"

namespace retree::weka {
namespace {

// Growing must not leave the bounds of the arrays.
void check(AllRows &all) {
    const WeightedColumns &columns = all.columns;
    std::vector<int64_t> met(columns.y.size(), -1);  // the column in which each row was last
    bool holds = true;
    for (int64_t j = 0; j < all.entries.rows; ++j)
        for (const uint64_t entry : all.entries.row(j)) {
            const auto row = static_cast<size_t>(entry & ROW_MASK);
            require(row < met.size(), "The engine needs entries of the rows of X.");
            holds &= met[row] == j - 1 && columns.packing.label(entry) == columns.y[row];
            met[row] = j;
            all.is_complete &= !columns.packing.is_missing(entry);
        }
    require(holds, "The engine needs each row, with its class, once in every column.");
    for (int64_t j = 0; j < columns.codes.rows; ++j)
        for (const int32_t code : columns.codes.row(j)) {
            require(-1 <= code && code < columns.n_levels[j],
                    "The engine needs level codes of the levels, or -1.");
            all.is_complete &= code >= 0;
        }
}

AllRows all_rows(const retree_array *X, const retree_array *y, const retree_array *weight,
                 retree_array *entries, const retree_array *codes, const retree_array *n_levels,
                 int64_t n_classes) {
    const auto values = matrix_of<const double>(X, "X");
    AllRows all{{.X = values,
                 .y = codes_of<const int32_t>(y, values.rows, n_classes),
                 .weight = vector_of<const double>(weight, "weight", values.rows),
                 .rows = {},
                 .entries = {},
                 .codes = {},
                 .origin = {},
                 .times = {},
                 .numeric = {},
                 .nominal = {},
                 .n_levels = {},
                 .has_many_near = {},
                 .n_classes = n_classes,
                 .total = 0.0,
                 .packing = packing_of(n_classes, values.rows)},
                {},
                true};
    const auto levels = vector_of<const int32_t>(n_levels, "n_levels", values.columns);
    for (int32_t j = 0; j < values.columns; ++j) {
        (levels[j] < 0 ? all.columns.numeric : all.columns.nominal).push_back(j);
        if (levels[j] >= 0) all.columns.n_levels.push_back(levels[j]);
    }
    all.columns.entries.rows = std::ssize(all.columns.numeric);
    all.columns.codes =
        matrix_of<const int32_t>(codes, "codes", std::ssize(all.columns.nominal), values.rows);
    all.entries = matrix_of<uint64_t>(entries, "entries", all.columns.n_numeric(), values.rows);
    check(all);
    return all;
}

template <class Rule>
void check_rows(const Rule &rule, std::span<const int32_t> drawn, const AllRows &all) {
    require(rule.min_cases > 0, "The engine needs min_cases above 0.");
    require(!drawn.empty(), "The engine needs at least one row.");
    for (const int32_t row : drawn)
        require(0 <= row && row < all.columns.X.rows, "The engine needs rows of X.");
    const auto hold = [&](const auto &is_right) {
        const std::span<const double> weight = all.columns.weight;
        // Rows may be drawn many times.
        return std::ranges::all_of(weight, is_right) ||
               std::ranges::all_of(drawn, [&](int32_t row) { return is_right(weight[row]); });
    };
    require(hold([](double weight) { return weight > 0 && std::isfinite(weight); }),
            "The engine needs weights that are positive and finite.");
    if (!rule.is_exact) return;
    require(all.is_complete && hold([](double weight) { return weight == std::floor(weight); }),
            "The engine needs whole weights and all values for sums that are exact.");
}

// Of a class whose rows all went the other way, a last bit may be left, below `least` too; it
// counts in the weight of its node.
void add(Records records, retree_result *result, double least = -INF) {
    const int64_t n_nodes = records.size();
    std::vector<double> sums;
    sums.reserve(3 * static_cast<size_t>(n_nodes));
    for (int64_t node = 0; node < n_nodes; ++node) {
        const double weight = sum_of(records.all_counts().row(node));
        const double known = records.feature[node] == LEAF ? weight : records.known[node];
        for (const double sum : {weight, records.sent[node], known}) sums.push_back(sum);
    }
    // What is below a point is at most the number before it.
    for (double &point : records.threshold)
        if (!std::isnan(point)) point = std::nextafter(point, -INF);
    for (double &count : records.counts) count = std::max(count, least);
    result->add(std::move(records.parent));
    result->add(std::move(records.feature));
    result->add(std::move(records.threshold));
    result->add(std::move(records.counts), n_nodes, records.n_classes);
    result->add(std::move(sums), n_nodes, 3);
}

}  // namespace
}  // namespace retree::weka

using namespace retree;

int32_t retree_reptree_grow(const retree_array *X, const retree_array *y,
                            const retree_array *weight, retree_array *entries,
                            const retree_array *codes, const retree_array *n_levels,
                            int64_t n_classes, const retree_array *drawn, const retree_array *terms,
                            const retree_reptree_rule *asked, retree_result *result) {
    return guarded([&] {
        const weka::AllRows all = weka::all_rows(X, y, weight, entries, codes, n_levels, n_classes);
        const weka::Rule rule = rule_of(asked);
        const auto rows = vector_of<const int32_t>(drawn, "drawn");
        const bool prunes = rule.prune != 0;
        require(rule.folds > 1, "The engine needs two folds or more.");
        require(!prunes || rule.folds <= std::ssize(rows),
                "The engine needs no more folds than rows.");
        weka::check_rows(rule, rows, all);
        const auto [grown, held] =
            weka::hold_out(rows, all.columns.y, rule.folds, rule.seed, prunes);
        const Columns columns = rule.is_exact
                                    ? weka::counted_rows(all, grown, rule.takes_entries != 0)
                                    : weka::listed_rows(all, grown);
        const weka::Terms table(vector_of<const double>(terms, "terms"));
        weka::Records records = weka::grow(columns, rule, table);
        if (prunes) weka::prune(records, all.columns, held);
        weka::drop_cut_nodes(records);
        weka::add(std::move(records), result, 0.0);
    });
}

int32_t retree_random_trees_grow(const retree_array *X, const retree_array *y,
                                 const retree_array *weight, retree_array *entries,
                                 const retree_array *codes, const retree_array *n_levels,
                                 int64_t n_classes, const retree_array *drawn,
                                 const retree_array *seeds, const retree_array *terms,
                                 const retree_random_tree_rule *asked, retree_result *result) {
    return guarded([&] {
        const weka::AllRows all = weka::all_rows(X, y, weight, entries, codes, n_levels, n_classes);
        const weka::RandomRule rule = rule_of(asked);
        const auto rows = matrix_of<const int32_t>(drawn, "drawn");
        const auto seed = vector_of<const int64_t>(seeds, "seeds", rows.rows);
        weka::check_rows(rule, {rows.data, static_cast<size_t>(rows.rows * rows.columns)}, all);
        require(rule.n_tried > 0, "The engine needs at least one feature to try.");
        const weka::Terms table(vector_of<const double>(terms, "terms"));
        weka::add(weka::grow_random(all, rows, seed, rule, table), result);
    });
}

int32_t retree_n_log_n(retree_array *terms) {
    return guarded([&] {
        const auto table = vector_of<double>(terms, "terms");
        for (size_t n = 0; n < table.size(); ++n) {
            const auto x = static_cast<double>(n);
            table[n] = n > 0 ? x * log_of(x) : 0.0;
        }
    });
}
