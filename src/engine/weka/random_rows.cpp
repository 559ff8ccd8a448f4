#include "weka/random_rows.hpp"

namespace retree::weka {
namespace {

constexpr size_t WORD = 64, FEW = 12;

std::vector<double> weights_of_drawn(const AllRows &all, std::span<const int32_t> drawn) {
    std::vector<double> weight(all.columns.y.size());
    for (const int32_t row : drawn) weight[row] += all.columns.weight[row];
    return weight;
}

std::vector<int32_t> rows_with(std::span<const double> weight) {
    // Room for one more, as each row is written before it is known to stay.
    std::vector<int32_t> rows(weight.size() + 1);
    size_t n = 0;
    for (size_t row = 0; row < weight.size(); ++row) {
        rows[n] = static_cast<int32_t>(row);
        n += weight[row] > 0.0;
    }
    rows.resize(n);
    return rows;
}

// Moves the last n values.
template <class T>
void take_last(std::vector<T> &values, size_t n, std::vector<T> &last) {
    const auto start = values.end() - static_cast<int64_t>(n);
    last.assign(start, values.end());
    values.erase(start, values.end());
}

}  // namespace

SharedRows::SharedRows(const AllRows &its_rows, const RandomRule &its_rule, const Terms &its_terms)
    : all(its_rows),
      rule(its_rule),
      terms(its_terms),
      column(static_cast<size_t>(all.columns.X.columns)),
      place(static_cast<size_t>(all.entries.rows * all.entries.columns)) {
    int64_t next = 0;
    for (const auto &features : {all.columns.numeric, all.columns.nominal})
        for (const int32_t feature : features) column[feature] = next++;
    const Matrix<int32_t> places{place.data(), all.entries.rows, all.entries.columns};
    for (int64_t j = 0; j < places.rows; ++j)
        for (int32_t i = 0; i < places.columns; ++i) places(j, row_of(all.entries(j, i))) = i;
    if (!rule.is_exact || all.columns.most_levels() * all.columns.n_classes > INT32_MAX) return;
    const auto n_classes = static_cast<int32_t>(all.columns.n_classes);
    for (int64_t j = 0; j < all.columns.codes.rows; ++j)
        for (int64_t i = 0; i < all.columns.codes.columns; ++i)
            cell.push_back(all.columns.codes(j, i) * n_classes + all.columns.y[i]);
}

RandomRows::RandomRows(const SharedRows &shared, std::span<const int32_t> drawn)
    : shared_(shared),
      all_(shared.all),
      weight_(weights_of_drawn(all_, drawn)),
      rows_(rows_with(weight_)),
      view_(all_.columns),
      words_((view_.y.size() + WORD - 1) / WORD) {
    view_.weight = weight_;
    if (is_exact()) return;
    if (!shared.rule.counts_rows) rows_.assign(drawn.begin(), drawn.end());
    for (const int32_t row : rows_)
        weights_.push_back(shared.rule.counts_rows ? weight_[row] : all_.columns.weight[row]);
    see();
}

WeightedColumns RandomRows::of_drawn() {
    WeightedColumns columns = all_.columns;
    columns.weight = weight_;
    columns.rows = rows_;
    return columns;
}

void RandomRows::take(size_t n) {
    take_last(aside_, n, rows_);
    if (!is_exact()) take_last(aside_weights_, n, weights_);
    see();
}

// Returns the entries of the node in the order of numeric column j.
std::span<const uint64_t> RandomRows::sorted(int64_t j) {
    const auto column = all_.entries.row(j);
    const int32_t *const place = shared_.places_of(j);
    if (is_exact()) {
        const size_t n = rows_.size();
        places_.resize(n);
        entries_.resize(n);
        for (size_t i = 0; i < n; ++i) places_[i] = place[rows_[i]];
        sort_places();
        for (size_t i = 0; i < n; ++i) entries_[i] = column[places_[i]];
        return entries_;
    }
    sort_in_place(j);
    entries_.clear();
    for (const int32_t i : numbers())
        entries_.push_back((column[place[rows_[i]]] & ~ROW_MASK) | static_cast<uint64_t>(i));
    return entries_;
}

// Sorts places, all different: many as the bits of words, which takes no comparisons.
void RandomRows::sort_places() {
    if (places_.size() < std::max(FEW, words_.size() / 4)) {
        std::ranges::sort(places_);
        return;
    }
    for (const int32_t i : places_) words_[i / WORD] |= uint64_t{1} << (i % WORD);
    int32_t *next = places_.data();
    for (size_t w = 0; w < words_.size(); ++w) {
        for (uint64_t word = std::exchange(words_[w], 0); word != 0; word &= word - 1)
            *next++ = static_cast<int32_t>(w * WORD) + std::countr_zero(word);
    }
}

void RandomRows::sort_in_place(int64_t j) {
    keyed_.clear();
    for (const int32_t i : numbers()) keyed_.push_back({view_.value_of(j, i), i});
    weka_sort(keyed_);
    sorted_rows_.clear();
    sorted_weights_.clear();
    for (const Keyed &each : keyed_) {
        sorted_rows_.push_back(rows_[each.item]);
        sorted_weights_.push_back(weights_[each.item]);
    }
    std::swap(rows_, sorted_rows_);
    std::swap(weights_, sorted_weights_);
    see();
}

// Lets the view show the rows of the node.
void RandomRows::see() {
    if (is_exact()) return;
    if (numbers_.size() < rows_.size()) numbers_ = row_numbers(std::ssize(rows_));
    view_.origin = rows_;
    view_.weight = weights_;
}

// Sets the branch of each row, -1 where the value is missing, and the number of rows of each.
template <class BranchOf>
void RandomRows::assign(const Split &split, const BranchOf &branch_of) {
    n_rows_.assign(split.sent.size(), 0);
    branches_.resize(rows_.size());
    for (size_t i = 0; i < rows_.size(); ++i) {
        const int32_t branch = branches_[i] = branch_of(rows_[i]);
        if (branch >= 0)
            ++n_rows_[branch];
        else
            for (size_t b = 0; b < n_rows_.size(); ++b) n_rows_[b] += split.share[b] > 0.0;
    }
}

std::span<const size_t> RandomRows::count_branches(const Split &split, int32_t first_right) {
    const int64_t column = shared_.column[split.column], j = column - shared_.n_numeric();
    if (j >= 0)
        assign(split, [codes = view_.codes.row(j)](int32_t row) { return codes[row]; });
    else if (is_exact())
        assign(split, [place = shared_.places_of(column), first_right](int32_t row) {
            return static_cast<int32_t>(place[row] >= first_right);
        });
    else
        assign(split, [this, &split](int32_t row) {
            const double value = all_.columns.X(row, split.column);
            return std::isnan(value) ? -1 : static_cast<int32_t>(value >= split.point);
        });
    return n_rows_;
}

void RandomRows::put_aside(const Split &split, std::span<const uint8_t> is_leaf) {
    next_.resize(n_rows_.size());
    size_t end = aside_.size(), n_dropped = 0;
    for (size_t b = n_rows_.size(); b-- > 0;) {
        next_[b] = end;
        (is_leaf[b] ? n_dropped : end) += n_rows_[b];
    }
    // What is dropped goes where it is cut off.
    for (size_t b = 0; b < n_rows_.size(); ++b)
        if (is_leaf[b]) next_[b] = end;
    aside_.resize(end + n_dropped);
    if (is_exact()) {
        for (size_t i = 0; i < rows_.size(); ++i) aside_[next_[branches_[i]]++] = rows_[i];
        aside_.resize(end);
        return;
    }
    aside_weights_.resize(aside_.size());
    const auto put = [this](size_t b, size_t i, double weight) {
        aside_[next_[b]] = rows_[i];
        aside_weights_[next_[b]++] = weight;
    };
    for (size_t i = 0; i < rows_.size(); ++i) {
        if (branches_[i] >= 0) {
            put(static_cast<size_t>(branches_[i]), i, weights_[i]);
            continue;
        }
        for (size_t b = 0; b < n_rows_.size(); ++b)
            if (split.share[b] > 0.0) put(b, i, split.share[b] * weights_[i]);
    }
    aside_.resize(end);
    aside_weights_.resize(end);
}

}  // namespace retree::weka
