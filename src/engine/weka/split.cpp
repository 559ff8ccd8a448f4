#include "weka/split.hpp"

namespace retree::weka {
namespace {

double weight_of(const WeightedColumns &columns) {
    double total = 0.0;
    for (const int32_t row : columns.rows) total += columns.weight[row];
    return total;
}

// A number between two neighbouring values: what is below it goes left.
double point_between(double low, double high) {
    const double point = (low + high) / 2.0;
    return point > low ? point : high;
}

struct OfEntry {
    const WeightedColumns &columns;

    int32_t label(uint64_t entry) const { return columns.packing.label(entry); }
    double weight(uint64_t entry) const { return columns.weight[row_of(entry)]; }
};

}  // namespace

Tester::Tester(const WeightedColumns &columns, const Terms &terms, bool is_exact)
    : terms_(terms),
      n_classes_(columns.n_classes),
      is_exact_(is_exact),
      scanner_(columns, terms,
               is_exact && columns.n_numeric() > 0 && terms.has(weight_of(columns))) {}

void Tester::numeric(const WeightedColumns &columns, std::span<const uint64_t> segment, int64_t j,
                     std::span<const double> counts, double least, Split &split) {
    if (columns.packing.is_same_value(segment.front(), segment.back())) return;
    const auto n_known = static_cast<size_t>(count_with_value(segment, columns.packing));
    const auto known = segment.first(n_known), missing = segment.subspan(n_known);
    known_.assign(counts.begin(), counts.end());
    const OfEntry of{columns};
    if (!is_exact_) {
        std::ranges::fill(known_, 0.0);
        for (const uint64_t entry : known) known_[of.label(entry)] += of.weight(entry);
    }
    scanner_.scan({columns, known, known_}, least, cut_);
    if (cut_.place < 0) return;
    std::swap(split.counts, cut_.counts);
    split.sent.resize(2);
    split.place = cut_.place;
    split.point = point_between(columns.value(j, known[static_cast<size_t>(cut_.place) - 1]),
                                columns.value(j, known[static_cast<size_t>(cut_.place)]));
    finish(missing, of, split);
}

// Sets which part of a row without a value each branch gets.
void Tester::share_out(Split &split) const {
    const Matrix<double> counts = split.by_branch(n_classes_);
    for (int64_t b = 0; b < counts.rows; ++b) split.sent[b] = sum_of(counts.row(b));
    split.known = sum_of(split.sent);
    if (!(split.known > 0.0)) {
        std::ranges::fill(split.sent, 1.0 / static_cast<double>(counts.rows));
        split.known = 1.0;
    }
    split.share.resize(split.sent.size());
    for (size_t b = 0; b < split.share.size(); ++b) split.share[b] = split.sent[b] / split.known;
}

}  // namespace retree::weka
