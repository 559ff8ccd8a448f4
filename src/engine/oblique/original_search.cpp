#include "oblique/original_search.hpp"

namespace retree::oblique {
namespace {

constexpr int64_t STAGNANT_STEPS = 10;

bool is_small(float change) { return double{std::abs(change)} < LEAST_CHANGE; }

}  // namespace

OriginalSearch::OriginalSearch(const OriginalRule &rule, size_t n_rows, size_t n_features,
                               size_t n_classes, uint64_t state, Poll &poll)
    : rule_(rule),
      poll_(poll),
      random_(state),
      candidates_(n_rows, n_classes, random_),
      sides_(n_classes),
      x_(n_rows * n_features),
      coefs_(n_features + 1),
      suggested_(n_features + 1),
      best_(n_features + 1),
      direction_(n_features + 1),
      least_(n_features) {}

float OriginalSearch::search(Matrix<float> X, std::span<const int32_t> rows,
                             std::span<const int32_t> labels, bool is_root) {
    load(X, rows);
    labels_ = labels;
    const float straight = axis_parallel();
    const bool is_large =
        static_cast<double>(n_) > rule_.min_rows_per_feature * static_cast<double>(X.columns);
    if (straight == 0.0F || !(is_large || (rule_.is_cart && is_root))) {
        find_values();
        return straight;
    }
    const auto axis = coefs_;
    if (rule_.shifts) shift();
    const float slanted = rule_.is_cart ? cart() : oc1();
    if (rule_.shifts) unshift(X, rows);
    if (rule_.is_cart || slanted < straight) return slanted;
    coefs_ = axis;
    find_values();
    return straight;
}

void OriginalSearch::load(Matrix<float> X, std::span<const int32_t> rows) {
    n_ = rows.size();
    value_.resize(n_);
    scratch_.resize(n_);
    for (size_t i = 0; i < n_; ++i) {
        const auto row = X.row(rows[i]);
        for (size_t j = 0; j < row.size(); ++j) x_[j * n_ + i] = row[j];
    }
}

// Shifts each feature that has negative values to minimum 0.
void OriginalSearch::shift() {
    for (size_t j = 0; j < least_.size(); ++j) {
        least_[j] = std::min(std::ranges::min(column(j)), 0.0F);
        if (least_[j] < 0.0F)
            for (float &x : column(j)) x -= least_[j];
    }
}

void OriginalSearch::unshift(Matrix<float> X, std::span<const int32_t> rows) {
    for (size_t j = 0; j < least_.size(); ++j) {
        if (!(least_[j] < 0.0F)) continue;
        coefs_.back() -= coefs_[j] * least_[j];
        const auto x = column(j);
        for (size_t i = 0; i < n_; ++i)
            X(rows[i], static_cast<int64_t>(j)) = x[i] = x[i] + least_[j];
    }
}

RETREE_VECTOR void OriginalSearch::find_values() noexcept {
    std::ranges::fill(value_, double{coefs_.back()});
    for (size_t j = 0; j + 1 < coefs_.size(); ++j) {
        const float coef = coefs_[j];
        if (coef == 0.0F) continue;
        const auto x = column(j);
        for (size_t i = 0; i < n_; ++i) value_[i] += double{x[i] * coef};
    }
}

float OriginalSearch::impurity_of(std::span<const double> values) {
    sides_.clear();
    for (size_t i = 0; i < n_; ++i) {
        const auto label = static_cast<size_t>(labels_[i]);
        const int32_t left = values[i] < 0.0;
        sides_.left[label] += left;
        sides_.right[label] += 1 - left;
    }
    return sides_.impurity();
}

// Takes the suggested coefficients where they change enough; returns whether one does.
RETREE_VECTOR bool OriginalSearch::alter() noexcept {
    bool changed = false;
    for (size_t m = 0; m < coefs_.size(); ++m) {
        const float change = suggested_[m] - coefs_[m];
        if (!(double{std::abs(change)} > LEAST_CHANGE)) continue;
        changed = true;
        coefs_[m] = suggested_[m];
        if (m + 1 == coefs_.size()) {
            for (double &value : value_) value += double{change};
        } else {
            const auto x = column(m);
            for (size_t i = 0; i < n_; ++i) value_[i] += double{change * x[i]};
        }
    }
    return changed;
}

// The first feature of least impurity, as it is by the cut that was chosen.
float OriginalSearch::axis_parallel() {
    size_t feature = 0;
    float constant = 0.0F, least = 0.0F;
    std::ranges::fill(coefs_, 0.0F);
    for (size_t j = 0; j + 1 < coefs_.size(); ++j) {
        poll_.check();
        candidates_.clear();
        const auto x = column(j);
        for (size_t i = 0; i < n_; ++i) candidates_.add(x[i], labels_[i]);
        coefs_[j] = 1.0F;
        coefs_.back() = -candidates_.best_cut();
        find_values();
        const float error = impurity();
        coefs_[j] = 0.0F;
        if (j > 0 && !(error < least)) continue;
        feature = j;
        constant = coefs_.back();
        least = error;
        if (least == 0.0F) break;
    }
    coefs_[feature] = 1.0F;
    coefs_.back() = constant;
    return least;
}

// Takes each coefficient's best change, even one for the worse.
float OriginalSearch::cart() {
    find_values();
    float error = impurity(), before = 0.0F;
    for (int64_t cycle = 1; error != 0.0F; ++cycle) {
        before = error;
        for (size_t m = 0; m + 1 < coefs_.size() && error != 0.0F; ++m) {
            poll_.check();
            const float suggested = cart_perturb(m);
            if (alter()) error = suggested;
        }
        if (error != 0.0F) {
            const float suggested = cart_perturb_constant();
            if (alter()) error = suggested;
        }
        if (cycle > rule_.max_cycles || (cycle > 1 && is_small(before - error))) break;
    }
    return error;
}

// Suggests the best step along feature m plus one of three shifts. The cut is chosen as if the sum
// were positive, so the impurity may be another than that of the cut.
RETREE_VECTOR float OriginalSearch::cart_perturb(size_t m) noexcept {
    const auto x = column(m);
    float best_step = 0.0F, best_shift = 0.0F, least = 0.0F;
    for (const float shift : {-0.25F, 0.0F, 0.25F}) {
        candidates_.clear();
        for (size_t i = 0; i < n_; ++i) {
            const float sum = x[i] + shift;
            if (sum != 0.0F)
                candidates_.add(static_cast<float>(value_[i] / double{sum}), labels_[i]);
        }
        const float step = candidates_.best_cut();
        for (size_t i = 0; i < n_; ++i) scratch_[i] = value_[i] - double{step * (x[i] + shift)};
        const float error = impurity_of(scratch_);
        if (shift != -0.25F && !(error < least)) continue;
        best_step = step;
        best_shift = shift;
        least = error;
    }
    suggested_ = coefs_;
    suggested_[m] -= best_step;
    suggested_.back() -= best_step * best_shift;
    return least;
}

float OriginalSearch::cart_perturb_constant() {
    poll_.check();
    candidates_.clear();
    for (size_t i = 0; i < n_; ++i) candidates_.add(static_cast<float>(value_[i]), labels_[i]);
    const float step = candidates_.best_cut();
    for (size_t i = 0; i < n_; ++i) scratch_[i] = value_[i] - double{step};
    suggested_ = coefs_;
    suggested_.back() -= step;
    return impurity_of(scratch_);
}

// Climbs from the axis-parallel test as it is on shifted features, then from random hyperplanes.
float OriginalSearch::oc1() {
    find_values();
    float error = impurity(), least = error;
    best_ = coefs_;
    for (int64_t climbs = 1; least != 0.0F && climbs <= rule_.n_restarts; ++climbs) {
        if (climbs > 1) {
            draw(coefs_);
            find_values();
            error = impurity();
        }
        climb(error);
        if (error < least || (error == least && random_.between(0.0F, 1.0F) > 0.5F)) {
            least = error;
            best_ = coefs_;
        }
    }
    coefs_ = best_;
    find_values();
    return least;
}

// Perturbs the coefficients in turn, never the constant alone; where none changes, along random
// lines.
void OriginalSearch::climb(float &error) {
    n_stagnant_ = 0;
    for (bool improved = true; improved && error != 0.0F;) {
        improved = false;
        for (size_t m = 0; m + 1 < coefs_.size() && error != 0.0F; ++m) {
            poll_.check();
            const float suggested = perturb(m, error);
            if (suggested <= error && alter()) {
                error = suggested;
                improved = true;
            }
        }
        for (int64_t j = 0; j < rule_.max_jumps && !improved && error != 0.0F; ++j) {
            poll_.check();
            const float suggested = jump(error);
            improved = alter();
            if (improved) error = suggested;
        }
    }
}

// Suggests the best value of a coefficient if that is no loss, and ten times in a row one that is
// no gain; returns the impurity then.
RETREE_VECTOR float OriginalSearch::perturb(size_t m, float error) noexcept {
    suggested_ = coefs_;
    candidates_.clear();
    const auto x = column(m);
    for (size_t i = 0; i < n_; ++i)
        if (x[i] != 0.0F)
            candidates_.add(coefs_[m] - static_cast<float>(value_[i] / double{x[i]}), labels_[i]);
    const float coef = candidates_.best_cut();
    const float change = coef - coefs_[m];
    for (size_t i = 0; i < n_; ++i) scratch_[i] = value_[i] + double{change * x[i]};
    const float reached = impurity_of(scratch_);
    const bool is_stagnant = double{std::abs(error - reached)} <= LEAST_CHANGE;
    if (error < reached || (is_stagnant && n_stagnant_ > STAGNANT_STEPS)) return error;
    suggested_[m] = coef;
    n_stagnant_ = is_stagnant ? n_stagnant_ + 1 : 0;
    return is_stagnant ? error : reached;
}

// Suggests the best step along a random line if it is a gain; returns the impurity then.
RETREE_VECTOR float OriginalSearch::jump(float error) noexcept {
    suggested_ = coefs_;
    draw(direction_);
    std::ranges::fill(scratch_, double{direction_.back()});
    for (size_t j = 0; j + 1 < coefs_.size(); ++j) {
        const auto x = column(j);
        for (size_t i = 0; i < n_; ++i) scratch_[i] += double{direction_[j] * x[i]};
    }
    candidates_.clear();
    for (size_t i = 0; i < n_; ++i)
        if (scratch_[i] != 0.0)
            candidates_.add(static_cast<float>(-(value_[i] / scratch_[i])), labels_[i]);
    const float step = candidates_.best_cut();
    for (size_t i = 0; i < n_; ++i) scratch_[i] = scratch_[i] * double{step} + value_[i];
    const float reached = impurity_of(scratch_);
    if (!(error > reached)) return error;
    n_stagnant_ = 0;
    for (size_t m = 0; m < coefs_.size(); ++m) suggested_[m] += direction_[m] * step;
    return reached;
}

void OriginalSearch::draw(std::span<float> numbers) {
    for (float &number : numbers) number = random_.between(-1.0F, 1.0F);
}

}  // namespace retree::oblique
