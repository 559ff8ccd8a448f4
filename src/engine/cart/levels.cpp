#include "cart/levels.hpp"

namespace retree::cart {
namespace {

constexpr double GRID = 0x1p36;    // keys closer than its inverse are equal
constexpr size_t MOST_UNIONS = 5;  // up to so many classes, every union of them orders the levels
constexpr int MOST_ROUNDS = 10;
constexpr double NONE = -INF;

double grid_point(double value) { return std::floor(value * GRID + 0.5); }

}  // namespace

SubsetSearch::SubsetSearch(int64_t max_levels, int64_t n_sums, const Sample &sample,
                           const Rule &rule, const XLog2X &xlog2x, Poll &poll)
    : sample_(sample),
      rule_(rule),
      xlog2x_(xlog2x),
      poll_(poll),
      n_sums_(n_sums),
      sums_(static_cast<size_t>(max_levels * n_sums)),
      rows_(static_cast<size_t>(max_levels)),
      left_(static_cast<size_t>(n_sums)) {}

double SubsetSearch::find(std::span<const int32_t> rows, std::span<const int32_t> codes,
                          const Known &everything) {
    sum_levels(rows, codes, everything.centre);
    best_.assign(found_.size(), 0);
    best_gain_ = NONE;
    if (n_found() > 1) {
        sum_found();
        const auto n_rows =
            std::accumulate(found_.begin(), found_.end(), int64_t{0},
                            [this](int64_t sum, int32_t level) { return sum + rows_[level]; });
        set_part_known(everything, n_rows, rule_, known_);
        const auto n_classes = std::count_if(known_.sums.begin(), known_.sums.end(),
                                             [](double sum) { return sum > 0.0; });
        if (rule_.is_regression) {
            try_means();
        } else if (n_found() <= rule_.max_exact_levels && n_classes > 2) {
            try_all();
        } else {
            try_unions();
            if (n_classes > 2 && best_gain_ > NONE) refine();
        }
        best_gain_ *= known_.share;
    }
    clear();
    return best_gain_;
}

// Sums the rows of each level and lists the levels that occur.
void SubsetSearch::sum_levels(std::span<const int32_t> rows, std::span<const int32_t> codes,
                              double centre) {
    found_.clear();
    for (const int32_t row : rows) {
        const int32_t level = codes[row];
        if (level < 0) continue;
        if (rows_[level]++ == 0) found_.push_back(level);
        const double w = sample_.weight_of(row);
        double *sums = sums_.data() + level * n_sums_;
        if (rule_.is_regression) {
            sums[0] += w;
            sums[1] += w * (sample_.target[row] - centre);
        } else {
            sums[sample_.y[row]] += w;
        }
    }
    std::sort(found_.begin(), found_.end());
}

void SubsetSearch::sum_found() {
    known_.sums.assign(static_cast<size_t>(n_sums_), 0.0);
    for (int64_t q = 0; q < n_found(); ++q)
        for (int64_t c = 0; c < n_sums_; ++c) known_.sums[c] += sums_of(q)[c];
}

void SubsetSearch::clear() {
    for (int64_t q = 0; q < n_found(); ++q) {
        std::ranges::fill(sums_of(q), 0.0);
        rows_[found_[q]] = 0;
    }
}

bool SubsetSearch::is_inside(int64_t level, Subset subset) const {
    if (subset.mask >= 0) return ((subset.mask >> level) & 1) == 1;
    return (rank_[level] <= subset.cut) == (rank_[0] <= subset.cut);
}

// Keeps a subset if it is the best so far, or tied with the best and the smaller number.
void SubsetSearch::offer(double gain, Subset subset) {
    const double slack = tie_width(known_);
    if (gain < best_gain_ - slack) return;
    if (gain <= best_gain_ + slack) {
        int64_t q = n_found() - 1;
        while (q > 0 && is_inside(q, subset) == is_best(q)) --q;
        if (!is_best(q) || q == 0) return;
    }
    best_gain_ = std::max(best_gain_, gain);
    newest_ = subset;
}

bool SubsetSearch::is_best(int64_t level) const {
    return newest_ ? is_inside(level, *newest_) : best_[level] != 0;
}

// Writes the best subset down, before the levels are ranked in another way.
void SubsetSearch::settle() {
    if (newest_)
        for (int64_t q = 0; q < n_found(); ++q) best_[q] = is_inside(q, *newest_);
    newest_.reset();
}

void SubsetSearch::offer_if_allowed(int64_t n_left, Subset subset) {
    const auto [gain, w_left] = gain_of(left_, known_, rule_.criterion, xlog2x_);
    if (is_allowed(n_left, w_left, known_, rule_)) offer(gain, subset);
}

// Adds the sums of a level to those of the left side, or takes them away.
void SubsetSearch::move(int64_t level, double sign) {
    const auto sums = sums_of(level);
    for (size_t c = 0; c < left_.size(); ++c) left_[c] += sign * sums[c];
}

// Offers every subset, in the order of a Gray code: a step moves one level.
void SubsetSearch::try_all() {
    std::ranges::copy(sums_of(0), left_.begin());
    int64_t n_left = rows_of(0), mask = 1;
    const int64_t n_subsets = int64_t{1} << (n_found() - 1);
    for (int64_t step = 1;; ++step) {
        if (step % 1024 == 0) poll_.check();
        offer_if_allowed(n_left, {mask, 0});
        if (step == n_subsets) break;
        const int64_t q = 1 + std::countr_zero(static_cast<uint64_t>(step));
        mask ^= int64_t{1} << q;
        const int sign = (mask >> q) & 1 ? 1 : -1;
        move(q, sign);
        n_left += sign * rows_of(q);
    }
    settle();
}

// Offers every cut of the levels in the order of their keys, equal ones in that of the codes.
void SubsetSearch::try_cuts() {
    poll_.check();
    order_.resize(found_.size());
    rank_.resize(found_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [this](int32_t a, int32_t b) { return key_[a] < key_[b]; });
    for (int64_t p = 0; p < n_found(); ++p) rank_[order_[p]] = static_cast<int32_t>(p);
    std::ranges::fill(left_, 0.0);
    int64_t n_left = 0;
    for (int64_t cut = 0; cut < n_found() - 1; ++cut) {
        move(order_[cut], 1.0);
        n_left += rows_of(order_[cut]);
        offer_if_allowed(n_left, {-1, cut});
    }
    settle();
}

// Orders the levels by the mean of the targets.
void SubsetSearch::try_means() {
    key_.resize(found_.size());
    for (int64_t q = 0; q < n_found(); ++q) {
        const auto sums = sums_of(q);
        key_[q] = grid_point(sums[1] / sums[0] / std::sqrt(known_.unit));
    }
    try_cuts();
}

// Orders the levels by the share of some classes.
void SubsetSearch::try_classes(std::span<const int64_t> classes) {
    key_.resize(found_.size());
    for (int64_t q = 0; q < n_found(); ++q) {
        const auto sums = sums_of(q);
        double inside = 0.0;
        for (const int64_t c : classes) inside += sums[c];
        key_[q] = grid_point(inside / sum_of(sums));
    }
    try_cuts();
}

// Orders the levels by the shares of all unions of few classes, or of every one of many.
void SubsetSearch::try_unions() {
    std::vector<int64_t> present, chosen;
    for (int64_t c = 0; c < n_sums_; ++c)
        if (known_.sums[c] > 0.0) present.push_back(c);
    const size_t n = present.size();
    if (n > MOST_UNIONS) {
        for (const int64_t c : present) try_classes({&c, 1});
        return;
    }
    // A union and the union of all other classes order the levels alike, so the last is left out;
    // a single class orders them by their codes.
    for (int64_t u = 1; u < std::max(int64_t{2}, int64_t{1} << (n - 1)); ++u) {
        chosen.clear();
        for (size_t i = 0; i + 1 < n; ++i)
            if ((u >> i) & 1) chosen.push_back(present[i]);
        try_classes(chosen);
    }
}

// Moves single levels to the other side while the gain grows.
void SubsetSearch::refine() {
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        poll_.check();
        std::ranges::fill(left_, 0.0);
        int64_t n_left = 0;
        for (int64_t q = 0; q < n_found(); ++q) {
            if (!best_[q]) continue;
            move(q, 1.0);
            n_left += rows_of(q);
        }
        if (!improve(n_left)) return;
    }
}

// Tries each level but the first on the other side, in the order of their codes; returns whether
// one stays there.
bool SubsetSearch::improve(int64_t &n_left) {
    const double before = best_gain_;
    for (int64_t q = 1; q < n_found(); ++q) {
        const int sign = best_[q] ? -1 : 1;
        move(q, sign);
        const auto [gain, w_left] = gain_of(left_, known_, rule_.criterion, xlog2x_);
        const int64_t n_moved = n_left + sign * rows_of(q);
        if (is_allowed(n_moved, w_left, known_, rule_) && gain > best_gain_ + tie_width(known_)) {
            n_left = n_moved;
            best_[q] = !best_[q];
            best_gain_ = gain;
        } else {
            move(q, -sign);
        }
    }
    return best_gain_ != before;
}

}  // namespace retree::cart
