// Parts of the OC1 program (version 3, Murthy 1994) as it computes: in 32-bit floats, with the
// random numbers of the C library, so that its trees come out with all their faults.
#pragma once

#include "core/standard.hpp"

namespace retree::oblique {

// Both are the program's: an impurity that no cut exceeds, and a change that is too small to count.
constexpr float HUGE_IMPURITY = std::numeric_limits<float>::max();
constexpr double LEAST_CHANGE = 0.0001;

// The numbers of drand48.
class Random48 {
public:
    explicit Random48(uint64_t state) : state_(state) {}

    float between(float low, float high) {
        state_ = (state_ * 0x5DEECE66D + 0xB) & 0xFFFFFFFFFFFF;
        const double unit = static_cast<double>(state_) * 0x1p-48;
        return static_cast<float>(double{low} + unit * double{high - low});
    }

private:
    uint64_t state_;
};

// Rows of each class on both sides of a cut.
struct Sides {
    explicit Sides(size_t n_classes) : left(n_classes), right(n_classes) {}

    void clear();
    int32_t n_left() const { return std::accumulate(left.begin(), left.end(), 0); }
    // Reciprocal of the twoing rule, 0 of a perfect cut, `HUGE_IMPURITY` of one without merit.
    float impurity() const;
    bool is_perfect() const;

    std::vector<int32_t> left, right;
};

// Numbers of rows along a line, and where to cut it.
class Candidates {
public:
    Candidates(size_t n_rows, size_t n_classes, Random48 &random);

    void clear() { n_ = 0; }
    void add(float value, int32_t label) {
        value_[n_] = value;
        label_[n_++] = label;
    }

    // Returns the middle between the two neighbours of the cut of least impurity. Each tied cut
    // takes the place of the one before it with probability 1/2.
    float best_cut();

private:
    void sort();
    void sort_words();
    void sort_with_nan(size_t start, size_t end);
    bool is_worse(size_t n_left, float bar) const;

    Random48 &random_;
    size_t n_ = 0;
    float lowest_ = 0.0F;  // of the last candidates, as the program goes on with it if it has none
    std::vector<float> value_, value_out_;
    std::vector<int32_t> label_, label_out_;
    std::vector<uint64_t> word_, word_out_;  // value and label
    Sides sides_;
};

}  // namespace retree::oblique
