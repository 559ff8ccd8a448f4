#include "cart/scan.hpp"

#include "core/partition.hpp"

namespace retree::cart {
namespace {

constexpr double INF = std::numeric_limits<double>::infinity();

struct Ones {
    double operator[](int32_t) const { return 1.0; }
};

// The left side of a cut that moves up the sorted entries, one entry at a time.

template <class Weight>
class ClassSide {
public:
    ClassSide(const Known &known, Weight weight, Packing packing, std::span<double> left)
        : known_(known), weight_(weight), packing_(packing), left_(left) {
        std::fill(left.begin(), left.end(), 0.0);
    }

    double weight() const { return w_left_; }

protected:
    // Moves an entry to the left; returns its class and its weight.
    std::pair<int32_t, double> move(uint64_t entry) {
        const int32_t c = packing_.label(entry);
        const double w = weight_[row_of(entry)];
        left_[c] += w;
        w_left_ += w;
        return {c, w};
    }

    const Known &known_;
    Weight weight_;
    Packing packing_;
    std::span<double> left_;
    double w_left_ = 0.0;
};

template <class Weight>
class GiniSide : public ClassSide<Weight> {
public:
    GiniSide(const Known &known, Weight weight, Packing packing, std::span<double> left)
        : ClassSide<Weight>(known, weight, packing, left) {
        for (const double sum : known.sums) squares_ += sum * sum;
    }

    void add(uint64_t entry) {
        const double before = this->left_[this->packing_.label(entry)];
        const auto [c, w] = this->move(entry);
        squares_left_ += w * (2.0 * before + w);
        cross_ += w * this->known_.sums[c];
    }

    double gain() const {
        const double w_left = this->w_left_,
                     squares_right = squares_ - 2.0 * cross_ + squares_left_;
        return gini_gain(squares_left_, w_left, squares_right, this->known_.weight - w_left,
                         squares_);
    }

private:
    double squares_ = 0.0, squares_left_ = 0.0;
    double cross_ = 0.0;  // of left weights with the node's
};

template <class Weight>
class EntropySide : public ClassSide<Weight> {
public:
    EntropySide(const Known &known, Weight weight, Packing packing, std::span<double> left,
                const XLog2X &xlog2x)
        : ClassSide<Weight>(known, weight, packing, left), xlog2x_(xlog2x) {
        for (const double sum : known.sums) terms_ += xlog2x(sum);
        offset_ = xlog2x(known.weight) - terms_;
    }

    void add(uint64_t entry) {
        const double before = inside(this->packing_.label(entry));
        terms_ += inside(this->move(entry).first) - before;
    }

    double gain() const {
        const double weight = this->known_.weight, w_left = this->w_left_;
        return (offset_ + terms_ - (xlog2x_(w_left) + xlog2x_(weight - w_left))) / weight;
    }

private:
    double inside(int32_t c) const {
        return xlog2x_(this->left_[c]) + xlog2x_(this->known_.sums[c] - this->left_[c]);
    }

    const XLog2X &xlog2x_;
    double terms_ = 0.0, offset_ = 0.0;
};

template <class Weight>
class TwoingSide : public ClassSide<Weight> {
public:
    using ClassSide<Weight>::ClassSide;

    void add(uint64_t entry) { this->move(entry); }
    double gain() const { return twoing_gain(this->left_, this->w_left_, this->known_); }
};

template <class Weight>
class VarianceSide {
public:
    VarianceSide(const Known &known, Weight weight, std::span<const double> target)
        : known_(known), weight_(weight), target_(target), mean_(known.sums[1] / known.sums[0]) {}

    void add(uint64_t entry) {
        const double w = weight_[row_of(entry)];
        sum_left_ += w * (target_[row_of(entry)] - known_.centre);
        w_left_ += w;
    }

    double weight() const { return w_left_; }
    double gain() const { return variance_gain(sum_left_, w_left_, mean_, known_.weight); }

private:
    const Known &known_;
    Weight weight_;
    std::span<const double> target_;
    double mean_, sum_left_ = 0.0, w_left_ = 0.0;
};

// The same cut where all weights are 1: sums are whole numbers, so their order does not matter, and
// most candidates are seen to be no better without a division.
class UnitGiniScan {
public:
    UnitGiniScan(std::span<const uint64_t> entries, Packing packing, const Known &known,
                 int64_t least)
        : entries_(entries),
          packing_(packing),
          known_(known),
          least_(least),
          n_(static_cast<int64_t>(entries.size())),
          sums_(known.sums.begin(), known.sums.end()),
          left_(known.sums.size()) {
        for (const int64_t sum : sums_) squares_ += sum * sum;
        impurity_ = static_cast<double>(squares_) / (known.weight * known.weight);
    }

