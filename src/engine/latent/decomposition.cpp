// Householder's reflections bring the rows, some at a time, to a triangle of the same singular
// values and right singular vectors (Golub and Van Loan, Matrix computations, 5.2). Jacobi's
// rotations of pairs of its rows then make these orthogonal (Hestenes 1958; Drmac and Veselic 2008
// on why the triangle's rows, not its columns): their lengths are the values, their directions the
// vectors. Sums are in a written order of LANES lanes, so that no processor has other results.
#include "latent/decomposition.hpp"

namespace retree::latent {
namespace {

constexpr int64_t LANES = 8;
constexpr int64_t BLOCK = 128;       // rows that a reflection takes in at a time
constexpr int64_t MOST_SWEEPS = 40;  // some 6 to 10 are needed
constexpr double EPS = std::numeric_limits<double>::epsilon();
constexpr double NEGLIGIBLE = 0x1p-400;  // a squared length as a share of the greatest one

using Lanes = std::array<double, LANES>;

int64_t padded(int64_t n) { return (n + LANES - 1) / LANES * LANES; }

double sum_of_lanes(const double *lane) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

// The dot product of n numbers, a multiple of LANES.
RETREE_VECTOR double dot(const double *a, const double *b, int64_t n) noexcept {
    double lane[LANES] = {};
    for (int64_t i = 0; i < n; i += LANES)
        for (int64_t k = 0; k < LANES; ++k) lane[k] += a[i + k] * b[i + k];
    return sum_of_lanes(lane);
}

RETREE_VECTOR void subtract(double *a, const double *b, double factor, int64_t n) noexcept {
    for (int64_t i = 0; i < n; ++i) a[i] -= factor * b[i];
}

RETREE_VECTOR void rotate(double *a, double *b, double cosine, double sine, int64_t n) noexcept {
    for (int64_t i = 0; i < n; ++i) {
        const double x = a[i], y = b[i];
        a[i] = cosine * x - sine * y;
        b[i] = sine * x + cosine * y;
    }
}

// The triangle of the rows, in row-major order; rows are padded with zeros.
class Triangle {
public:
    explicit Triangle(int64_t n_columns)
        : n_(n_columns),
          stride_(padded(n_columns)),
          values_(static_cast<size_t>(n_ * stride_)),
          block_(static_cast<size_t>(n_ * BLOCK)) {}

    void add(Matrix<const double> X, std::span<const double> weight, double scale) {
        Poll poll;
        for (int64_t first = 0; first < X.rows; first += BLOCK) {
            poll.check();
            const int64_t n_rows = std::min(BLOCK, X.rows - first);
            load(X, weight, scale, first, n_rows);
            for (int64_t j = 0; j < n_; ++j) reflect(j, padded(n_rows));
        }
    }

    double *row(int64_t i) { return values_.data() + i * stride_; }
    int64_t stride() const { return stride_; }

private:
    double *column(int64_t j) { return block_.data() + j * BLOCK; }

    void load(Matrix<const double> X, std::span<const double> weight, double scale, int64_t first,
              int64_t n_rows) {
        std::fill(block_.begin(), block_.end(), 0.0);
        for (int64_t i = 0; i < n_rows; ++i) {
            const double factor = std::sqrt(weight[first + i]);
            for (int64_t j = 0; j < n_; ++j) column(j)[i] = X(first + i, j) * scale * factor;
        }
    }

    // Reflects column j of the triangle and of the block to one number on the diagonal.
    void reflect(int64_t j, int64_t n_rows) {
        const double *pivot = column(j);
        const double squares = dot(pivot, pivot, n_rows);
        if (squares == 0.0) return;
        double *own = row(j);
        const double corner = own[j], length = std::sqrt(corner * corner + squares);
        const double diagonal = corner > 0.0 ? -length : length, first = corner - diagonal;
        const double factor = -1.0 / (diagonal * first);
        own[j] = diagonal;
        for (int64_t k = j + 1; k < n_; ++k) {
            const double share = (first * own[k] + dot(pivot, column(k), n_rows)) * factor;
            own[k] -= share * first;
            subtract(column(k), pivot, share, n_rows);
        }
    }

    int64_t n_, stride_;
    std::vector<double> values_;
    std::vector<double> block_;  // some rows, column by column
};

// Rotates rows i and k until they are orthogonal; whether they were not. `squares` are their
// squared lengths.
bool orthogonalise(Triangle &triangle, int64_t i, int64_t k, std::span<double> squares,
                   double tolerance) {
    const double product = dot(triangle.row(i), triangle.row(k), triangle.stride());
    if (std::abs(product) <= tolerance * std::sqrt(squares[i]) * std::sqrt(squares[k]))
        return false;
    const double ratio = (squares[k] - squares[i]) / (2 * product);
    const double size = 1.0 / (std::abs(ratio) + std::sqrt(1.0 + ratio * ratio));
    const double tangent = ratio < 0.0 ? -size : size;
    const double cosine = 1.0 / std::sqrt(1.0 + tangent * tangent);
    rotate(triangle.row(i), triangle.row(k), cosine, cosine * tangent, triangle.stride());
    squares[i] -= tangent * product;
    squares[k] += tangent * product;
    return true;
}

// Rotates every pair of rows once; whether there was something to rotate.
bool sweep(Triangle &triangle, std::span<double> squares, double tolerance) {
    const auto n = std::ssize(squares);
    for (int64_t i = 0; i < n; ++i)
        squares[i] = dot(triangle.row(i), triangle.row(i), triangle.stride());
    const double least = NEGLIGIBLE * *std::max_element(squares.begin(), squares.end());
    bool has_changed = false;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = i + 1; k < n; ++k)
            if (squares[i] > least && squares[k] > least)
                has_changed |= orthogonalise(triangle, i, k, squares, tolerance);
    return has_changed;
}

// A power of two that brings the greatest number near 1, so that no square overflows.
double scale_of(Matrix<const double> X, std::span<const double> weight) {
    double greatest = 0.0;
    for (int64_t i = 0; i < X.rows; ++i) {
        const double factor = std::sqrt(weight[i]);
        for (const double value : X.row(i)) greatest = std::max(greatest, std::abs(value) * factor);
    }
    if (!(greatest > 0.0 && std::isfinite(greatest))) return 1.0;
    return std::ldexp(1.0, std::clamp(-std::ilogb(greatest), -1000, 1000));
}

}  // namespace

Decomposition decompose(Matrix<const double> X, std::span<const double> weight) {
    const double scale = scale_of(X, weight);
    Triangle triangle(X.columns);
    triangle.add(X, weight, scale);
    const auto n = static_cast<size_t>(X.columns);
    std::vector<double> squares(n);
    const double tolerance = EPS * std::sqrt(static_cast<double>(n));
    Poll poll;
    for (int64_t i = 0; i < MOST_SWEEPS && sweep(triangle, squares, tolerance); ++i) poll.check();
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return squares[a] > squares[b]; });
    Decomposition found;
    for (const int64_t i : order) {
        const double length = std::sqrt(squares[i]);
        found.values.push_back(length / scale);
        const std::span own(triangle.row(i), n);
        for (const double value : own) found.vectors.push_back(length > 0.0 ? value / length : 0.0);
    }
    return found;
}

}  // namespace retree::latent
