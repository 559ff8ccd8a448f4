#include "core/weighted_columns.hpp"

#include "core/criteria.hpp"
#include "core/presort.hpp"
#include "core/team.hpp"
#include "retree/weighted_columns.h"

namespace retree {
namespace {

constexpr double LARGEST_TABLE = 1 << 22;

void check_rows(std::span<const int32_t> rows, std::span<const int32_t> y, int64_t n_classes) {
    const auto n = static_cast<int32_t>(y.size());
    std::vector<uint8_t> is_seen(y.size());
    for (const int32_t row : rows) {
        require(0 <= row && row < n && !is_seen[row], "The engine needs each row once.");
        is_seen[row] = 1;
        require(0 <= y[row] && y[row] < n_classes, "The engine needs class codes of the classes.");
    }
}

// What a member of a team sorts with.
struct SortScratch {
    SortScratch(int64_t n_rows, bool counts_near)
        : sorter(n_rows),
          keys(counts_near ? static_cast<size_t>(n_rows) : 0),
          values(keys.size()) {}

    ColumnSorter sorter;
    std::vector<uint64_t> keys;
    std::vector<double> values;
};

// The rows whose keys are sorted.
struct PresortedRows {
    std::span<const int32_t> rows;
    std::vector<uint64_t> payloads;  // with the class of each
    Packing packing;
    bool are_all;  // whether each stands at its own place
};

// Turns the keys of a column into its sorted entries.
void presort_column(std::span<uint64_t> keys, const PresortedRows &of, SortScratch &scratch) {
    const Packing packing = of.packing;
    const int64_t n = std::ssize(keys), n_known = n - std::ranges::count(keys, NAN_KEY);
    const auto sorted = scratch.sorter.sort_words(keys, of.payloads, packing.class_bits());
    uint64_t n_values = 0;
    // With a copy of `sorted`, which no store of an entry can change.
    const auto pack_to = [&, sorted, rows = of.rows.data(), are_all = of.are_all](
                             uint64_t *out, const auto &is_new) {
        const uint64_t *const words = sorted.words.data();
        uint64_t code = ~uint64_t{0}, before = 0;
        for (int64_t i = 0; i < n; ++i) {
            const uint64_t word = words[i];
            const auto label = static_cast<int32_t>(sorted.label(word));
            const size_t place = sorted.place(word);
            if (i < n_known) code += i == 0 || is_new(i, before, word);
            out[i] = packing.pack(i < n_known ? code : packing.missing(), label,
                                  are_all ? static_cast<int32_t>(place) : rows[place]);
            before = word;
        }
        n_values = code + 1;
    };
    if (!scratch.keys.empty()) {
        // Fetching all keys before they are looked at takes half as long as one by one.
        uint64_t *const ordered = scratch.keys.data();
        std::ranges::transform(sorted.words, ordered,
                               [&](uint64_t word) { return sorted.keys[sorted.place(word)]; });
        pack_to(keys.data(),
                [=](int64_t i, uint64_t, uint64_t) { return ordered[i] != ordered[i - 1]; });
        for (int64_t i = 0; i < n_known; ++i)
            scratch.values[packing.code(keys[i])] = value_of_key(ordered[i]);
        const auto n_near = std::span(scratch.keys).first(n_values);
        count_near(std::span(scratch.values).first(n_values), packing.many_near(), n_near);
        for (uint64_t &entry : keys.first(static_cast<size_t>(n_known)))
            entry = packing.with_near(entry, n_near[packing.code(entry)]);
    } else if (sorted.is_exact) {
        const uint64_t payload = sorted.payload;
        pack_to(keys.data(),
                [payload](int64_t, uint64_t a, uint64_t b) { return ((a ^ b) & ~payload) != 0; });
    } else {
        pack_to(sorted.words.data(),
                [&sorted](int64_t, uint64_t a, uint64_t b) { return !sorted.is_same_key(a, b); });
        std::ranges::copy(sorted.words, keys.begin());
    }
}

// The entries of a column must hold each row once, with its class. Returns whether a value has many
// near it. `labels` has the class of each row, and is used up.
bool check_entries(const WeightedColumns &columns, int64_t j, std::span<int32_t> labels) {
    constexpr int32_t MET = -1;
    const Packing packing = columns.packing;
    const auto entries = columns.entries.row(j);
    bool holds = true, has_many_near = false;
    for (size_t i = 0; i < entries.size(); ++i) {
        const uint64_t entry = entries[i];
        prefetch(labels.data() + row_of(entries[std::min(i + ROWS_AHEAD, entries.size() - 1)]));
        const uint64_t row = entry & ROW_MASK;
        require(row < labels.size(), "The engine needs entries of the rows of X.");
        const auto code = static_cast<int64_t>(packing.code(entry));
        holds &= labels[row] == packing.label(entry);
        holds &= code < columns.X.rows || packing.is_missing(entry);
        has_many_near |= packing.near(entry) == packing.many_near();
        labels[row] = MET;
    }
    require(holds, "The engine needs each row, with its class, once in every column.");
    return has_many_near;
}

void check_all_entries(WeightedColumns &columns, int64_t n_threads) {
    std::vector<int32_t> labels(columns.y.size(), -1);
    for (const int32_t row : columns.rows) labels[row] = columns.y[row];
    columns.has_many_near.resize(columns.numeric.size());
    Team team(n_threads, columns.n_numeric());
    std::vector<std::vector<int32_t>> scratch(static_cast<size_t>(team.size()));
    const int64_t work = columns.n_numeric() * columns.n_rows();
    team.share(columns.n_numeric(), work, [&](int64_t member, int64_t j) {
        scratch[member] = labels;
        columns.has_many_near[j] = check_entries(columns, j, scratch[member]);
    });
}

constexpr auto LEVEL_CODES = "The engine needs level codes of the levels, or -1.";

// Turns the levels in some columns of X into codes.
void read_levels(Matrix<const double> X, std::span<const int32_t> nominal,
                 std::span<const int32_t> n_levels, Matrix<int32_t> codes) {
    for (int64_t row = 0; row < X.rows; ++row)
        for (int64_t j = 0; j < codes.rows; ++j) {
            const double level = X.row(row)[nominal[j]];
            const bool is_known = 0 <= level && level < n_levels[nominal[j]];
            require(is_known || std::isnan(level), LEVEL_CODES);
            codes.row(j)[row] = is_known ? static_cast<int32_t>(level) : -1;
        }
}

void check_codes(const WeightedColumns &columns) {
    for (int64_t j = 0; j < columns.n_nominal(); ++j)
        for (const int32_t code : columns.codes.row(j))
            require(-1 <= code && code < columns.n_levels[j], LEVEL_CODES);
}

}  // namespace

WeightedColumns columns_of(const ColumnArguments &arguments) {
    const auto X = matrix_of<const double>(arguments.X, "X");
    const auto y = vector_of<const int32_t>(arguments.y, "y", X.rows);
    WeightedColumns columns{.X = X,
                            .y = y,
                            .weight = vector_of<const double>(arguments.weight, "weight", X.rows),
                            .rows = vector_of<int32_t>(arguments.rows, "rows"),
                            .entries = {},
                            .codes = {},
                            .origin = {},
                            .times = {},
                            .numeric = {},
                            .nominal = {},
                            .n_levels = {},
                            .has_many_near = {},
                            .n_classes = arguments.n_classes,
                            .total = arguments.total,
                            .packing = packing_of(arguments.n_classes, X.rows)};
    const auto n_levels = vector_of<const int32_t>(arguments.n_levels, "n_levels", X.columns);
    for (int32_t j = 0; j < X.columns; ++j) {
        (n_levels[j] < 0 ? columns.numeric : columns.nominal).push_back(j);
        if (n_levels[j] >= 0) columns.n_levels.push_back(n_levels[j]);
    }
    const auto n_numeric = static_cast<int64_t>(columns.numeric.size());
    columns.entries =
        matrix_of<uint64_t>(arguments.entries, "entries", n_numeric, columns.n_rows());
    columns.codes =
        matrix_of<const int32_t>(arguments.codes, "codes", X.columns - n_numeric, X.rows);
    require(!columns.rows.empty(), "The engine needs at least one row.");
    check_rows(columns.rows, columns.y, columns.n_classes);
    for (const int32_t row : columns.rows)
        require(columns.weight[row] > 0 && std::isfinite(columns.weight[row]),
                "The engine needs weights that are positive and finite.");
    check_all_entries(columns, arguments.n_threads);
    check_codes(columns);
    return columns;
}

int64_t count_with_value(std::span<const uint64_t> segment, Packing packing) {
    if (!segment.empty() && !packing.is_missing(segment.back()))
        return static_cast<int64_t>(segment.size());
    const auto has_value = [packing](uint64_t entry) { return !packing.is_missing(entry); };
    return std::partition_point(segment.begin(), segment.end(), has_value) - segment.begin();
}

int64_t whole_total(const WeightedColumns &columns) {
    if (columns.total > LARGEST_TABLE) return -1;
    double total = 0.0;
    for (const int32_t row : columns.rows) {
        if (columns.weight[row] != std::floor(columns.weight[row])) return -1;
        total += columns.weight[row];
    }
    require(total == columns.total, "The engine needs the sum of the weights.");
    return static_cast<int64_t>(total);
}

std::vector<double> log_table(const WeightedColumns &columns) {
    const int64_t total = whole_total(columns);
    return total < 0 ? std::vector<double>() : xlog2x_table(total);
}

std::vector<int32_t> whole_weights(const WeightedColumns &columns) {
    std::vector<int32_t> weight(columns.y.size());
    for (const int32_t row : columns.rows) weight[row] = static_cast<int32_t>(columns.weight[row]);
    return weight;
}

bool has_unit_weights(const WeightedColumns &columns) {
    return std::all_of(columns.rows.begin(), columns.rows.end(),
                       [&columns](int32_t row) { return columns.weight[row] == 1.0; });
}

}  // namespace retree

