#include "cart/scan.hpp"

#include "cart/sides.hpp"

namespace retree::cart {
namespace {

constexpr double INF = std::numeric_limits<double>::infinity();

// The cut of best Gini gain where all weights are 1: sums are whole numbers, so their order does
// not matter, and most candidates are seen to be no better without a division.
class UnitGiniScan {
public:
    UnitGiniScan(std::span<const uint64_t> entries, Packing packing, const Known &known,
                 const Rule &rule, ScanScratch &scratch)
        : entries_(entries),
          packing_(packing),
          known_(known),
          rule_(rule),
          n_(static_cast<int64_t>(entries.size())),
          sums_(scratch.whole_sums),
          left_(scratch.whole_left) {
        std::ranges::transform(known.sums, sums_.begin(),
                               [](double sum) { return static_cast<int64_t>(sum); });
        std::ranges::fill(left_, 0);
        for (const int64_t sum : sums_) squares_ += sum * sum;
        impurity_ = static_cast<double>(squares_) / (known.weight * known.weight);
    }

    Cut run() {
        // Not members, which the compiler would have to keep in memory beside `left_`.
        int64_t inner = 0, outer = squares_;
        for (int64_t i = 0; i < n_ - 1; ++i) {
            const int32_t c = packing_.label(entries_[i]);
            const int64_t left = left_[c]++;
            inner += 2 * left + 1;
            outer += 2 * (left - sums_[c]) + 1;
            if (!packing_.is_same_value(entries_[i], entries_[i + 1])) offer(i, inner, outer);
        }
        return best_;
    }

private:
    // Takes a cut if it is the best; `inner` and `outer` are the squared sums left and right.
    void offer(int64_t position, int64_t inner, int64_t outer) {
        const auto w_left = static_cast<double>(position + 1), w_right = known_.weight - w_left;
        const double inside =
            static_cast<double>(inner) * w_right + static_cast<double>(outer) * w_left;
        const double outside = w_left * w_right * known_.weight;
        if (inside < limit_ * outside) return;
        const double gain = inside / outside - impurity_;
        if (gain > bar_ && is_allowed(position + 1, w_left, known_, rule_)) {
            best_ = {gain, position};
            bar_ = gain + tie_width(known_);
            // Below the bar by more than all rounding here.
            limit_ = bar_ + impurity_ - 1e-12;
        }
    }

    std::span<const uint64_t> entries_;
    Packing packing_;
    const Known &known_;
    const Rule &rule_;
    int64_t n_;
    std::span<int64_t> sums_, left_;
    int64_t squares_ = 0;
    double impurity_ = 0.0, bar_ = -INF, limit_ = -INF;
    Cut best_;
};

template <class Side>
Cut scan_side(std::span<const uint64_t> entries, Packing packing, const Known &known,
              const Rule &rule, Side side) {
    const double slack = tie_width(known);
    double bar = -INF;
    Cut best;
    const auto last = static_cast<int64_t>(entries.size()) - 1;
    for (int64_t i = 0; i < last; ++i) {
        side.add(entries[i]);
        if (packing.is_same_value(entries[i], entries[i + 1])) continue;
        const double gain = side.gain();
        if (gain > bar && is_allowed(i + 1, side.weight(), known, rule)) {
            best = {gain, i};
            bar = gain + slack;
        }
    }
    return best;
}

template <class Weight>
Cut scan_weighted(std::span<const uint64_t> entries, Packing packing, const Sample &sample,
                  Weight weight, const Known &known, const Rule &rule, const XLog2X &xlog2x,
                  std::span<double> left) {
    const auto run = [&](auto side) { return scan_side(entries, packing, known, rule, side); };
    switch (rule.criterion) {
        case RETREE_GINI:
            return run(GiniSide(known, weight, packing, left));
        case RETREE_ENTROPY:
            return run(EntropySide(known, weight, packing, left, xlog2x));
        case RETREE_TWOING:
            return run(TwoingSide<Weight>(known, weight, packing, left));
        default:
            return run(VarianceSide(known, weight, sample.target));
    }
}

}  // namespace

Cut scan(std::span<const uint64_t> entries, Packing packing, const Sample &sample,
         const Known &known, const Rule &rule, const XLog2X &xlog2x, ScanScratch &scratch) {
    if (sample.weight.empty() && rule.criterion == RETREE_GINI)
        return UnitGiniScan(entries, packing, known, rule, scratch).run();
    if (sample.weight.empty() && rule.criterion == RETREE_ENTROPY && xlog2x.is_table())
        return scan_side(
            entries, packing, known, rule,
            UnitEntropySide(known, packing, scratch.whole_sums, scratch.whole_left, xlog2x));
    if (sample.weight.empty())
        return scan_weighted(entries, packing, sample, Ones(), known, rule, xlog2x, scratch.left);
    return scan_weighted(entries, packing, sample, sample.weight.data(), known, rule, xlog2x,
                         scratch.left);
}

}  // namespace retree::cart
