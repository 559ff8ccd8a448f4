// The search of the OC1 program (version 3) for a node's hyperplane, in its CART mode and its own.
#pragma once

#include "core/interface.hpp"
#include "oblique/original_line.hpp"
#include "retree/oblique.h"

namespace retree::oblique {

using OriginalRule = retree_original_rule;

class OriginalSearch {
public:
    OriginalSearch(const OriginalRule &rule, size_t n_rows, size_t n_features, size_t n_classes,
                   uint64_t state, Poll &poll);

    // Searches for the hyperplane of a node and returns its impurity. The rows of `x`,
    // (n_node_rows, n_features), are those of the node; shifting them back and forth rounds them.
    float search(Matrix<float> X, std::span<const int32_t> rows, std::span<const int32_t> labels,
                 bool is_root);

    // Whether each row of the node is on the left; the constant term is the last coefficient.
    bool is_left(size_t i) const { return value_[i] < 0.0; }
    std::span<const float> coefficients() const { return coefs_; }

private:
    float axis_parallel();
    float cart();
    float cart_perturb(size_t m) noexcept;
    float cart_perturb_constant();
    float oc1();
    void climb(float &error);
    float perturb(size_t m, float error) noexcept;
    float jump(float error) noexcept;
    void draw(std::span<float> numbers);

    void load(Matrix<float> X, std::span<const int32_t> rows);
    void shift();
    void unshift(Matrix<float> X, std::span<const int32_t> rows);
    void find_values() noexcept;
    float impurity() { return impurity_of(value_); }
    float impurity_of(std::span<const double> values);
    bool alter() noexcept;
    std::span<float> column(size_t j) { return {x_.data() + j * n_, n_}; }

    const OriginalRule &rule_;
    Poll &poll_;
    Random48 random_;
    Candidates candidates_;
    Sides sides_;
    size_t n_ = 0;
    std::vector<float> x_;  // the node's columns
    std::span<const int32_t> labels_;
    std::vector<float> coefs_, suggested_, best_, direction_, least_;
    std::vector<double> value_, scratch_;
    int64_t n_stagnant_ = 0;
};

}  // namespace retree::oblique
