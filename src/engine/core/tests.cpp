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
    double least = INF;
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
    n_levels = vector_of<const int64_t>(&views[6], "n_levels", 1)[0];
    require(n_levels <= 8 * left_levels.columns, "The engine needs a bit for each level.");
    normals = matrix_of<const double>(&views[7], "normals");
    missing_branch = vector_of<const uint8_t>(&views[8], "missing_branch");
    require(missing_branch.empty() || std::ssize(missing_branch) == n_nodes(),
            "The engine needs a missing_branch of each node, or of none.");
    centres = Centres(views.subspan(9), n_nodes(), n_features());
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

// Raises unless `holds`, and names the node.
void require_at(int32_t node, bool holds, const char *message) {
    if (!holds)
        throw std::invalid_argument("Node " + std::to_string(node) + " of the tree " + message);
}

// Raises unless every node but the root is the child of one node, which comes before it.
void check_children(const Tests &tests) {
    const auto &pointer = tests.children_ptr;
    require(tests.n_nodes() <= INT32_MAX, "A tree can have 2147483647 nodes at most.");
    require(pointer.front() == 0 && std::is_sorted(pointer.begin(), pointer.end()) &&
                pointer.back() == static_cast<int64_t>(tests.children.size()) &&
                pointer.back() == tests.n_nodes() - 1,
            "The children_ptr of a tree must rise from 0 to the number of children, which is one "
            "less than that of nodes.");
    std::vector<bool> has_parent(tests.feature.size());
    for (int32_t node = 0; node < tests.n_nodes(); ++node)
        for (const int32_t child : tests.children_of(node)) {
            require_at(node, child > node && child < tests.n_nodes(),
                       "has a child that is not one of the later nodes.");
            require_at(node, !has_parent[child], "has a child that is the child of another, too.");
            has_parent[child] = true;
        }
}

void check_centres(const Tests &tests, int32_t node) {
    const Centres &centres = tests.centres;
    require_at(node, !centres.gamma.empty(), "asks for the nearest centre, but there are none.");
    const int64_t n = centres.n_centres[node], first = centres.first[node];
    require_at(node, n == static_cast<int64_t>(tests.children_of(node).size()),
               "has another number of children than of centres.");
    require_at(node, first >= 0 && first + n <= centres.position.rows,
               "has centres without a position.");
}

void check_test(const Tests &tests, int32_t node) {
    const int32_t j = tests.feature[node];
    const size_t n_children = tests.children_of(node).size();
    require_at(node, (j == LEAF) == (n_children == 0),
               "must have a feature and children, or be a leaf (feature -1) without any.");
    require_at(node, tests.n_outcomes(node) >= 0,
               "has a branch for missing values, but is a leaf.");
    if (j == LEAF) return;
    require_at(node, j >= CENTRES && j < tests.n_features(), "tests a feature that is not there.");
    if (j == CENTRES && !tests.has_missing_branch(node)) return check_centres(tests, node);
    const bool has_levels = j >= 0 && std::isnan(tests.threshold[node]);
    require_at(node, tests.subset[node] < tests.left_levels.rows,
               "tests a subset of levels that is not there.");
    require_at(node, j >= 0 || !tests.has_missing_branch(node),
               "has a branch for missing values, but tests more than one feature.");
    require_at(node, tests.n_outcomes(node) == 2 || (has_levels && tests.subset[node] < 0),
               "must have two children, one for each side of its test.");
    require_at(node, j >= 0 || tests.normals.rows == tests.n_nodes(),
               "tests a combination of features, but the tree has no normals.");
}

void check_slots(const Centres &centres) {
    if (centres.gamma.empty()) return;
    bool fits = centres.start.back() <= centres.position.columns;
    for (size_t j = 0; j < centres.nominal.size(); ++j)
        fits &= centres.start[j] >= 0 && centres.start[j] <= centres.start[j + 1] &&
                (centres.nominal[j] != 0 || centres.start[j] < centres.start[j + 1]);
    require(fits, "The start of the centres does not fit their positions.");
}

}  // namespace

void Tests::check() const {
    check_slots(centres);
    check_children(*this);
    for (int32_t node = 0; node < n_nodes(); ++node) check_test(*this, node);
}

}  // namespace retree
