#include "oblique/line_bins.hpp"

namespace retree::oblique {
namespace {

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
RETREE_VECTOR double greatest(std::span<const double> numbers) noexcept {
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
    : fine_(sample, count_bins(sample.n())),
      coarse_(sample, fine_.last() / WIDTH),
      slack_(TIE * sample.measure.n),
      keys_(sample.n()),
      place_(sample.n()),
      is_scored_(coarse_.n_places()),
      slot_(fine_.n_places(), -1) {}

void LineBins::fill(std::span<const double> value, std::span<const double> direction,
                    double width) {
    some_enter_ = place_rows(value, direction, width);
    fine_.count(place_, some_enter_);
    coarse_.add_up(fine_);
    coarse_.score_all();
}

// Sets s and the place of each row; returns whether some rows enter the left side.
RETREE_VECTOR bool LineBins::place_rows(std::span<const double> value,
                                        std::span<const double> direction, double width) noexcept {
    const double n_bins = static_cast<double>(fine_.last());
    const double stretch = 0.5 * n_bins * REACH, middle = 0.5 * n_bins + 1.0;
    const auto offset = static_cast<int32_t>(fine_.n_places());
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

bool LineBins::open(double &bar) {
    score_coarse_bins(bar);
    opened_.clear();
    int32_t used = 0;
    for (size_t wide = 1; wide <= coarse_.last(); ++wide) {
        if (!is_scored_[wide]) continue;
        for (size_t b = before(wide) + 1; b <= before(wide) + WIDTH; ++b) {
            const int32_t n = fine_.n_rows(b);
            if (!(fine_.bound(b) >= bar) || n == 0) continue;
            slot_[b] = used;
            opened_.push_back({static_cast<int32_t>(b), used, used + n});
            used += n;
        }
    }
    return !opened_.empty();
}

// Scores the bins inside the coarse ones that may hold a cut as good as the best one between bins,
// by which it raises the bar. What coarse bins hold at most is no less than what their parts do, so
// the bar and all bins that may reach it are the same as if all bins were scored.
void LineBins::score_coarse_bins(double &bar) {
    size_t first = 1, last = coarse_.last();
    while (last > 0 && coarse_.n_rows(last) == 0) --last;
    while (first < last && coarse_.n_rows(first) == 0) ++first;
    // Only between two rows that steps reach is a cut between bins a cut.
    double best = greatest(coarse_.scores_after(first, last));
    const double least = std::max(bar, best - slack_);
    std::ranges::fill(is_scored_, uint8_t{0});
    for (size_t wide = first; wide <= last; ++wide) {
        // The slack is far beyond what rounding does.
        if (!(coarse_.bound(wide) + slack_ >= least) || coarse_.n_rows(wide) == 0) continue;
        is_scored_[wide] = 1;
        size_t start = before(wide), end = start + WIDTH;
        fine_.score_part(coarse_, wide);
        if (wide == first)
            while (fine_.n_rows(++start) == 0) continue;
        while (wide == last && fine_.n_rows(end) == 0) --end;
        best = std::max(best, greatest(fine_.scores_after(start, end)));
    }
    bar = std::max(bar, best - slack_);
}

bool LineBins::is_empty(int32_t bin) const {
    const size_t wide = (static_cast<size_t>(bin) - 1) / WIDTH + 1;
    if (coarse_.n_rows(wide) == 0) return true;
    return is_scored_[wide] != 0 && fine_.n_rows(static_cast<size_t>(bin)) == 0;
}

double LineBins::left_before(int32_t bin, std::span<double> left_counts) const {
    double sum = 0.0;
    for (size_t c = 0; c < left_counts.size(); ++c) {
        left_counts[c] = fine_.left_after(static_cast<size_t>(bin) - 1, c);
        sum += left_counts[c];
    }
    return sum;
}

RETREE_VECTOR void LineBins::gather(std::vector<double> &keys,
                                    std::vector<int32_t> &rows) noexcept {
    const size_t n_blocks = place_.size() / BLOCK;
    const auto first = static_cast<uint16_t>(opened_.front().bin);
    const auto n_more = static_cast<uint16_t>(opened_.back().bin - first);
    const auto entered = static_cast<uint16_t>(first + fine_.n_places());
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
        int32_t &slot = slot_[b < fine_.n_places() ? b : b - fine_.n_places()];
        if (slot < 0) continue;
        keys[slot] = keys_[i];
        rows[slot++] = static_cast<int32_t>(i);
    }
}

}  // namespace retree::oblique
