#include "oblique/line_search.hpp"

namespace retree::oblique {
namespace {

constexpr double APART = 0x1.8p-40;

}  // namespace

LineSearch::LineSearch(const NodeSample &sample)
    : sample_(sample),
      bins_(sample),
      keys_(sample.n()),
      rows_(sample.n()),
      counts_(sample.totals.size()) {}

Cut LineSearch::search(std::span<const double> value, std::span<const double> direction,
                       double width, double bar) {
    bins_.fill(value, direction, width);
    if (!bins_.open(bar)) return {};
    bins_.gather(keys_, rows_);
    return scan_open_bins(direction, bar);
}

// Returns the best cut in the open bins and between them, if it reaches the bar.
Cut LineSearch::scan_open_bins(std::span<const double> direction, double bar) {
    const double slack = TIE * sample_.measure.n;
    Cut best;
    int32_t previous = 0;
    for (const auto &range : bins_.opened()) {
        sort(range.start, range.end);
        const double score = bins_.score_before(range.bin);
        if (score >= bar && are_neighbours(previous, range)) {
            best = {score, rows_[range.start - 1], rows_[range.start]};
            bar = score + slack;
        }
        previous = range.bin;
        if (range.end - range.start == 1 || bins_.bound(range.bin) < bar) continue;
        const Cut cut = scan_bin(range, direction, bar);
        if (cut.goodness >= bar) {
            best = cut;
            bar = cut.goodness + slack;
        }
    }
    return best;
}

// Returns the best cut inside a bin if it reaches the bar.
Cut LineSearch::scan_bin(const LineBins::Range &range, std::span<const double> direction,
                         double bar) {
    const double slack = TIE * sample_.measure.n;
    Cut best;
    double n_left = bins_.left_before(range.bin, counts_);
    for (int64_t i = range.start; i + 1 < range.end; ++i) {
        const int32_t row = rows_[i];
        const double w = sample_.weight(static_cast<size_t>(row));
        const double change = direction[row] < 0.0 ? w : -w;
        counts_[sample_.label[row]] += change;
        n_left += change;
        if (!(keys_[i + 1] - keys_[i] > APART)) continue;
        const double score = sample_.measure.goodness(counts_.data(), n_left);
        if (score >= bar) {
            best = {score, row, rows_[i + 1]};
            bar = score + slack;
        }
    }
    return best;
}

// Sorts a range of the keys, and the rows with them (Shell's sort: most ranges are short).
void LineSearch::sort(int64_t start, int64_t end) {
    int64_t gap = 1;
    while (gap * 9 < end - start) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) {
        for (int64_t i = start + gap; i < end; ++i) {
            const double key = keys_[i];
            const int32_t row = rows_[i];
            int64_t j = i;
            for (; j >= start + gap && keys_[j - gap] > key; j -= gap) {
                keys_[j] = keys_[j - gap];
                rows_[j] = rows_[j - gap];
            }
            keys_[j] = key;
            rows_[j] = row;
        }
    }
}

// Whether a cut goes between an open bin and the one before it, `previous`, 0 for none.
bool LineSearch::are_neighbours(int32_t previous, const LineBins::Range &range) const {
    if (previous == 0 || keys_[range.start] - keys_[range.start - 1] <= APART) return false;
    int32_t b = range.bin - 1;
    while (b > previous && bins_.is_empty(b)) --b;
    return b == previous;
}

}  // namespace retree::oblique
