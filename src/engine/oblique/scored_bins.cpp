#include "oblique/scored_bins.hpp"

namespace retree::oblique {
namespace {

#if defined(__GNUC__)
#define INLINE [[gnu::always_inline]] inline  // into a function that is compiled for AVX2 too
#else
#define INLINE inline
#endif

}  // namespace

ScoredBins::ScoredBins(const NodeSample &sample, size_t n_bins)
    : sample_(sample),
      filled_(n_bins + 2),
      hist_(2 * sample.totals.size() * n_places()),
      heavy_(sample.is_weighted() ? hist_.size() : 0),
      n_left_(n_places() - 1),
      left_(sample.totals.size() * n_left_.size()),
      score_(n_left_.size()),
      bound_(n_places()),
      work_(n_places()),
      moved_(n_places()),
      here_(sample.totals.size()),
      low_(here_.size()),
      high_(here_.size()) {}

void ScoredBins::count(std::span<const uint16_t> place, bool some_enter) {
    some_enter_ = some_enter;
    const size_t used = some_enter ? 2 * n_places() : n_places();
    for (size_t c = 0; c < sample_.totals.size(); ++c) {
        int32_t *n_rows = leaving<int32_t>(c);
        std::fill_n(n_rows, used, 0);
        for (int64_t i = sample_.first[c]; i < sample_.first[c + 1]; ++i) ++n_rows[place[i]];
        if (!sample_.is_weighted()) continue;
        double *weight = leaving<double>(c);
        std::fill_n(weight, used, 0.0);
        for (int64_t i = sample_.first[c]; i < sample_.first[c + 1]; ++i)
            weight[place[i]] += sample_.weight(static_cast<size_t>(i));
    }
}

template <class T>
INLINE void ScoredBins::add_up_of(const ScoredBins &fine) {
    const size_t n_parts = 2 * sample_.totals.size();
    for (size_t part = 0; part < n_parts; part += some_enter_ ? 1 : 2) {
        const T *from = counts<T>(fine) + part * fine.n_places();
        T *to = counts<T>(*this) + part * n_places();
        to[0] = from[0];
        for (size_t b = 1; b <= last(); ++b) {
            const T *own = from + 1 + (b - 1) * WIDTH;
            to[b] = std::accumulate(own, own + WIDTH, T{0});
        }
        to[last() + 1] = from[fine.last() + 1];
    }
}

RETREE_VECTOR void ScoredBins::add_up(const ScoredBins &fine) noexcept {
    some_enter_ = fine.some_enter_;
    add_up_of<int32_t>(fine);
    if (sample_.is_weighted()) add_up_of<double>(fine);
}

// Sums up what is in each bin, and what is on the left after it.
template <class T, class N>
INLINE void ScoredBins::sum_up(size_t first, N n) {
    int32_t *__restrict filled = &filled_[first];
    double *__restrict moved = &moved_[first], *__restrict n_left = &n_left_[first];
    for (size_t b = 1; b <= n; ++b) filled[b] = 0;
    for (size_t b = 1; b <= n; ++b) moved[b] = n_left[b] = 0.0;
    for (size_t c = 0; c < sample_.totals.size(); ++c) {
        const int32_t *n_out = leaving<int32_t>(c) + first, *n_into = n_out + n_places();
        const T *out = leaving<T>(c) + first, *into = out + n_places();
        double *__restrict sums = left(c) + first;
        auto running = static_cast<T>(sums[0]);
        for (size_t b = 1; b <= n; ++b) filled[b] += n_out[b];
        for (size_t b = 1; b <= n; ++b) moved[b] += out[b];
        if (some_enter_) {
            for (size_t b = 1; b <= n; ++b) filled[b] += n_into[b];
            for (size_t b = 1; b <= n; ++b) moved[b] += into[b];
            for (size_t b = 1; b <= n; ++b) sums[b] = running += into[b] - out[b];
        } else {
            for (size_t b = 1; b <= n; ++b) sums[b] = running -= out[b];
        }
        for (size_t b = 1; b <= n; ++b) n_left[b] += sums[b];
    }
}

// The sum over the classes of abs(g), where g = totals * n_left - n * left, is twice the greatest
// sum of g over a set of classes, and twice the greatest sum of -g. A row that leaves the left side
// raises such a sum of g by n less the rows of the set's classes if its class c is in the set, a
// row that enters it by those rows if its class is not: either by n - totals[c] at most.
template <class T, class N>
INLINE void ScoredBins::sum_twoing(size_t first, N n) {
    const double weight = sample_.measure.n, *n_left = &n_left_[first];
    double *__restrict score = &score_[first], *__restrict bound = &bound_[first];
    for (size_t b = 1; b <= n; ++b) score[b] = bound[b] = 0.0;
    // Class by class, so that the loops over the bins are vector instructions.
    for (size_t c = 0; c < sample_.totals.size(); ++c) {
        const double total = sample_.totals[c], *sums = left(c) + first;
        const T *leaves = leaving<T>(c) + first;
        const auto g = [=](size_t b) { return total * n_left[b] - weight * sums[b]; };
        for (size_t b = 1; b <= n; ++b) {
            score[b] += std::abs(g(b));
            bound[b] += std::max(0.0, g(b - 1) + (weight - total) * leaves[b]);
        }
    }
}

template <class T, class N>
INLINE void ScoredBins::sum_twoing_entered(size_t first, N n) {
    const double weight = sample_.measure.n, *n_left = &n_left_[first];
    double *__restrict score = &score_[first], *__restrict bound = &bound_[first];
    double *__restrict other = &work_[first];
    for (size_t b = 1; b <= n; ++b) score[b] = bound[b] = other[b] = 0.0;
    for (size_t c = 0; c < sample_.totals.size(); ++c) {
        const double total = sample_.totals[c], *sums = left(c) + first;
        const T *leaves = leaving<T>(c) + first, *enters = leaves + n_places();
        const auto g = [=](size_t b) { return total * n_left[b] - weight * sums[b]; };
        for (size_t b = 1; b <= n; ++b) {
            const double out = (weight - total) * leaves[b], into = (weight - total) * enters[b];
            score[b] += std::abs(g(b));
            bound[b] += std::max(into, g(b - 1) + out);
            other[b] += std::max(out, into - g(b - 1));
        }
    }
    for (size_t b = 1; b <= n; ++b) bound[b] = std::min(bound[b], other[b]);
}

// Turns sums into goodness. For cuts inside a bin, the product n_left * n_right, being concave, is
// least at an end of the bin.
template <class N>
INLINE void ScoredBins::score_twoing(size_t first, N n) {
    const double weight = sample_.measure.n, least = sample_.measure.least;
    const double *n_left = &n_left_[first], *moved = &moved_[first];
    double *__restrict score = &score_[first], *__restrict bound = &bound_[first];
    for (size_t b = 1; b <= n; ++b) {
        const double product = n_left[b] * (weight - n_left[b]);
        const double goodness = score[b] * score[b] / (weight * std::max(product, least * least));
        score[b] = product > 0.0 ? goodness : NONE;
    }
    for (size_t b = 1; b <= n; ++b) {
        const double before = n_left[b - 1], after = n_left[b];
        const double out = 0.5 * (moved[b] + before - after);
        const double low = std::max(before - out, least);
        const double high = std::min(after + out, weight - least);
        const double product = std::min(low * (weight - low), high * (weight - high));
        bound[b] = 4.0 * bound[b] * bound[b] / (weight * std::max(product, least * least));
    }
}

template <class T>
void ScoredBins::score_by_measure(size_t first, size_t n) {
    for (size_t b = first + 1; b <= first + n; ++b) {
        for (size_t c = 0; c < here_.size(); ++c) {
            const double before = left(c)[b - 1];
            here_[c] = left(c)[b];
            low_[c] = before - leaving<T>(c)[b];
            high_[c] = before + (some_enter_ ? entering<T>(c)[b] : T{0});
        }
        score_[b] = sample_.measure.goodness(here_.data(), n_left_[b]);
        bound_[b] = sample_.measure.bound_box(low_.data(), high_.data());
    }
}

// Scores n bins; the weights on the left before them are known.
template <class T, class N>
INLINE void ScoredBins::score(size_t first, N n) {
    sum_up<T>(first, n);
    if (sample_.measure.criterion != Criterion::TWOING) return score_by_measure<T>(first, n);
    some_enter_ ? sum_twoing_entered<T>(first, n) : sum_twoing<T>(first, n);
    score_twoing(first, n);
}

// That loops know how short they are halves their time.
RETREE_VECTOR void ScoredBins::score_after_of_coarse(size_t first) noexcept {
    constexpr std::integral_constant<size_t, WIDTH> n{};
    // That of weights would be a quarter of this file's compiling.
    sample_.is_weighted() ? score_after(first, n) : score<int32_t>(first, n);
}

RETREE_VECTOR void ScoredBins::score_after(size_t first, size_t n) noexcept {
    sample_.is_weighted() ? score<double>(first, n) : score<int32_t>(first, n);
}

void ScoredBins::score_all() {
    n_left_[0] = 0.0;
    for (size_t c = 0; c < sample_.totals.size(); ++c) {
        const auto sum_in = [&]<class T>(const T *out, const T *into) {
            auto sum = static_cast<T>(sample_.totals[c]);
            for (size_t b = 1; some_enter_ && b < n_places(); ++b) sum -= into[b];
            return static_cast<double>(sum - out[0]);
        };
        left(c)[0] = sample_.is_weighted() ? sum_in(leaving<double>(c), entering<double>(c))
                                           : sum_in(leaving<int32_t>(c), entering<int32_t>(c));
        n_left_[0] += left(c)[0];
    }
    score_after(0, last());
}

void ScoredBins::score_part(const ScoredBins &coarse, size_t bin) {
    const size_t first = (bin - 1) * WIDTH;
    n_left_[first] = coarse.n_left_[bin - 1];
    score_[first] = coarse.score_[bin - 1];
    for (size_t c = 0; c < sample_.totals.size(); ++c)
        left(c)[first] = coarse.left_after(bin - 1, c);
    score_after_of_coarse(first);
}

}  // namespace retree::oblique
