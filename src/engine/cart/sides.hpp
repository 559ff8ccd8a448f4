// The left side of a cut that moves up sorted entries, one entry at a time, by criterion.
#pragma once

#include "cart/gain.hpp"
#include "core/partition.hpp"

namespace retree::cart {

// The weights of rows that all have weight 1.
struct Ones {
    double operator[](int32_t) const { return 1.0; }
};

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
        for (const double sum : known.sums) inside_.push_back(xlog2x(sum));
        terms_ = sum_of(inside_);
        offset_ = xlog2x(known.weight) - terms_;
    }

    void add(uint64_t entry) {
        const int32_t c = this->move(entry).first;
        const double now = xlog2x_.sum(this->left_[c], this->known_.sums[c] - this->left_[c]);
        terms_ += now - inside_[c];
        inside_[c] = now;
    }

    double gain() const {
        const double weight = this->known_.weight, w_left = this->w_left_;
        return (offset_ + terms_ - xlog2x_.sum(w_left, weight - w_left)) / weight;
    }

private:
    const XLog2X &xlog2x_;
    std::vector<double> inside_;  // of each class, x * log2(x) of its weights on both sides
    double terms_ = 0.0, offset_ = 0.0;
};

// As EntropySide, to the last bit, where all weights are 1: whole numbers take half of the time.
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

}  // namespace retree::cart
