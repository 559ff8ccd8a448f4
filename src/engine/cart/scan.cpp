#include "cart/scan.hpp"

#include <algorithm>

#include "core/partition.hpp"

namespace retree::cart {
namespace {

struct Ones {
    double operator[](int32_t) const { return 1.0; }
};

// The left side of a cut that moves up the sorted entries, one entry a time.

template <class Weight>
class GiniSide {
public:
    GiniSide(const Known &known, Weight weight, Packing packing, std::span<double> left)
        : known_(known), weight_(weight), packing_(packing), left_(left) {
        std::fill(left.begin(), left.end(), 0.0);
        for (const double sum : known.sums) squares_ += sum * sum;
    }

    void add(uint64_t entry) {
        const int32_t c = packing_.label(entry);
        const double w = weight_[row_of(entry)];
        squares_left_ += w * (2.0 * left_[c] + w);
        left_[c] += w;
        cross_ += w * known_.sums[c];
        w_left_ += w;
    }

    double weight() const { return w_left_; }

    double gain() const {
        const double squares_right = squares_ - 2.0 * cross_ + squares_left_;
        return gini_gain(squares_left_, w_left_, squares_right, known_.weight - w_left_, squares_);
    }

private:
    const Known &known_;
    Weight weight_;
    Packing packing_;
    std::span<double> left_;
    double squares_ = 0.0, squares_left_ = 0.0, w_left_ = 0.0;
    double cross_ = 0.0;  // of left weights with the node's
};

template <class Weight>
class EntropySide {
public:
    EntropySide(const Known &known, Weight weight, Packing packing, std::span<double> left,
                const XLog2X &xlog2x)
        : known_(known), weight_(weight), packing_(packing), left_(left), xlog2x_(xlog2x) {
        std::fill(left.begin(), left.end(), 0.0);
        for (const double sum : known.sums) terms_ += xlog2x(sum);
        offset_ = xlog2x(known.weight) - terms_;
    }

    void add(uint64_t entry) {
        const int32_t c = packing_.label(entry);
        const double before = inside(c), w = weight_[row_of(entry)];
        left_[c] += w;
        terms_ += inside(c) - before;
        w_left_ += w;
    }

    double weight() const { return w_left_; }

    double gain() const {
        const double sides = xlog2x_(w_left_) + xlog2x_(known_.weight - w_left_);
        return (offset_ + terms_ - sides) / known_.weight;
    }

private:
    double inside(int32_t c) const {
        return xlog2x_(left_[c]) + xlog2x_(known_.sums[c] - left_[c]);
    }

    const Known &known_;
    Weight weight_;
    Packing packing_;
    std::span<double> left_;
    const XLog2X &xlog2x_;
    double terms_ = 0.0, offset_ = 0.0, w_left_ = 0.0;
};

template <class Weight>
class TwoingSide {
public:
    TwoingSide(const Known &known, Weight weight, Packing packing, std::span<double> left)
        : known_(known), weight_(weight), packing_(packing), left_(left) {
        std::fill(left.begin(), left.end(), 0.0);
    }

    void add(uint64_t entry) {
        const double w = weight_[row_of(entry)];
        left_[packing_.label(entry)] += w;
        w_left_ += w;
    }

    double weight() const { return w_left_; }
    double gain() const { return twoing_gain(left_, w_left_, known_); }

private:
    const Known &known_;
    Weight weight_;
    Packing packing_;
    std::span<double> left_;
    double w_left_ = 0.0;
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

template <class Side>
Cut scan_side(std::span<const uint64_t> entries, Packing packing, const Known &known, int64_t least,
              Side side) {
    const double slack = tie_width(known);
    double bar = -std::numeric_limits<double>::infinity();
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
            return run(TwoingSide(known, weight, packing, left));
        default:
            return run(VarianceSide(known, weight, sample.target));
    }
}

}  // namespace

Cut scan(std::span<const uint64_t> entries, Packing packing, const Sample &sample,
         const Known &known, const Rule &rule, const XLog2X &xlog2x, std::span<double> left) {
    if (sample.weight.empty())
        return scan_weighted(entries, packing, sample, Ones(), known, rule, xlog2x, left);
    return scan_weighted(entries, packing, sample, sample.weight.data(), known, rule, xlog2x, left);
}

}  // namespace retree::cart
