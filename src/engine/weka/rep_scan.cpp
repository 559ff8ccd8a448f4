#include "weka/rep_scan.hpp"

namespace retree::weka {
namespace {

// How far sums of near terms may be off after many rows, with a wide margin.
constexpr double ROUNDING = 1e-9;
constexpr double LEAST = -std::numeric_limits<double>::infinity();

double prior_of(const Known &known, const Terms &terms) {
    return entropy_of_classes({known.counts.data(), 1, std::ssize(known.counts)}, terms);
}

}  // namespace

void Scanner::scan(const Known &known, Cut &cut) {
    cut.place = -1;
    cut.counts.resize(sides_.size());
    if (is_whole_ && n_classes_ == 2) return scan_few<2>(known, cut);
    if (is_whole_ && n_classes_ == 3) return scan_few<3>(known, cut);
    scan_many(known, cut);
}

// Adds up all terms at each cut, in Weka's order. Where rows can be cut is noted first, without a
// branch that would be as often right as wrong.
template <size_t n_classes>
void Scanner::scan_few(const Known &known, Cut &cut) {
    std::array<int32_t, n_classes> left{}, all;
    for (size_t c = 0; c < n_classes; ++c) all[c] = static_cast<int32_t>(known.counts[c]);
    const size_t n = known.entries.size();
    places_.resize(std::max(places_.size(), n));
    lefts_.resize(std::max(lefts_.size(), n * n_classes));
    size_t n_cuts = 0;
    for (size_t i = 0; i < n; ++i) {
        places_[n_cuts] = static_cast<int32_t>(i);
        for (size_t c = 0; c < n_classes; ++c) lefts_[n_cuts * n_classes + c] = left[c];
        n_cuts += i > 0 && known.is_cut(i);
        const auto weight = static_cast<int32_t>(known.weight(i));
        const size_t label = known.label(i);
        for (size_t c = 0; c < n_classes; ++c) left[c] += label == c ? weight : 0;
    }
    const int32_t total = std::accumulate(all.begin(), all.end(), 0);
    const double prior = prior_of(known, terms_), unit = static_cast<double>(total) * LOG_2;
    const double *const terms = terms_.table();
    double best_sum = LEAST, best = LEAST;
    for (size_t k = 0; k < n_cuts; ++k) {
        const int32_t *const own = lefts_.data() + k * n_classes;
        double sum = 0.0;
        int32_t on_left = 0;
        for (size_t c = 0; c < n_classes; ++c) {
            sum += terms[own[c]];
            on_left += own[c];
        }
        sum -= terms[on_left];
        for (size_t c = 0; c < n_classes; ++c) sum += terms[all[c] - own[c]];
        sum -= terms[total - on_left];
        if (!(sum > best_sum)) continue;
        best_sum = sum;
        // The entropy that is left is -sum / unit; rounded, it may be as great as the best.
        const double gain = prior - -sum / unit;
        if (!(gain > best)) continue;
        best = gain;
        cut.place = places_[k];
        for (size_t c = 0; c < n_classes; ++c) {
            cut.counts[c] = own[c];
            cut.counts[n_classes + c] = all[c] - own[c];
        }
    }
}

// Keeps a running sum, and adds up all terms in Weka's order only where it says that the gain may
// be the greatest.
void Scanner::scan_many(const Known &known, Cut &cut) {
    start(known.counts);
    const double prior = prior_of(known, terms_);
    const Matrix<const double> sides{sides_.data(), 2, std::ssize(known.counts)};
    double best_near = LEAST, best = LEAST;
    for (size_t i = 0; i < known.entries.size(); ++i) {
        if (i > 0 && known.is_cut(i)) {
            const double now = sum_ - near(left_) - near(right_);
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
        near_terms_[r] = near(counts[c]);
        right_ += counts[c];
        sum_ += near_terms_[r];
    }
    slack_ = ROUNDING * (1.0 + std::abs(sum_) + near(right_));
}

// Moves a row from the right to the left.
void Scanner::move(size_t label, double weight) {
    const size_t other = label + n_classes_;
    sides_[label] += weight;
    sides_[other] -= weight;
    left_ += weight;
    right_ -= weight;
    const double on_left = near(sides_[label]), on_right = near(sides_[other]);
    sum_ += (on_left - near_terms_[label]) + (on_right - near_terms_[other]);
    near_terms_[label] = on_left;
    near_terms_[other] = on_right;
}

}  // namespace retree::weka
