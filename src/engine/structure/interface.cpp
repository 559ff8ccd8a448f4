
#include "retree/structure.h"
#include "structure/grow.hpp"

using namespace retree;
using namespace retree::structure;

namespace {

void check_rule(const Rule &rule) {
    check_choice(rule.rank_by, RETREE_BY_HELLINGER);
    check_choice(rule.take, RETREE_TAKE_BLEND_RATIO);
    check_choice(rule.penalty, RETREE_PENALTY_NEAREST);
    require(rule.n_points() > 0, "The engine needs at least one point.");
    require(rule.n_lists() > 0, "The engine needs at least one omega2.");
    for (const int64_t k : rule.k) require(k >= 1, "The engine needs k of at least 1.");
    for (const int64_t i : rule.list_of)
        require(i >= 0 && i < rule.n_lists(), "The engine needs list_of within omega2.");
    require(rule.n_lists() == 1 || rule.rank_by == RETREE_BY_MARGIN,
            "The engine ranks in several lists by margin only.");
    require(std::isfinite(rule.omega1), "The engine needs a finite omega1.");
    for (const double omega2 : rule.omega2)
        require(std::isfinite(omega2), "The engine needs finite omega2.");
    require(std::min(rule.least_ranked, rule.least_taken) >= 0 && rule.min_samples_leaf >= 1,
            "The engine needs least numbers of rows.");
}

}  // namespace

int32_t retree_structure_grow(const retree_array *X, const retree_array *y,
                              const retree_array *weight, int64_t n_classes,
                              const retree_array *list_of, const retree_array *k,
                              const retree_array *alpha, const retree_array *omega2,
                              const retree_array *codes, const retree_structure_rule *asked,
                              retree_result *result) {
    return guarded([&] {
        const auto rows = matrix_of<const double>(X, "X");
        require(rows.rows > 0, "The engine needs at least one row.");
        const auto labels = codes_of<const int32_t>(y, rows.rows, n_classes);
        const auto points = vector_of<const int64_t>(k, "k");
        const Rule rule{
            rule_of(asked),
            vector_of<const int64_t>(list_of, "list_of", std::ssize(points)),
            points,
            vector_of<const double>(alpha, "alpha", std::ssize(points)),
            vector_of<const double>(omega2, "omega2"),
            matrix_of<const int8_t>(codes, "codes", n_classes),
        };
        check_rule(rule);
        Poll poll;
        const Columns columns(rows, labels, {weight, rows.rows}, n_classes, rule.needs_distances());
        Order order(columns, rows, poll);
        Records records = grow(columns, order, rule, poll);
        result->add(std::move(records.numbers), records.size, Records::HEADER);
        result->add(std::move(records.counts), records.size, n_classes);
        result->add(std::move(records.members), records.size, rule.n_points());
    });
}
