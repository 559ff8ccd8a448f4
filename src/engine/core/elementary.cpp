#include "core/elementary.hpp"

#include "core/double_double.hpp"

namespace retree {
namespace {

constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();
constexpr double LEAST_SIGNIFICAND = 181.0 / 256;  // near the square root of 1/2

constexpr DoubleDouble LN2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
// log(2) to 42 bits behind the point, and the rest.
constexpr double LN2_START = 0x1.62e42fefa38p-1;
constexpr double LN2_REST = (LN2.high - LN2_START) + LN2.low;
constexpr DoubleDouble PER_LN2{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
// The first 26 bits of 1 / log(2), and the other ones of its double.
constexpr double PER_LN2_START = 0x1.715476p+0, PER_LN2_REST = PER_LN2.high - PER_LN2_START;
constexpr DoubleDouble TWICE_PI{0x1.921fb54442d18p+2, 0x1.1a62633145c07p-52};

constexpr int N_SERIES = 20;  // of atanh for an argument up to 0.172
// 1, 1/3, 1/5, ...
constexpr auto PER_ODD = [] {
    std::array<DoubleDouble, N_SERIES + 1> found;
    for (int n = 0; n <= N_SERIES; ++n) found[n] = DoubleDouble{1.0} / DoubleDouble{2.0 * n + 1.0};
    return found;
}();
constexpr int N_EXPONENTIAL = 11;    // of exp for an argument up to 0.0055
constexpr int N_HALVINGS = 6;        // of the exponent
constexpr double NARROWER = 0x1p-6;  // 2^-N_HALVINGS

// A positive number as 2^exponent times a significand from LEAST_SIGNIFICAND to twice that.
struct Parts {
    double exponent, significand;
};

Parts parts_of(double x) {
    const bool is_subnormal = x < std::numeric_limits<double>::min();
    if (is_subnormal) x *= 0x1p54;
    const auto bits = std::bit_cast<int64_t>(x);
    // An arithmetic shift, since C++20; without a branch that would be as often right as wrong.
    const int64_t exponent = (bits - std::bit_cast<int64_t>(LEAST_SIGNIFICAND)) >> 52;
    return {static_cast<double>(is_subnormal ? exponent - 54 : exponent),
            std::bit_cast<double>(bits - exponent * (int64_t{1} << 52))};
}

// 2 atanh(ratio), the logarithm of (1 + ratio) / (1 - ratio), for a small ratio.
DoubleDouble twice_atanh(DoubleDouble ratio) {
    const DoubleDouble square = ratio * ratio;
    DoubleDouble sum;
    for (int n = N_SERIES; n >= 0; --n) sum = sum * square + PER_ODD[n];
    const DoubleDouble half = sum * ratio;
    return {2 * half.high, 2 * half.low};
}

DoubleDouble precise_log(Parts x) {
    const double m = x.significand;
    const DoubleDouble log = twice_atanh(DoubleDouble{m - 1.0} / exact_sum(m, 1.0));
    return LN2 * DoubleDouble{x.exponent} + log;
}

[[gnu::noinline]] DoubleDouble precise_log2(Parts x) {
    return DoubleDouble{x.exponent} + precise_log({0.0, x.significand}) * PER_LN2;
}

// The sum as one number; 2^exponent may not be one.
double scaled(DoubleDouble x, double exponent) {
    double number = x.high + x.low;
    for (; exponent > 1000.0; exponent -= 1000.0) number *= 0x1p1000;
    for (; exponent < -1000.0; exponent += 1000.0) number *= 0x1p-1000;
    const auto biased = static_cast<uint64_t>(exponent + 1023.0);
    return number * std::bit_cast<double>(biased << 52);
}

// exp of a number from -800 to 800 as 2^exponent times `number`.
struct Exponential {
    DoubleDouble number;
    double exponent;
};

Exponential precise_exp(DoubleDouble x) {
    const double exponent = std::floor(x.high * PER_LN2.high + 0.5);
    const DoubleDouble rest = x + LN2 * DoubleDouble{-exponent};
    const DoubleDouble part{rest.high * NARROWER, rest.low * NARROWER};
    DoubleDouble number{1.0};
    for (int n = N_EXPONENTIAL; n > 0; --n)
        number = DoubleDouble{1.0} + number * part / DoubleDouble{static_cast<double>(n)};
    for (int i = 0; i < N_HALVINGS; ++i) number = number * number;
    return {number, exponent};
}

// Looks up the power of 2 near a number's exponential, and adds a short series for what is left.
// Where its error might change the rounding, the precise exponential decides.
class Exp {
public:
    Exp() {
        for (size_t i = 0; i < powers_.size(); ++i) {
            const auto share = static_cast<double>(i) / STEPS;
            const auto [number, exponent] = precise_exp(LN2 * DoubleDouble{share});
            const double scale = exponent > 0.0 ? 2.0 : 1.0;
            powers_[i] = {number.high * scale, number.low * scale};
        }
    }

    // Of a number from -746 to 710.
    double operator()(DoubleDouble x) const {
        const double n_steps = std::floor(x.high * (STEPS * PER_LN2.high) + 0.5);
        const double exponent = std::floor(n_steps / STEPS);
        const DoubleDouble &power = powers_[static_cast<size_t>(n_steps - STEPS * exponent)];
        // The first difference is without error: n_steps has 17 bits, STEP_START 34.
        const DoubleDouble rest =
            exact_sum(x.high - n_steps * STEP_START, x.low - n_steps * STEP_REST);
        // exp(rest) - 1 for abs(rest) < 0.0055, with an error of 2^-67.
        const double a = rest.high, square = a * a;
        const double tail = 1.0 / 6 + a * (1.0 / 24) +
                            square * (1.0 / 120 + a * (1.0 / 720) + square * (1.0 / 5040));
        const DoubleDouble more =
            fast_sum(a, square * (0.5 + a * tail) + (rest.low + a * rest.low));
        const DoubleDouble part = exact_product(power.high, more.high);
        const DoubleDouble sum = fast_sum(power.high, part.high);
        const double after =
            sum.low + (part.low + power.high * more.low + power.low * (1.0 + more.high));
        const double slack = ERROR * sum.high;
        const double least = sum.high + (after - slack), most = sum.high + (after + slack);
        if (least == most) return scaled({least, 0.0}, exponent);
        const Exponential found = precise_exp(x);
        return scaled(found.number, found.exponent);
    }

private:
    static constexpr double STEPS = 64.0, ERROR = 0x1p-64;
    // The first 34 bits of log(2) / STEPS, and the rest.
    static constexpr double STEP_START = 0x1.62e42fef8p-7;
    static constexpr double STEP_REST = (LN2.high / STEPS - STEP_START) + LN2.low / STEPS;

    std::array<DoubleDouble, 64> powers_;
};

// Looks up log2 of a number near the significand, and adds a short series for what is left. Where
// its error might change the rounding, the precise logarithm decides.
class Log2 {
public:
    Log2() {
        for (int64_t i = 0; i <= LAST - FIRST; ++i) {
            const double centre = static_cast<double>(FIRST + i) / STEPS;
            const double inverse = std::floor(FINE / centre + 0.5) / FINE;
            const DoubleDouble log = precise_log2(parts_of(inverse));
            // Few enough bits that the exponent can be added without rounding.
            const double high = std::floor(-log.high * 0x1p42 + 0.5) * 0x1p-42;
            near_[i] = {inverse, high, (-log.high - high) - log.low};
        }
    }

    double operator()(double x) const {
        const Parts parts = parts_of(x);
        const Near &near = near_to(parts);
        const auto [least, most] =
            bounds(parts.significand, near.inverse, parts.exponent + near.high, near.low);
        return least == most ? least : precise_log2(parts).high;
    }

#ifdef __GNUC__
    std::array<double, 2> operator()(std::array<double, 2> x) const {
        const Parts a = parts_of(x[0]), b = parts_of(x[1]);
        const Near &near_a = near_to(a), &near_b = near_to(b);
        const auto [least, most] = bounds(
            Pair{a.significand, b.significand}, Pair{near_a.inverse, near_b.inverse},
            Pair{a.exponent + near_a.high, b.exponent + near_b.high}, Pair{near_a.low, near_b.low});
        return {least[0] == most[0] ? least[0] : precise_log2(a).high,
                least[1] == most[1] ? least[1] : precise_log2(b).high};
    }
#else
    std::array<double, 2> operator()(std::array<double, 2> x) const {
        return {(*this)(x[0]), (*this)(x[1])};
    }
#endif

    // Of up to FEW numbers; returns whether all are known. The others are NaN.
    bool of_few(const double *x, double *logs, size_t n) const noexcept;
    static constexpr size_t FEW = 64;

protected:
    static constexpr int64_t FIRST = 181, LAST = 362;
    static constexpr double STEPS = 256.0, FINE = 1024.0;
    static constexpr double ERROR = 0x1p-64;

    struct Near {
        double inverse, high, low;
    };

    const Near &near_to(Parts x) const {
        return near_[static_cast<int64_t>(x.significand * STEPS + 0.5) - FIRST];
    }

    // What `whole` + `low` + log2(significand * inverse) rounds to if its error is against it, and
    // if it is in favour.
    template <class T>
    static std::pair<T, T> bounds(T significand, T inverse, T whole, T low) {
        // Without error: `inverse` has 11 bits.
        const T start = leading_bits(significand);
        const Doubled<T> z = exact_sum<T>(start * inverse - 1.0, (significand - start) * inverse);
        const Doubled<T> log = log_near_one(z);
        const T a1 = leading_bits(log.high), a2 = log.high - a1, product = log.high * PER_LN2.high;
        const T error = ((a1 * PER_LN2_START - product) + a1 * PER_LN2_REST + a2 * PER_LN2_START) +
                        a2 * PER_LN2_REST;
        const Doubled<T> sum = fast_sum<T>(whole, product);
        const T rest = error + (log.high * PER_LN2.low + log.low * PER_LN2.high);
        const T after = sum.low + (rest + low), slack = ERROR * sum.high;
        return {sum.high + (after - slack), sum.high + (after + slack)};
    }

    // log(1 + z) for abs(z) < 0.0036, with an error of 2^-67 of it.
    template <class T>
    static Doubled<T> log_near_one(Doubled<T> z) {
        const T a = z.high, a1 = leading_bits(a), a2 = a - a1, square = a * a;
        const T square_low = ((a1 * a1 - square) + 2.0 * a1 * a2) + a2 * a2;
        const T tail = (1.0 / 3 - a * (1.0 / 4)) + square * (1.0 / 5 - a * (1.0 / 6)) +
                       square * square * (1.0 / 7 - a * (1.0 / 8) + square * (1.0 / 9));
        const Doubled<T> sum = fast_sum<T>(a, -0.5 * square);
        return {sum.high, sum.low + ((z.low - a * z.low - 0.5 * square_low) + square * a * tail)};
    }

    std::array<Near, LAST - FIRST + 1> near_;
};

// As one by one, but without conversions that few processors have for several numbers at once.
RETREE_VECTOR bool Log2::of_few(const double *x, double *logs, size_t n) const noexcept {
    constexpr auto START = std::bit_cast<uint64_t>(LEAST_SIGNIFICAND);
    constexpr auto WHOLE = std::bit_cast<uint64_t>(0x1p52);
    constexpr uint64_t ONE = uint64_t{1} << 52, MORE = 1024;
    std::array<double, FEW> significand, inverse, whole, low;
    std::array<int32_t, FEW> place;
    int64_t n_unsure = 0;
    for (size_t i = 0; i < n; ++i) {
        const auto bits = std::bit_cast<uint64_t>(x[i]);
        const uint64_t exponent = (bits - START + MORE * ONE) >> 52;
        whole[i] = std::bit_cast<double>(WHOLE | exponent) - (0x1p52 + MORE);
        significand[i] = std::bit_cast<double>(bits + MORE * ONE - (exponent << 52));
        place[i] = static_cast<int32_t>(significand[i] * STEPS + 0.5) - static_cast<int32_t>(FIRST);
    }
    for (size_t i = 0; i < n; ++i) {
        const Near &near = near_[static_cast<size_t>(place[i])];
        inverse[i] = near.inverse;
        whole[i] += near.high;
        low[i] = near.low;
    }
    for (size_t i = 0; i < n; ++i) {
        const auto [least, most] = bounds(significand[i], inverse[i], whole[i], low[i]);
        const bool is_sure =
            least == most && x[i] >= std::numeric_limits<double>::min() && x[i] < INF;
        logs[i] = is_sure ? least : NOT_A_NUMBER;
        n_unsure += !is_sure;
    }
    return n_unsure == 0;
}

// The natural logarithm, by the same look-up and series.
class Log : Log2 {
public:
    Log() {
        for (Near &near : near_) {
            const DoubleDouble log = precise_log(parts_of(near.inverse));
            near.high = std::floor(-log.high * 0x1p42 + 0.5) * 0x1p-42;
            near.low = (-log.high - near.high) - log.low;
        }
    }

    double operator()(double x) const {
        const Parts parts = parts_of(x);
        const Near &near = near_to(parts);
        const double start = leading_bits(parts.significand), inverse = near.inverse;
        const Doubled<double> z =
            exact_sum<double>(start * inverse - 1.0, (parts.significand - start) * inverse);
        const Doubled<double> log = log_near_one(z);
        // Without error: the exponent has 11 bits, and LN2_START is a multiple of 2^-42.
        const double whole = parts.exponent * LN2_START + near.high;
        const Doubled<double> sum = fast_sum<double>(whole, log.high);
        const double after = sum.low + (log.low + (parts.exponent * LN2_REST + near.low));
        const double slack = ERROR * sum.high;
        const double least = sum.high + (after - slack), most = sum.high + (after + slack);
        return least == most ? least : precise_log(parts).high;
    }
};

const Log2 LOG2;
const Log LOG;
const Exp EXP;

double rounded_exp(DoubleDouble x) {
    if (x.high > 710.0) return INF;
    if (x.high < -746.0) return 0.0;
    return EXP(x);
}

// What the logarithm of 0, a negative number, infinity or NaN is.
double log_of_odd(double x) {
    if (x == 0.0) return -INF;
    return x > 0.0 ? x : NOT_A_NUMBER;
}

}  // namespace

double log_of(double x) {
    if (!(x > 0.0 && x < INF)) return log_of_odd(x);
    return LOG(x);
}

double log2_of(double x) {
    if (!(x > 0.0 && x < INF)) return log_of_odd(x);
    return LOG2(x);
}

double log2_of_whole(size_t n) {
    static const auto KNOWN = [] {
        std::array<double, 4096> logs;
        for (size_t i = 0; i < logs.size(); ++i) logs[i] = log2_of(static_cast<double>(i));
        return logs;
    }();
    return n < KNOWN.size() ? KNOWN[n] : log2_of(static_cast<double>(n));
}

std::array<double, 2> log2_of_both(std::array<double, 2> x) {
    const bool is_plain = x[0] > 0.0 && x[0] < INF && x[1] > 0.0 && x[1] < INF;
    return is_plain ? LOG2(x) : std::array{log2_of(x[0]), log2_of(x[1])};
}

void log2_of_all(std::span<const double> x, std::span<double> logs) noexcept {
    for (size_t first = 0; first < x.size(); first += Log2::FEW) {
        const size_t end = std::min(first + Log2::FEW, x.size());
        if (LOG2.of_few(x.data() + first, logs.data() + first, end - first)) continue;
        for (size_t i = first; i < end; ++i)
            if (std::isnan(logs[i])) logs[i] = log2_of(x[i]);
    }
}

double exp_of(double x) { return rounded_exp(DoubleDouble{x}); }

double power_of(double base, double exponent) {
    return rounded_exp(precise_log(parts_of(base)) * DoubleDouble{exponent});
}

double normal_quantile(double share) {
    if (!(share < 1.0)) return INF;
    const DoubleDouble goal = exact_sum(share, -0.5), half{0.5};
    const DoubleDouble root = square_root(TWICE_PI);
    DoubleDouble z;
    // Newton's steps from below: the distribution function is concave there.
    for (int step = 0; step < 100; ++step) {
        const DoubleDouble square = z * z;
        DoubleDouble term = z, sum = z;
        for (double n = 3.0; term.high > 0x1p-110 * sum.high; n += 2.0) {
            term = term * square / DoubleDouble{n};
            sum = sum + term;
        }
        // The density, times the square root of 2 pi.
        const Exponential found = precise_exp(-(square * half));
        const double shrink = scaled({1.0, 0.0}, found.exponent);
        const DoubleDouble density{found.number.high * shrink, found.number.low * shrink};
        const DoubleDouble change = (goal * root + -(sum * density)) / density;
        z = z + change;
        if (std::abs(change.high) <= 0x1p-60 * z.high) break;
    }
    return z.high;
}

}  // namespace retree
