#include "core/tests.hpp"

namespace retree {

Centres::Centres(std::span<const retree_array> views, int64_t n_nodes, int64_t n_features) {
    if (views[1].shape[0] == 0) return;
    weight = matrix_of<const double>(&views[0], "weights of centres", n_nodes, n_features);
    gamma = vector_of<const double>(&views[1], "gamma of centres", n_nodes);
    metric = vector_of<const int8_t>(&views[2], "metrics of centres", n_nodes);
    first = vector_of<const int32_t>(&views[3], "first centres", n_nodes);
    n_centres = vector_of<const int32_t>(&views[4], "numbers of centres", n_nodes);
    position = matrix_of<const double>(&views[5], "positions of centres");
    start = vector_of<const int32_t>(&views[6], "slots of centres", n_features + 1);
    nominal = vector_of<const uint8_t>(&views[7], "nominal columns of centres", n_features);
    offset = vector_of<const double>(&views[8], "offsets of centres", n_features);
    scale = vector_of<const double>(&views[9], "scales of centres", n_features);
}

double Centres::distance_to(const double *row, int32_t node, int32_t centre) const {
    double in_numeric = 0.0, in_nominal = 0.0;
    const double *at = position.data + int64_t{centre} * position.columns;
    for (size_t j = 0; j < nominal.size(); ++j) {
        const double w = weight(node, static_cast<int64_t>(j));
        if (w == 0.0 || std::isnan(row[j])) continue;
        const int32_t slot = start[j];
        if (nominal[j] != 0) {
            in_nominal += w * (1.0 - at[slot + level_of(row[j], start[j + 1] - slot)]);
            continue;
        }
        const double difference = (row[j] - offset[j]) / scale[j] - at[slot];
        in_numeric +=
            w * (metric[node] == MANHATTAN ? std::abs(difference) : difference * difference);
    }
    return combine(in_numeric, in_nominal, gamma[node], metric[node]);
}

int32_t Centres::nearest(const double *row, int32_t node) const {
    bool is_known = false;
    for (size_t j = 0; j < nominal.size(); ++j)
        is_known |= weight(node, static_cast<int64_t>(j)) != 0.0 && !std::isnan(row[j]);
    if (!is_known) return MISSING;
    double least = std::numeric_limits<double>::infinity();
    int32_t nearest = 0;
    for (int32_t c = 0; c < n_centres[node]; ++c) {
        const double distance = distance_to(row, node, first[node] + c);
        if (distance < least) {
            least = distance;
            nearest = c;
        }
    }
    return nearest;
}

Tests::Tests(const retree_array *tests) {
    const auto views = vector_of<const retree_array>(tests, "the arrays of a tree", N_VIEWS);
    feature = vector_of<const int32_t>(&views[2], "feature");
    require(n_nodes() > 0, "The engine needs a tree of at least one node.");
    children_ptr = vector_of<const int32_t>(&views[0], "children_ptr", n_nodes() + 1);
    children = vector_of<const int32_t>(&views[1], "children");
    threshold = vector_of<const double>(&views[3], "threshold", n_nodes());
    subset = vector_of<const int32_t>(&views[4], "subset", n_nodes());
    left_levels = matrix_of<const uint8_t>(&views[5], "left_levels");
    normals = matrix_of<const double>(&views[6], "normals");
    centres = Centres(views.subspan(7), n_nodes(), n_features());
}

int32_t Tests::side_of(const double *row, int32_t node) const {
    const double *normal = normals.data + int64_t{node} * normals.columns;
    double total = 0.0;
    for (int64_t j = 0; j < normals.columns; ++j)
        // A missing value does not matter where its coefficient is zero.
        if (normal[j] != 0.0) total += normal[j] * row[j];
    if (std::isnan(total)) return MISSING;
    return total <= threshold[node] ? 0 : 1;
}

namespace {

bool is_walkable(const Tests &tests, int32_t node) {
    const auto children = tests.children_of(node);
    for (const int32_t child : children)
        if (child <= node || child >= tests.n_nodes()) return false;
    const int32_t j = tests.feature[node];
    if (j == LEAF) return children.empty();
    if (children.empty()) return false;
    const bool has_two = children.size() == 2;
    if (j >= 0) {
        if (j >= tests.n_features() || tests.subset[node] >= tests.left_levels.rows) return false;
        return (std::isnan(tests.threshold[node]) && tests.subset[node] < 0) || has_two;
    }
    if (j == OBLIQUE) return has_two && tests.normals.rows == tests.n_nodes();
    const Centres &centres = tests.centres;
    if (j != CENTRES || centres.gamma.empty()) return false;
    const int64_t n = centres.n_centres[node], first = centres.first[node];
    return n == static_cast<int64_t>(children.size()) && first >= 0 &&
           first + n <= centres.position.rows;
}

bool has_slots(const Centres &centres) {
    if (centres.gamma.empty()) return true;
    for (size_t j = 0; j < centres.nominal.size(); ++j)
        if (centres.start[j] < 0 || centres.start[j] > centres.start[j + 1] ||
            (centres.nominal[j] == 0 && centres.start[j] == centres.start[j + 1]))
            return false;
    return centres.start.back() <= centres.position.columns;
}

}  // namespace

void Tests::check() const {
    bool is_sound = children_ptr[0] == 0 && has_slots(centres);
    const auto n_edges = static_cast<int64_t>(children.size());
    for (int32_t node = 0; is_sound && node < n_nodes(); ++node)
        is_sound = children_ptr[node] <= children_ptr[node + 1] &&
                   children_ptr[node + 1] <= n_edges && is_walkable(*this, node);
    require(is_sound, "The arrays of the tree do not fit together.");
}

}  // namespace retree
