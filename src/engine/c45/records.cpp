#include "c45/records.hpp"

namespace retree::c45 {
namespace {

// The tests of records as pruning asks for them.
struct OwnTests {
    OwnTests(const Records &records, const WeightedColumns &columns);

    std::vector<int32_t> children_ptr, children, subset;
    std::vector<uint8_t> left_levels;
    Tests view;
};

OwnTests::OwnTests(const Records &records, const WeightedColumns &columns)
    : children_ptr(records.parent.size() + 1),
      children(records.parent.size() - 1),
      subset(records.parent.size(), -1) {
    const std::span parents(records.parent);
    for (const int32_t parent : parents.subspan(1)) ++children_ptr[parent + 1];
    std::partial_sum(children_ptr.begin(), children_ptr.end(), children_ptr.begin());
    std::vector<int32_t> next(children_ptr);
    const int64_t n_bytes = (columns.most_levels() + 7) / 8;
    int32_t n_subsets = 0;
    for (int32_t node = 0; node < std::ssize(parents); ++node) {
        if (node > 0) children[next[parents[node]]++] = node;
        const int32_t level = records.level[node];
        if (level < 0) continue;
        left_levels.resize(left_levels.size() + static_cast<size_t>(n_bytes));
        left_levels[n_subsets * n_bytes + level / 8] = static_cast<uint8_t>(1 << (level % 8));
        subset[node] = n_subsets++;
    }
    view.children_ptr = children_ptr;
    view.children = children;
    view.feature = records.feature;
    view.threshold = records.threshold;
    view.subset = subset;
    view.left_levels = {left_levels.data(), n_subsets, n_bytes};
    view.n_levels = columns.most_levels();
    view.normals = {nullptr, 0, columns.X.columns};
}

}  // namespace

void Records::copy(const Records &other, int64_t i, int64_t parent_number) {
    NodeRecords::copy(other, i, parent_number);
    const auto n_classes = std::ssize(other.counts) / other.size();
    const auto own = other.counts.begin() + i * n_classes;
    counts.insert(counts.end(), own, own + n_classes);
    n_rows.push_back(other.n_rows[i]);
    level.push_back(other.level[i]);
    weight.insert(weight.end(), {other.weight[2 * i], other.weight[2 * i + 1]});
    const auto gap = std::ranges::lower_bound(other.gaps, i, {}, &Gap::node);
    if (gap == other.gaps.end() || gap->node != i) return;
    gaps.push_back(*gap);
    gaps.back().node = static_cast<int32_t>(size() - 1);
}

void Records::empty_if_light(int64_t leaf) {
    const auto own = counts_of(leaf);
    if (sum_of(own) >= TOLERANCE) return;
    std::fill(own.begin(), own.end(), 0.0);
    weight[2 * leaf] = 0.0;
}

Records pruned(const Records &grown, const WeightedColumns &columns, const Sample &sample,
               bool is_complete, const retree_c45_rule &rule) {
    const OwnTests tests(grown, columns);
    Draft draft(tests.view, {grown.counts.data(), grown.size(), columns.n_classes},
                {grown.weight.data(), is_complete ? 0 : grown.size(), 2});
    if (rule.collapses != 0) draft.collapse();
    ErrorBased how{
        rule.confidence, rule.subtree_raising != 0, {}, columns.rows, grown.n_rows, is_complete,
        rule.n_threads};
    if (!is_complete && rule.by_gain == 0) how.sorted = columns.numeric;
    Pruned left = prune_error_based(sample, draft, how);
    Records kept;
    std::vector<int32_t> number(grown.parent.size());  // of the node that has its test now
    for (size_t i = 0; i < left.kept.size(); ++i) {
        const int32_t node = left.kept[i], test = left.test[i];
        kept.add_leaf(i == 0 ? -1 : number[grown.parent[node]]);
        kept.level.push_back(-1);
        if (test < 0) continue;
        number[test] = static_cast<int32_t>(i);
        kept.feature.back() = grown.feature[test];
        kept.threshold.back() = grown.threshold[test];
        kept.level.back() = grown.level[test];
    }
    kept.counts = std::move(left.counts);
    kept.weight = std::move(left.weights);
    return kept;
}

}  // namespace retree::c45