using namespace retree;

int32_t retree_presort_columns(const retree_array *X, const retree_array *y,
                               const retree_array *rows, const retree_array *n_levels,
                               int64_t n_classes, int64_t counts_near, int64_t n_threads,
                               retree_array *entries, retree_array *codes) {
    return guarded([&] {
        const auto values = matrix_of<const double>(X, "X");
        const auto labels = vector_of<const int32_t>(y, "y", values.rows);
        const auto chosen = vector_of<const int32_t>(rows, "rows");
        const auto levels = vector_of<const int32_t>(n_levels, "n_levels", values.columns);
        std::vector<int32_t> numeric, nominal;
        for (int32_t j = 0; j < std::ssize(levels); ++j)
            (levels[j] < 0 ? numeric : nominal).push_back(j);
        const auto n_numeric = std::ssize(numeric);
        const auto sorted =
            matrix_of<uint64_t>(entries, "entries", n_numeric, static_cast<int64_t>(chosen.size()));
        check_rows(chosen, labels, n_classes);
        read_levels(values, nominal, levels,
                    matrix_of<int32_t>(codes, "codes", std::ssize(nominal), values.rows));
        const Packing packing = packing_of(n_classes, values.rows);
        PresortedRows of{chosen, std::vector<uint64_t>(chosen.size()), packing, true};
        for (size_t i = 0; i < chosen.size(); ++i) {
            of.payloads[i] = i << packing.class_bits() | static_cast<uint64_t>(labels[chosen[i]]);
            of.are_all &= static_cast<size_t>(chosen[i]) == i;
        }
        Team team(n_threads, n_numeric);
        read_keys(values, numeric, chosen, sorted, team);
        std::vector<std::optional<SortScratch>> scratch(static_cast<size_t>(team.size()));
        Poll poll;
        team.share(n_numeric, n_numeric * sorted.columns, [&](int64_t member, int64_t j) {
            if (member == 0) poll.check();
            if (!scratch[member]) scratch[member].emplace(sorted.columns, counts_near != 0);
            presort_column(sorted.row(j), of, *scratch[member]);
        });
    });
}

int32_t retree_take_entries(const retree_array *entries, const retree_array *weight,
                            retree_array *kept) {
    return guarded([&] {
        const auto all = matrix_of<const uint64_t>(entries, "entries");
        const auto weights = vector_of<const double>(weight, "weight");
        const auto taken = matrix_of<uint64_t>(kept, "kept", all.rows);
        std::vector<uint8_t> is_kept(weights.size());
        std::ranges::transform(weights, is_kept.begin(), [](double w) { return w > 0; });
        std::vector<uint64_t> buffer(static_cast<size_t>(all.columns));
        for (int64_t j = 0; j < all.rows; ++j) {
            uint64_t last = 0;
            for (const uint64_t entry : all.row(j)) last = std::max(last, entry & ROW_MASK);
            require(all.columns == 0 || last < weights.size(),
                    "The engine needs a weight for each row.");
            std::ranges::copy(all.row(j), buffer.begin());
            require(keep_left(std::span(buffer), is_kept.data()) == taken.columns,
                    "The engine needs room for the rows with a weight, and for no more.");
            std::copy_n(buffer.begin(), taken.columns, taken.row(j).begin());
        }
    });
}
