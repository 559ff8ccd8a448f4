#include "forests/rows.hpp"

namespace retree::forests {

ForestRows::ForestRows(const retree_array *rows, int64_t n_samples) {
    const auto views = vector_of<const retree_array>(rows, "the rows of a forest", N_VIEWS);
    first = vector_of<const int64_t>(&views[0], "first");
    stop = vector_of<const int64_t>(&views[1], "stop");
    start = vector_of<const int64_t>(&views[2], "start", n_nodes() + 1);
    row = vector_of<const int32_t>(&views[3], "row");
    part = vector_of<const double>(&views[4], "part", n_entries());
    bool fits = n_trees() >= 0 && first.front() == 0 && first.back() == n_nodes() &&
                n_nodes() <= INT32_MAX && start.front() == 0 && start.back() == n_entries() &&
                std::is_sorted(start.begin(), start.end());
    for (int64_t tree = 0; fits && tree < n_trees(); ++tree) fits = first[tree] < first[tree + 1];
    for (int64_t tree = 0; fits && tree < n_trees(); ++tree)
        for (int64_t v = first[tree]; fits && v < first[tree + 1]; ++v)
            fits = stop[v] > v && stop[v] <= first[tree + 1];
    require(fits, "The rows and the nodes of the forest do not fit together.");
    for (const int32_t r : row)
        require(r >= 0 && r < n_samples, "The engine needs entries of rows that there are.");
}

void Thinning::make_leaf(int64_t node, double weight) const {
    const auto after = value.row(node);
    for (int64_t e = rows.begin(node); e < rows.end(node); ++e) {
        const double by = weight * rows.part[e];
        const auto before = value.row(ends[e]);
        double *share = shares.row(rows.row[e]).data();
        for (size_t k = 0; k < after.size(); ++k) share[k] += by * (after[k] - before[k]);
        ends[e] = static_cast<int32_t>(node);
    }
}

std::vector<int64_t> Thinning::nodes_in_use(int64_t tree) const {
    std::vector<int64_t> nodes;
    for (int64_t v = rows.first[tree]; v < rows.first[tree + 1];) {
        nodes.push_back(v);
        v = cut[v] != 0 ? rows.stop[v] : v + 1;
    }
    return nodes;
}

}  // namespace retree::forests
