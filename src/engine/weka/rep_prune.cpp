#include "weka/rep_prune.hpp"

namespace retree::weka {
namespace {

class Pruner {
public:
    Pruner(Records &records, const WeightedColumns &all);

    void insert(int32_t row);
    void cut();
    void add_counts();

private:
    struct Part {
        int32_t node;
        double weight;
    };

    std::span<const int32_t> children_of(int32_t node) const {
        const auto start = static_cast<size_t>(start_[node]);
        return std::span(children_).subspan(start, static_cast<size_t>(start_[node + 1]) - start);
    }
    int32_t majority(std::span<const double> counts);
    void descend(Part part, int32_t row);

    Records &records_;
    const WeightedColumns &all_;
    std::vector<int32_t> start_, children_;  // of each node
    std::vector<int32_t> predicted_;         // class of each node
    std::vector<double> counts_, errors_;    // of the rows that were held out
    std::vector<int32_t> nominal_;           // place of each feature among them, or -1
    std::vector<double> shares_;
    std::vector<Part> parts_;
};

Pruner::Pruner(Records &records, const WeightedColumns &all)
    : records_(records),
      all_(all),
      start_(records.parent.size() + 2),
      children_(records.parent.size()),
      counts_(records.counts.size()),
      errors_(records.parent.size()),
      nominal_(static_cast<size_t>(all.X.columns), -1) {
    const auto n = static_cast<int32_t>(records.size());
    for (int32_t node = 1; node < n; ++node) ++start_[records.parent[node] + 2];
    std::inclusive_scan(start_.begin(), start_.end(), start_.begin());
    for (int32_t node = 1; node < n; ++node) children_[start_[records.parent[node] + 1]++] = node;
    for (size_t k = 0; k < all.nominal.size(); ++k)
        nominal_[static_cast<size_t>(all.nominal[k])] = static_cast<int32_t>(k);
    for (int32_t node = 0; node < n; ++node) {
        // A branch without rows predicts what its parent does.
        const bool is_empty = node > 0 && records.sent[node] <= 0.0;
        predicted_.push_back(is_empty ? predicted_[records.parent[node]]
                                      : majority(records.all_counts().row(node)));
    }
}

// Returns the class of greatest share, the first where shares tie.
int32_t Pruner::majority(std::span<const double> counts) {
    shares_.assign(counts.begin(), counts.end());
    const double weight = sum_of(counts);
    for (double &share : shares_) share /= weight;
    return static_cast<int32_t>(std::ranges::max_element(shares_) - shares_.begin());
}

void Pruner::insert(int32_t row) {
    parts_.push_back({0, all_.weight[row]});
    while (!parts_.empty()) {
        const Part part = parts_.back();
        parts_.pop_back();
        counts_[part.node * records_.n_classes + all_.y[row]] += part.weight;
        if (predicted_[part.node] != all_.y[row]) errors_[part.node] += part.weight;
        if (records_.feature[part.node] != LEAF) descend(part, row);
    }
}

void Pruner::descend(Part part, int32_t row) {
    const int32_t feature = records_.feature[part.node], place = nominal_[feature];
    const double value = all_.X(row, feature);
    const auto children = children_of(part.node);
    const bool is_missing = place < 0 ? std::isnan(value) : all_.codes(place, row) < 0;
    if (!is_missing) {
        const bool goes_right = !(value < records_.threshold[part.node]);
        const auto branch = static_cast<size_t>(place < 0 ? goes_right : all_.codes(place, row));
        return parts_.push_back({children[branch], part.weight});
    }
    for (const int32_t child : children) {
        const double share = records_.sent[child] / records_.known[part.node];
        if (share > 0.0) parts_.push_back({child, part.weight * share});
    }
}

// Works out the errors from the leaves on: children come after their parents.
void Pruner::cut() {
    for (auto node = static_cast<int32_t>(records_.size()) - 1; node >= 0; --node) {
        if (records_.feature[node] == LEAF) continue;
        double below = 0.0;
        for (const int32_t child : children_of(node)) below += errors_[child];
        if (below >= errors_[node])
            records_.feature[node] = LEAF;
        else
            errors_[node] = below;
    }
}

void Pruner::add_counts() {
    std::ranges::transform(records_.counts, counts_, records_.counts.begin(), std::plus());
}

}  // namespace

void prune(Records &records, const WeightedColumns &all, std::span<const int32_t> rows) {
    Pruner pruner(records, all);
    for (const int32_t row : rows) pruner.insert(row);
    pruner.cut();
    pruner.add_counts();
}

void drop_cut_nodes(Records &records) {
    const auto n_classes = static_cast<size_t>(records.n_classes);
    std::vector<int32_t> number(records.parent.size(), -1);
    int32_t n_kept = 0;
    for (size_t node = 0; node < number.size(); ++node) {
        const int32_t parent = records.parent[node];
        const int32_t above = parent < 0 ? -1 : number[parent];
        if (parent >= 0 && (above < 0 || records.feature[above] == LEAF)) continue;
        const auto place = static_cast<size_t>(n_kept);
        number[node] = n_kept++;
        const bool is_leaf = records.feature[node] == LEAF;
        records.parent[place] = above;
        records.feature[place] = records.feature[node];
        records.threshold[place] =
            is_leaf ? std::numeric_limits<double>::quiet_NaN() : records.threshold[node];
        records.sent[place] = records.sent[node];
        records.known[place] = is_leaf ? 0.0 : records.known[node];
        std::copy_n(records.counts.begin() + static_cast<std::ptrdiff_t>(node * n_classes),
                    n_classes,
                    records.counts.begin() + static_cast<std::ptrdiff_t>(place * n_classes));
    }
    const auto n = static_cast<size_t>(n_kept);
    records.parent.resize(n);
    records.feature.resize(n);
    records.threshold.resize(n);
    records.sent.resize(n);
    records.known.resize(n);
    records.counts.resize(n * n_classes);
}

}  // namespace retree::weka
