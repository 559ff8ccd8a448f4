#include "weka/rep_scan.hpp"

namespace retree::weka {
namespace {

// How far sums of near terms may be off after many rows, with a wide margin.
constexpr double ROUNDING = 1e-9;
constexpr double LEAST = -INF;

double prior_of(const Known &known, const Terms &terms) {
    return entropy_of_classes({known.counts.data(), 1, std::ssize(known.counts)}, terms);
}

}  // namespace

Scanner::Scanner(const WeightedColumns &columns, const Terms &terms, bool is_whole)
    : terms_(terms),
      n_classes_(static_cast<size_t>(columns.n_classes)),
      is_whole_(is_whole),
      weight_(is_whole && !has_unit_weights(columns) ? whole_weights(columns)
                                                     : std::vector<int32_t>()),
      whole_(columns.n_classes, is_whole ? columns.rows.size() : 0, terms.table(), weight_),
      left_counts_(n_classes_),
      sides_(2 * n_classes_),
      near_terms_(sides_.size()) {}

void Scanner::scan(const Known &known, double least, Cut &cut) {
    cut.place = -1;
    cut.counts.resize(sides_.size());
    is_whole_ ? scan_whole(known, least, cut) : scan_any(known, cut);
}

// Adds up all terms in Weka's order only at the cuts whose gain may be the greatest.
void Scanner::scan_whole(const Known &known, double least, Cut &cut) {
    const auto n_cuts = static_cast<int32_t>(known.entries.size()) - 1;
    whole_.sum_terms(known.entries, known.columns.packing, known.counts);
    whole_.set_gains(0, n_cuts);
    const auto greatest = whole_.greatest(), gains = whole_.gains();
    const double total = whole_.total();
    const double most = std::ranges::max(greatest), slack = ROUNDING * (1.0 + terms_.whole(total));
    if (most + slack < least * total * LOG_2) return;
    const double limit = most - slack;
    std::ranges::fill(left_counts_, 0);
    const double prior = prior_of(known, terms_);
    double best = LEAST;
    size_t n_counted = 0;
    for (int32_t i = 0; i < n_cuts; ++i) {
        if (i % WholeScan::BLOCK == 0 && greatest[i / WholeScan::BLOCK] < limit) {
            i += WholeScan::BLOCK - 1;
            continue;
        }
        if (gains[i] < limit) continue;
        const auto up_to = static_cast<size_t>(i) + 1;
        whole_.add_weights(known.entries.first(up_to).subspan(n_counted), known.columns.packing,
                           left_counts_);
        n_counted = up_to;
        // The entropy that is left is the sum over this unit, and negative.
        const double gain = prior - -sum_at(whole_.left_of(i)) / (total * LOG_2);
        if (!(gain > best)) continue;
        best = gain;
        cut.place = i + 1;
        for (size_t c = 0; c < n_classes_; ++c) {
            cut.counts[c] = left_counts_[c];
            cut.counts[n_classes_ + c] = whole_.totals()[c] - left_counts_[c];
        }
    }
}

// The sum of all terms of a cut in Weka's order.
double Scanner::sum_at(int32_t n_left) const {
    const double *const terms = terms_.table().data();
    double sum = 0.0;
    for (const int32_t count : left_counts_) sum += terms[count];
    sum -= terms[n_left];
    for (size_t c = 0; c < n_classes_; ++c) sum += terms[whole_.totals()[c] - left_counts_[c]];
    return sum - terms[whole_.total() - n_left];
}

// Keeps a running sum, and adds up all terms in Weka's order only where it says that the gain may
// be the greatest.
void Scanner::scan_any(const Known &known, Cut &cut) {
    start(known.counts);
    const double prior = prior_of(known, terms_);
    const Matrix<const double> sides{sides_.data(), 2, std::ssize(known.counts)};
    double best_near = LEAST, best = LEAST;
    for (size_t i = 0; i < known.entries.size(); ++i) {
        if (i > 0 && known.is_cut(i)) {
            const double now = sum_ - terms_.near(left_) - terms_.near(right_);
            if (now >= best_near - slack_) {
                best_near = std::max(best_near, now);
                if (const double gain = prior - entropy_of_branches(sides, terms_); gain > best) {
                    best = gain;
                    cut.place = static_cast<int64_t>(i);
                    std::ranges::copy(sides_, cut.counts.begin());
                }
            }
        }
        move(known.label(i), known.weight(i));
    }
}

void Scanner::start(std::span<const double> counts) {
    left_ = right_ = sum_ = 0.0;
    for (size_t c = 0; c < n_classes_; ++c) {
        const size_t r = n_classes_ + c;
        sides_[c] = near_terms_[c] = 0.0;
        sides_[r] = counts[c];
        near_terms_[r] = terms_.near(counts[c]);
        right_ += counts[c];
        sum_ += near_terms_[r];
    }
    slack_ = ROUNDING * (1.0 + std::abs(sum_) + terms_.near(right_));
}

// Moves a row from the right to the left.
void Scanner::move(size_t label, double weight) {
    const size_t other = label + n_classes_;
    sides_[label] += weight;
    sides_[other] -= weight;
    left_ += weight;
    right_ -= weight;
    const double on_left = terms_.near(sides_[label]), on_right = terms_.near(sides_[other]);
    sum_ += (on_left - near_terms_[label]) + (on_right - near_terms_[other]);
    near_terms_[label] = on_left;
    near_terms_[other] = on_right;
}

}  // namespace retree::weka
