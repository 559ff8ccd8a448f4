#include "cart/scan.hpp"

namespace retree::cart {
namespace {

constexpr int64_t BLOCK = 128, LEAST_BLOCKS = 16;  // of fewer blocks hardly any is left out

// The cut of best Gini gain where all weights are 1: sums are whole numbers, so their order does
// not matter, and most candidates are seen to be no better without a division.
//
// Of two classes, most entries are not looked at one by one. The purity of the children is a convex
// function of the class counts on the left. In a block both of these lie between what they are
// before and after, so no cut in it is purer than the best of the four corners of that box.
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
        const int64_t last = n_ - 1;
        const bool has_blocks = left_.size() == 2 && n_ >= LEAST_BLOCKS * BLOCK;
        for (int64_t start = 0, end = 0; start < last; start = end) {
            end = has_blocks ? std::min(start + BLOCK, last) : last;
            if (!has_blocks || !pass(start, end)) look_at(start, end);
        }
        return best_;
    }

private:
    // Adds a block to the left if no cut in it can be the best; returns whether that is so.
    bool pass(int64_t start, int64_t end) {
        const auto block = entries_.subspan(start, end - start);
        const auto n_second = std::accumulate(
            block.begin(), block.end(), int64_t{0},
            [this](int64_t n, uint64_t entry) { return n + packing_.label(entry); });
        const std::array counts{end - start - n_second, n_second};
        for (const int64_t first : {int64_t{0}, counts[0]})
            for (const int64_t second : {int64_t{0}, counts[1]})
                if (may_win(left_[0] + first, left_[1] + second)) return false;
        for (size_t c = 0; c < counts.size(); ++c) left_[c] += counts[c];
        return true;
    }

    // Whether a cut with so many rows of two classes on the left may be the best.
    bool may_win(int64_t first, int64_t second) const {
        const int64_t others[] = {sums_[0] - first, sums_[1] - second};
        const auto inner = static_cast<double>(first * first + second * second);
        const auto outer = static_cast<double>(others[0] * others[0] + others[1] * others[1]);
        const auto w_left = static_cast<double>(first + second), w_right = known_.weight - w_left;
        const double purity = inner / std::max(w_left, 1.0) + outer / std::max(w_right, 1.0);
        return !(purity < limit_ * known_.weight);
    }

    // Offers the cuts after some entries, of which the first is the next.
    void look_at(int64_t start, int64_t end) {
        // Not members, which the compiler would have to keep in memory beside the counts.
        const uint64_t *const entries = entries_.data();
        const int64_t *const sums = sums_.data();
        int64_t *const lefts = left_.data();
        const Packing packing = packing_;
        int64_t inner = 0, outer = 0;
        for (size_t c = 0; c < left_.size(); ++c) {
            inner += lefts[c] * lefts[c];
            outer += (sums[c] - lefts[c]) * (sums[c] - lefts[c]);
        }
        for (int64_t i = start; i < end; ++i) {
            const int32_t c = packing.label(entries[i]);
            const int64_t left = lefts[c]++;
            inner += 2 * left + 1;
            outer += 2 * (left - sums[c]) + 1;
            if (!packing.is_same_value(entries[i], entries[i + 1])) offer(i, inner, outer);
        }
    }

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

// The weights of rows that all have weight 1.
struct Ones {
    double operator[](int32_t) const { return 1.0; }
};

// As the side of the entropy, to the last bit, where all weights are 1: whole numbers take half of
// the time.
class UnitEntropySide {
public:
    UnitEntropySide(const Known &known, Packing packing, std::span<int64_t> sums,
                    std::span<int64_t> left, const XLog2X &xlog2x)
        : packing_(packing), sums_(sums), left_(left), xlog2x_(xlog2x.table()), n_(known.n_rows) {
        std::ranges::fill(left, 0);
        for (size_t c = 0; c < sums.size(); ++c) {
            sums[c] = static_cast<int64_t>(known.sums[c]);
            inside_.push_back(xlog2x_[sums[c]]);
        }
        terms_ = sum_of(inside_);
        offset_ = xlog2x_[n_] - terms_;
    }

    void add(uint64_t entry) {
        const int32_t c = packing_.label(entry);
        const int64_t left = ++left_[c];
        const double now = xlog2x_[left] + xlog2x_[sums_[c] - left];
        terms_ += now - inside_[c];
        inside_[c] = now;
        ++n_left_;
    }

    double weight() const { return static_cast<double>(n_left_); }
    double gain() const {
        const double outside = xlog2x_[n_left_] + xlog2x_[n_ - n_left_];
        return (offset_ + terms_ - outside) / static_cast<double>(n_);
    }

private:
    Packing packing_;
    std::span<int64_t> sums_, left_;
    const double *xlog2x_;
    std::vector<double> inside_;
    double terms_ = 0.0, offset_ = 0.0;
    int64_t n_, n_left_ = 0;
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
Cut scan_weighted(std::span<const uint64_t> entries, const Pass<Weight> &pass, const Rule &rule) {
    return with_criterion(rule.criterion, [&]<class Criterion>(Criterion) {
        if constexpr (requires { typename Criterion::template Side<Weight>; }) {
            using Side = typename Criterion::template Side<Weight>;
            return scan_side(entries, pass.packing, pass.known, rule, Side(pass));
        } else {
            using Side = PlainSide<Criterion, Weight>;
            return scan_side(entries, pass.packing, pass.known, rule, Side(pass));
        }
    });
}

// Whether the criterion of a rule is this one.
template <class Criterion>
bool is_by(const Rule &rule) {
    return with_criterion(rule.criterion,
                          []<class Own>(Own) { return std::is_same_v<Own, Criterion>; });
}

}  // namespace

Cut scan(std::span<const uint64_t> entries, Packing packing, const Sample &sample,
         const Known &known, const Rule &rule, const XLog2X &xlog2x, ScanScratch &scratch) {
    const auto run = [&](auto weight) {
        const Pass<decltype(weight)> pass{known,         weight,       packing,
                                          sample.target, scratch.left, xlog2x};
        return scan_weighted(entries, pass, rule);
    };
    if (!sample.weight.empty()) return run(sample.weight.data());
    if (is_by<Gini>(rule)) return UnitGiniScan(entries, packing, known, rule, scratch).run();
    if (is_by<Entropy>(rule) && xlog2x.is_table())
        return scan_side(
            entries, packing, known, rule,
            UnitEntropySide(known, packing, scratch.whole_sums, scratch.whole_left, xlog2x));
    return run(Ones());
}

}  // namespace retree::cart
