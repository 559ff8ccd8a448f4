// Numbers of twice the precision of double: the sum of two of them, the second no more than half a
// unit in the last place of the first (Dekker 1971). Only + - * / are used, each of which rounds
// the same on every processor; a fused multiply-add is not needed.
#pragma once

#include "core/standard.hpp"

namespace retree {

// Two doubles with an instruction for both, where the compiler has a type for them.
#ifdef __GNUC__
typedef double Pair __attribute__((vector_size(16)));
#endif

// T is double, or Pair.
template <class T>
struct Doubled {
    T high{}, low{};
};

using DoubleDouble = Doubled<double>;

// The exact sum of two numbers of which the first is not smaller in size, or is 0.
template <class T>
constexpr Doubled<T> fast_sum(T a, T b) {
    const T sum = a + b;
    return {sum, b - (sum - a)};
}

// The exact sum (Knuth).
template <class T>
constexpr Doubled<T> exact_sum(T a, T b) {
    const T sum = a + b, of_b = sum - a;
    return {sum, (a - (sum - of_b)) + (b - of_b)};
}

// The first 26 bits of a number of no more than 2^996; the rest has no more (Veltkamp).
template <class T>
constexpr T leading_bits(T a) {
    const T spread = a * 134217729.0;
    return spread - (spread - a);
}

// The exact product, where nothing underflows.
template <class T>
constexpr Doubled<T> exact_product(T a, T b) {
    const T product = a * b, a1 = leading_bits(a), b1 = leading_bits(b), a2 = a - a1, b2 = b - b1;
    return {product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

constexpr DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
    const DoubleDouble sum = fast_sum(high.high, high.low + low.high);
    return fast_sum(sum.high, sum.low + low.low);
}

constexpr DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble product = exact_product(a.high, b.high);
    return fast_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

constexpr DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
    const double first = a.high / b.high;
    const DoubleDouble left = a + b * DoubleDouble{-first};
    const double second = left.high / b.high;
    const DoubleDouble rest = left + b * DoubleDouble{-second};
    return DoubleDouble{first} + fast_sum(second, rest.high / b.high);
}

constexpr DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }

// The square root of a positive number.
inline DoubleDouble square_root(DoubleDouble a) {
    const double root = std::sqrt(a.high);
    const DoubleDouble left = a + -exact_product(root, root);
    return fast_sum(root, left.high / (2 * root));
}

}  // namespace retree
