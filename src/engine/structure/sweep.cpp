#include "structure/sweep.hpp"

namespace retree::structure {
namespace {

double centroid_factor(double n, double left, double right) { return n / (left * right); }

// An upper bound of the distance of a class's centroids, from one of |A| and from the scatter.
double distance_bound(double norm, double factor, double scatter, bool squared) {
    const double distance = norm * factor;
    const double square = std::min(distance * distance, scatter * factor);
    return squared ? square : std::sqrt(square);
}

}  // namespace

Sweep::Sweep(const Columns &columns)
    : left(static_cast<size_t>(columns.n_classes)),
      last(left.size()),
      following(left.size()),
      reach(left.size()),
      ahead(left.size()),
      least_(columns.weight.least()) {}

void Sweep::reset() {
    std::ranges::fill(left, 0.0);
    std::ranges::fill(following, 0);
    std::ranges::fill(reach, 0.0);
    std::ranges::fill(ahead, INF);
    bin_bound = std::numeric_limits<double>::max();  // finite: a weight may be 0
}

void Sweep::stand_for_pair(const Geometry &geometry, int64_t j) {
    std::ranges::fill(reach, INF);
    std::ranges::fill(ahead, INF);
    for (int64_t c = 0; c < std::ssize(left); ++c) left[c] = geometry.ones(c, j);
}

double Sweep::margin_bound(const Geometry &geometry, bool squared) const {
    double bound = 0.0;
    int64_t shared = 0;
    for (size_t c = 0; c < left.size(); ++c) {
        const double n = geometry.counts[c], right = n - left[c];
        if (left[c] == 0.0 || right == 0.0) continue;
        ++shared;
        bound += distance_bound(std::min(reach[c], ahead[c]), centroid_factor(n, left[c], right),
                                geometry.scatter[c], squared);
    }
    return shared > 0 ? bound / static_cast<double>(shared) : 0.0;
}

void Sweep::bound_bin(const Geometry &geometry, std::span<const double> n_rows, bool squared) {
    bin_bound = 0.0;
    for (size_t c = 0; c < left.size(); ++c) {
        const double n = geometry.counts[c];
        const double least = std::max(left[c], least_);
        const double most = std::min(left[c] + n_rows[c], n - least_);
        if (least > most) continue;
        // The product of left and right is least at one of the ends, and of two numbers the less
        // is at most their mean.
        const double factor =
            std::max(centroid_factor(n, least, n - least), centroid_factor(n, most, n - most));
        const double norm = (reach[c] + ahead[c]) / 2;
        bin_bound = std::max(bin_bound, distance_bound(norm, factor, geometry.scatter[c], squared));
    }
}

double Sweep::margin(const Geometry &geometry, const double *sums, int64_t stride, bool squared) {
    double margin = 0.0;
    int64_t shared = 0;
    for (int64_t c = 0; c < std::ssize(left); ++c) {
        const double n = geometry.counts[c], right = n - left[c];
        if (left[c] == 0.0 || right == 0.0) continue;
        const double square =
            squared_norm(sums + c * stride, geometry.mean.row(c).data(), left[c], geometry.weight);
        reach[c] = std::sqrt(square);
        const double factor = centroid_factor(n, left[c], right);
        // |A| times the factor is the distance of the centroids.
        margin += (squared ? square * factor : reach[c]) * factor;
        ++shared;
    }
    return shared > 0 ? margin / static_cast<double>(shared) : 0.0;
}

}  // namespace retree::structure
