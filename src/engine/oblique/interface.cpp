// The C interface of OC1 and CART-LC.
#include "oblique/arguments.hpp"
#include "oblique/grow.hpp"
#include "oblique/original_grow.hpp"

using namespace retree;
using namespace retree::oblique;

namespace {

void add_nodes(Nodes nodes, int64_t n_classes, int64_t n_features, retree_result *result) {
    const int64_t n_nodes = nodes.size();
    const auto n_oblique = std::ranges::count(nodes.feature, OBLIQUE);
    result->add(std::move(nodes.parent));
    result->add(std::move(nodes.feature));
    result->add(std::move(nodes.threshold));
    result->add(std::move(nodes.counts), n_nodes, n_classes);
    result->add(std::move(nodes.normals), n_oblique, n_features);
}

// Grows a tree by what the rules of OC1 and CART-LC share, and a search.
template <class Asked>
void grow_tree(const retree_array *X, const retree_array *y, const retree_array *weight,
               int64_t n_classes, const Asked &asked, const Search &search, uint64_t seed,
               retree_result *result) {
    const Rule rule{criterion_of(asked.criterion),
                    choice_of(asked.scaling, Scaling::BY_QUARTILES),
                    asked.min_rows_per_feature,
                    asked.min_samples_split,
                    asked.max_depth,
                    search};
    Poll poll;
    Data data = data_of(X, y, weight, n_classes, poll);
    add_nodes(grow(data, rule, seed, poll), n_classes, data.X.columns, result);
}

}  // namespace

int32_t retree_grow_oc1(const retree_array *X, const retree_array *y, const retree_array *weight,
                        int64_t n_classes, const retree_oc1_rule *rule, uint64_t seed,
                        retree_result *result) {
    return guarded([&] {
        const auto &asked = rule_of(rule);
        const auto climbing = climbing_of(asked.order, asked.n_restarts, asked.max_jumps,
                                          asked.stagnation_probability);
        grow_tree(X, y, weight, n_classes, asked, oc1(climbing), seed, result);
    });
}

int32_t retree_grow_cart_lc(const retree_array *X, const retree_array *y,
                            const retree_array *weight, int64_t n_classes,
                            const retree_cart_lc_rule *rule, retree_result *result) {
    return guarded([&] {
        const auto &asked = rule_of(rule);
        const Cycling cycling{asked.max_cycles, asked.elimination};
        grow_tree(X, y, weight, n_classes, asked, cart_lc(cycling), 0, result);
    });
}

int32_t retree_grow_original(const retree_array *X, const retree_array *y, int64_t n_classes,
                             const retree_original_rule *rule, uint64_t state,
                             retree_result *result) {
    return guarded([&] {
        Poll poll;
        const auto rows = matrix_of<const double>(X, "X");
        const auto codes = codes_of<const int32_t>(y, rows.rows, n_classes);
        require(rows.rows > 0 && rows.columns > 0, "The engine needs a row and a column.");
        add_nodes(grow_original(rows, codes, n_classes, rule_of(rule), state, poll), n_classes,
                  rows.columns, result);
    });
}