    Cut run() {
        if (packing_.code(entries_.front()) + 1 == packing_.code(entries_.back())) {
            try_middle();
        } else {
            try_all();
        }
        return best_;
    }

private:
    void try_all() {
        // Not members, which the compiler would have to keep in memory beside `left_`.
        int64_t inner = 0, outer = squares_;
        for (int64_t i = 0; i < n_ - 1; ++i) {
            const int32_t c = packing_.label(entries_[i]);
            const int64_t left = left_[c]++;
            inner += 2 * left + 1;
            outer += 2 * (left - sums_[c]) + 1;
            if (!packing_.is_same_value(entries_[i], entries_[i + 1])) offer(i, inner, outer);
        }
    }

    // Tries the only cut of two values, by the classes on the side that has fewer rows.
    void try_middle() {
        const auto is_low = [this](uint64_t entry) {
            return packing_.is_same_value(entry, entries_.front());
        };
        const auto n_left = static_cast<size_t>(
            std::partition_point(entries_.begin(), entries_.end(), is_low) - entries_.begin());
        const bool is_left = n_left <= entries_.size() / 2;
        for (const uint64_t entry : is_left ? entries_.first(n_left) : entries_.subspan(n_left))
            ++left_[packing_.label(entry)];
        int64_t inner = 0, outer = 0;
        for (size_t c = 0; c < left_.size(); ++c) {
            const int64_t other = sums_[c] - left_[c];
            inner += (is_left ? left_[c] : other) * (is_left ? left_[c] : other);
            outer += (is_left ? other : left_[c]) * (is_left ? other : left_[c]);
        }
        offer(static_cast<int64_t>(n_left) - 1, inner, outer);
    }

    // Takes a cut if it is the best; `inner` and `outer` are the squared sums left and right.
    void offer(int64_t position, int64_t inner, int64_t outer) {
        const auto w_left = static_cast<double>(position + 1), w_right = known_.weight - w_left;
        const double inside =
            static_cast<double>(inner) * w_right + static_cast<double>(outer) * w_left;
        const double outside = w_left * w_right * known_.weight;
        if (inside < limit_ * outside) return;
        const double gain = inside / outside - impurity_;
        if (gain > bar_ && is_allowed(position + 1, w_left, known_, least_)) {
            best_ = {gain, position};
            bar_ = gain + tie_width(known_);
            // Below the bar by more than all rounding here.
            limit_ = bar_ + impurity_ - 1e-12;
        }
    }

    std::span<const uint64_t> entries_;
    Packing packing_;
    const Known &known_;
    int64_t least_, n_;
    std::vector<int64_t> sums_, left_;
    int64_t squares_ = 0;
    double impurity_ = 0.0, bar_ = -INF, limit_ = -INF;
    Cut best_;
};

template <class Side>
Cut scan_side(std::span<const uint64_t> entries, Packing packing, const Known &known, int64_t least,
              Side side) {
    const double slack = tie_width(known);
    double bar = -INF;
    Cut best;
    const auto last = static_cast<int64_t>(entries.size()) - 1;
    for (int64_t i = 0; i < last; ++i) {
        side.add(entries[i]);
        if (packing.is_same_value(entries[i], entries[i + 1])) continue;
        const double gain = side.gain();
        if (gain > bar && is_allowed(i + 1, side.weight(), known, least)) {
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
    const auto run = [&](auto side) {
        return scan_side(entries, packing, known, rule.min_samples_leaf, side);
    };
    switch (rule.criterion) {
        case GINI:
            return run(GiniSide(known, weight, packing, left));
        case ENTROPY:
            return run(EntropySide(known, weight, packing, left, xlog2x));
        case TWOING:
            return run(TwoingSide<Weight>(known, weight, packing, left));
        default:
            return run(VarianceSide(known, weight, sample.target));
    }
}

}  // namespace

Cut scan(std::span<const uint64_t> entries, Packing packing, const Sample &sample,
         const Known &known, const Rule &rule, const XLog2X &xlog2x, std::span<double> left) {
    if (sample.weight.empty() && rule.criterion == GINI)
        return UnitGiniScan(entries, packing, known, rule.min_samples_leaf).run();
    if (sample.weight.empty())
        return scan_weighted(entries, packing, sample, Ones(), known, rule, xlog2x, left);
    return scan_weighted(entries, packing, sample, sample.weight.data(), known, rule, xlog2x, left);
}

}  // namespace retree::cart
