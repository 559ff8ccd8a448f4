#include "oblique/line_bins.hpp"

namespace retree::oblique {
namespace {

#if defined(__GNUC__)
#define INLINE [[gnu::always_inline]] inline  // into a function that is compiled for AVX2 too
#else
#define INLINE inline
#endif

constexpr size_t LEAST_BINS = 16, MOST_BINS = 1024;
constexpr size_t BLOCK = 32;  // rows
constexpr double TINY = 1e-300, TINIER = 1e-307;
constexpr double REACH = 1.0 + 0x1p-20;
constexpr double GRID = 0x1.8p12;  // adding and subtracting it rounds to multiples of 2^-40

size_t count_bins(size_t n) {
    size_t n_bins = LEAST_BINS;
    // About as many bins as rows; of many rows a quarter, since the bins then cost more. Not for
    // speed alone: of cuts that tie but for rounding, their number decides which is taken.
    while (n_bins < MOST_BINS && (n_bins < 128 ? n_bins < n : 4 * n_bins < n)) n_bins *= 2;
    return n_bins;
}

// The greatest of some numbers, NONE of none; in lanes, since one maximum waits for the other.
RETREE_VECTOR double greatest(std::span<const double> numbers) {
    std::array<double, 8> most;
    most.fill(NONE);
    size_t i = 0;
    for (; i + most.size() <= numbers.size(); i += most.size())
        for (size_t lane = 0; lane < most.size(); ++lane)
            most[lane] = std::max(most[lane], numbers[i + lane]);
    for (; i < numbers.size(); ++i) most[0] = std::max(most[0], numbers[i]);
    return std::ranges::max(most);
}

}  // namespace

LineBins::LineBins(const NodeSample &sample)
    : sample_(sample),
      n_places_(count_bins(sample.n()) + 2),
      some_enter_(false),
      keys_(sample.n()),
      place_(sample.n()),
      hist_(2 * sample.totals.size() * n_places_),
      filled_(n_places_),
      heavy_(sample.is_weighted() ? hist_.size() : 0),
      moved_(sample.is_weighted() ? n_places_ : 0),
      slot_(n_places_, -1),
      n_left_(n_places_ - 1),
      left_(sample.totals.size() * n_left_.size()),
      score_(n_left_.size()),
      bound_(n_places_),
      work_(n_places_) {}

void LineBins::fill(std::span<const double> value, std::span<const double> direction,
                    double width) {
    some_enter_ = place_rows(value, direction, width);
    count_rows();
    sum_up();
    if (sample_.measure.criterion != Criterion::TWOING) return score_by_measure();
    some_enter_ ? sum_twoing_entered() : sum_twoing();
    score_twoing();
    bound_twoing();
}

// Sets s and the place of each row; returns whether some rows enter the left side.
RETREE_VECTOR bool LineBins::place_rows(std::span<const double> value,
                                        std::span<const double> direction, double width) {
    const double n_bins = static_cast<double>(n_places_ - 2);
    const double stretch = 0.5 * n_bins * REACH, middle = 0.5 * n_bins + 1.0;
    const auto offset = static_cast<int32_t>(n_places_);
    int64_t n_entering = 0;
    for (size_t i = 0; i < value.size(); ++i) {
        // A row of value 0 is on the left, so where no step moves it, it stays there.
        const double v = value[i] - TINY, d = direction[i];
        const double s = v / (width * std::abs(d) + std::abs(v) + TINIER);
        keys_[i] = ((d < 0.0 ? s : -s) + GRID) - GRID;
        n_entering += d < 0.0;
    }
    for (size_t i = 0; i < value.size(); ++i)
        place_[i] = static_cast<uint16_t>(static_cast<int32_t>(keys_[i] * stretch + middle));
    if (n_entering == 0) return false;
    for (size_t i = 0; i < value.size(); ++i)
        place_[i] = static_cast<uint16_t>(place_[i] + (direction[i] < 0.0 ? offset : 0));
    return true;
}

void LineBins::count_rows() {
    const size_t used = some_enter_ ? 2 * n_places_ : n_places_;
    for (size_t c = 0; c < sample_.totals.size(); ++c) {
        int32_t *count = leaving<int32_t>(c);
        std::fill_n(count, used, 0);
        for (int64_t i = sample_.first[c]; i < sample_.first[c + 1]; ++i) ++count[place_[i]];
        if (!sample_.is_weighted()) continue;
        double *weight = leaving<double>(c);
        std::fill_n(weight, used, 0.0);
        for (int64_t i = sample_.first[c]; i < sample_.first[c + 1]; ++i)
            weight[place_[i]] += sample_.weight(static_cast<size_t>(i));
    }
}

template <class T>
INLINE void LineBins::add_bins(std::span<T> bins) {
    std::fill(bins.begin(), bins.end(), T{0});
    for (size_t c = 0; c < sample_.totals.size(); ++c) {
        const T *out = leaving<T>(c), *into = entering<T>(c);
        for (size_t b = 0; b < n_places_; ++b) bins[b] += out[b];
        if (!some_enter_) continue;
        for (size_t b = 0; b < n_places_; ++b) bins[b] += into[b];
    }
}

template <class T>
INLINE void LineBins::sum_up_of() {
    std::fill(n_left_.begin(), n_left_.end(), 0.0);
    for (size_t c = 0; c < sample_.totals.size(); ++c) {
        const T *out = leaving<T>(c), *into = entering<T>(c);
        double *counts = left(c);
        auto running = static_cast<T>(sample_.totals[c]);
        if (some_enter_) {
            for (size_t b = 0; b < n_places_; ++b) running -= into[b];
            for (size_t b = 0; b < n_left_.size(); ++b) counts[b] = running += into[b] - out[b];
        } else {
            for (size_t b = 0; b < n_left_.size(); ++b) counts[b] = running -= out[b];
        }
        for (size_t b = 0; b < n_left_.size(); ++b) n_left_[b] += counts[b];
    }
}

RETREE_VECTOR void LineBins::sum_up() {
    add_bins<int32_t>(filled_);
    if (!sample_.is_weighted()) return sum_up_of<int32_t>();
    add_bins<double>(moved_);
    sum_up_of<double>();
}

// The sum over the classes of abs(g), where g = totals * n_left - n * left, is twice the greatest
// sum of g over a set of classes, and twice the greatest sum of -g. A row that leaves the left side
// raises such a sum of g by n less the rows of the set's classes if its class c is in the set, a
// row that enters it by those rows if its class is not: either by n - totals[c] at most.
template <class T>
INLINE void LineBins::sum_twoing_of() {
    const double n = sample_.measure.n;
    std::fill(score_.begin(), score_.end(), 0.0);
    std::fill(bound_.begin(), bound_.end(), 0.0);
    // Class by class, so that the loops over the bins are vector instructions.
    for (size_t c = 0; c < sample_.totals.size(); ++c) {
        const double total = sample_.totals[c], *counts = left(c);
        const T *leaves = leaving<T>(c);
        for (size_t b = 0; b < score_.size(); ++b) {
            const double g = total * n_left_[b] - n * counts[b];
            score_[b] += std::abs(g);
            bound_[b + 1] += std::max(0.0, g + (n - total) * leaves[b + 1]);
        }
    }
}

RETREE_VECTOR void LineBins::sum_twoing() {
    sample_.is_weighted() ? sum_twoing_of<double>() : sum_twoing_of<int32_t>();
}

template <class T>
INLINE void LineBins::sum_twoing_entered_of() {
    const double n = sample_.measure.n;
    std::fill(score_.begin(), score_.end(), 0.0);
    std::fill(bound_.begin(), bound_.end(), 0.0);
    std::fill(work_.begin(), work_.end(), 0.0);
    for (size_t c = 0; c < sample_.totals.size(); ++c) {
        const double total = sample_.totals[c], *counts = left(c);
        const T *leaves = leaving<T>(c), *enters = entering<T>(c);
        for (size_t b = 0; b < score_.size(); ++b) {
            const double g = total * n_left_[b] - n * counts[b];
            const double out = (n - total) * leaves[b + 1], into = (n - total) * enters[b + 1];
            score_[b] += std::abs(g);
            bound_[b + 1] += std::max(into, g + out);
            work_[b + 1] += std::max(out, into - g);
        }
    }
    for (size_t b = 1; b < bound_.size(); ++b) bound_[b] = std::min(bound_[b], work_[b]);
}

RETREE_VECTOR void LineBins::sum_twoing_entered() {
    sample_.is_weighted() ? sum_twoing_entered_of<double>() : sum_twoing_entered_of<int32_t>();
}

RETREE_VECTOR void LineBins::score_twoing() {
    const double n = sample_.measure.n, least = sample_.measure.least;
    for (size_t b = 0; b < score_.size(); ++b) {
        const double product = n_left_[b] * (n - n_left_[b]);
        const double score = score_[b] * score_[b] / (n * std::max(product, least * least));
        score_[b] = product > 0.0 ? score : NONE;
    }
}

// The product n_left * n_right, being concave, is least at an end of the bin.
template <class T>
INLINE void LineBins::bound_twoing_of() {
    const double n = sample_.measure.n, least = sample_.measure.least;
    const std::span<const T> moved = this->moved<T>();
    for (size_t b = 1; b < n_left_.size(); ++b) {
        const double before = n_left_[b - 1], after = n_left_[b];
        const double out = 0.5 * (moved[b] + before - after);
        const double low = std::max(before - out, least);
        const double high = std::min(after + out, n - least);
        const double product = std::min(low * (n - low), high * (n - high));
        bound_[b] = 4.0 * bound_[b] * bound_[b] / (n * std::max(product, least * least));
    }
}

RETREE_VECTOR void LineBins::bound_twoing() {
    sample_.is_weighted() ? bound_twoing_of<double>() : bound_twoing_of<int32_t>();
}

void LineBins::score_by_measure() {
    sample_.is_weighted() ? score_by_measure_of<double>() : score_by_measure_of<int32_t>();
}

template <class T>
void LineBins::score_by_measure_of() {
    const size_t k = sample_.totals.size();
    std::vector<double> here(k), low(k), high(k);
    for (size_t b = 0; b < score_.size(); ++b) {
        for (size_t c = 0; c < k; ++c) {
            here[c] = left(c)[b];
            const double before = b > 0 ? left(c)[b - 1] : here[c];
            low[c] = before - leaving<T>(c)[b];
            high[c] = before + (some_enter_ ? entering<T>(c)[b] : T{0});
        }
        score_[b] = sample_.measure.goodness(here.data(), n_left_[b]);
        bound_[b] = sample_.measure.bound_box(low.data(), high.data());
    }
}

bool LineBins::open(double &bar) {
    size_t first = 1, last = n_places_ - 2;
    while (last > 0 && filled_[last] == 0) --last;
    while (first < last && filled_[first] == 0) ++first;
    // Only between two rows that steps reach is a cut between bins a cut.
    const double best = greatest(std::span(score_).subspan(first, last > first ? last - first : 0));
    bar = std::max(bar, best - TIE * sample_.measure.n);
    opened_.clear();
    int32_t used = 0;
    for (size_t b = 1; b <= last; ++b) {
        if (!(bound_[b] >= bar) || filled_[b] == 0) continue;
        slot_[b] = used;
        opened_.push_back({static_cast<int32_t>(b), used, used + filled_[b]});
        used += filled_[b];
    }
    return !opened_.empty();
}

double LineBins::left_before(int32_t bin, std::span<double> left_counts) const {
    double sum = 0.0;
    for (size_t c = 0; c < left_counts.size(); ++c) {
        left_counts[c] = left_[c * n_left_.size() + static_cast<size_t>(bin) - 1];
        sum += left_counts[c];
    }
    return sum;
}

RETREE_VECTOR void LineBins::gather(std::vector<double> &keys, std::vector<int32_t> &rows) {
    const size_t n_blocks = place_.size() / BLOCK;
    const auto first = static_cast<uint16_t>(opened_.front().bin);
    const auto n_more = static_cast<uint16_t>(opened_.back().bin - first);
    const auto entered = static_cast<uint16_t>(first + n_places_);
    // Few rows are between the open bins, so a block of rows without any is passed over.
    for (size_t block = 0; block < n_blocks; ++block) {
        const uint16_t *place = place_.data() + block * BLOCK;
        uint16_t least = UINT16_MAX;
        for (size_t i = 0; i < BLOCK; ++i)
            least = std::min(least, static_cast<uint16_t>(place[i] - first));
        if (some_enter_)
            for (size_t i = 0; i < BLOCK; ++i)
                least = std::min(least, static_cast<uint16_t>(place[i] - entered));
        if (least <= n_more) gather_range(block * BLOCK, (block + 1) * BLOCK, keys, rows);
    }
    gather_range(n_blocks * BLOCK, place_.size(), keys, rows);
    for (const Range &range : opened_) slot_[range.bin] = -1;
}

void LineBins::gather_range(size_t start, size_t end, std::vector<double> &keys,
                            std::vector<int32_t> &rows) {
    for (size_t i = start; i < end; ++i) {
        const size_t b = place_[i];
        int32_t &slot = slot_[b < n_places_ ? b : b - n_places_];
        if (slot < 0) continue;
        keys[slot] = keys_[i];
        rows[slot++] = static_cast<int32_t>(i);
    }
}

}  // namespace retree::oblique
