#include "forests/contribution.hpp"

#include "core/numbers.hpp"

namespace retree::forests {
namespace {

constexpr double SLACK = 1e-9;  // rounding must not prune

// Returns the place of the greatest value but that at `first`, the first of those that tie.
size_t runner_up(std::span<const double> values, size_t first) {
    double greatest = -INF;
    for (size_t k = 0; k < values.size(); ++k)
        if (k != first) greatest = std::max(greatest, values[k]);
    for (size_t k = 0; k < values.size(); ++k)
        if (k != first && values[k] > greatest - SHARE_TIE) return k;
    return first;
}

// Rows of a leaf that agree in class and rival: their contributions differ by a factor only.
struct Group {
    int32_t label, rival;
    double weight;  // sum of 1 / (M gap + 1) times the part of each row
};

class ContributionThinner {
public:
    ContributionThinner(const Thinning &state, const Rule &rule)
        : state_(state),
          rows_(state.rows),
          rule_(rule),
          decisions_(state.y.size()),
          own_(static_cast<size_t>(state.rows.n_nodes())),
          start_(own_.size() + 1),
          place_(static_cast<size_t>(state.n_classes() * state.n_classes())) {
        for (size_t row = 0; row < decisions_.size(); ++row) decide_again(row);
    }

    void thin_tree(int64_t tree) {
        const auto nodes = state_.nodes_in_use(tree);
        const auto n_trees = static_cast<double>(rows_.n_trees());
        group_rows(nodes, rule_.log_odds ? 1.0 / n_trees : state_.tree_weight[tree]);
        for (const int64_t v : nodes) own_[v] = node_contribution(v);
        for (auto v = nodes.rbegin(); v != nodes.rend(); ++v) judge(*v);
        for (const int64_t v : state_.nodes_in_use(tree)) {
            const int64_t begin = rows_.begin(v), end = rows_.end(v);
            if (state_.cut[v] == 0 || begin == end || state_.ends[begin] == v) continue;
            state_.make_leaf(v, state_.tree_weight[tree]);
            for (int64_t e = begin; e < end; ++e) decide_again(static_cast<size_t>(rows_.row[e]));
        }
    }

private:
    void decide_again(size_t row) {
        const auto shares = state_.shares.row(static_cast<int64_t>(row));
        if (!rule_.log_odds) {
            decisions_[row] = decide(shares, state_.y[row]);
            return;
        }
        odds_.assign(shares.begin(), shares.end());
        const double greatest = *std::max_element(odds_.begin(), odds_.end());
        double sum = 0.0;
        for (double &odds : odds_) {
            odds = exp_of(odds - greatest);
            sum += odds;
        }
        for (double &odds : odds_) odds /= sum;
        decisions_[row] = decide(odds_, state_.y[row]);
    }

    // Groups the rows of a tree that has as much to say as one of 1 / `say` trees; those of node v
    // and of all below it are from start_[v] to start_[stop[v]].
    void group_rows(std::span<const int64_t> nodes, double say) {
        groups_.clear();
        std::fill(place_.begin(), place_.end(), -1);
        for (const int64_t v : nodes) {
            start_[v] = static_cast<int64_t>(groups_.size());
            if (state_.cut[v] == 0 && !rows_.is_leaf(v)) continue;
            for (int64_t e = rows_.begin(v); e < rows_.end(v); ++e) {
                const auto row = static_cast<size_t>(rows_.row[e]);
                const Decision &decision = decisions_[row];
                group_of(state_.y[row], decision.rival, start_[v]).weight +=
                    rows_.part[e] * say / (decision.gap + say);
            }
        }
        start_[rows_.stop[nodes[0]]] = static_cast<int64_t>(groups_.size());
    }

    Group &group_of(int64_t label, int32_t rival, int64_t first) {
        int64_t &g = place_[label * state_.n_classes() + rival];
        if (g < first) {
            g = static_cast<int64_t>(groups_.size());
            groups_.push_back({static_cast<int32_t>(label), rival, 0.0});
        }
        return groups_[g];
    }

    // Returns Con(v, F), eq. (2).
    double node_contribution(int64_t v) const {
        const auto shares = state_.value.row(v);
        const size_t t = first_greatest(shares);
        double total = 0.0;
        for (int64_t g = start_[v]; g < start_[rows_.stop[v]]; ++g) {
            const Group &group = groups_[g];
            total += contribution(shares, t, static_cast<size_t>(group.label),
                                  static_cast<size_t>(group.rival), group.weight);
        }
        return total;
    }

    // Cuts a node of low gain, eq. (4); own_ becomes the contribution of the subtree, eq. (3).
    void judge(int64_t v) {
        if (state_.cut[v] != 0 || rows_.is_leaf(v)) return;
        const double least = rule_.delta + (rule_.inclusive ? SLACK : -SLACK);
        double below = 0.0;
        for (int64_t child = v + 1; child < rows_.stop[v]; child = rows_.stop[child])
            below += own_[child];
        const double gain = rule_.wrong_sign ? own_[v] - below : below - own_[v];
        state_.cut[v] = gain < least ? 1 : 0;
        if (rule_.keeps_sums || state_.cut[v] == 0) own_[v] = below;
    }

    const Thinning &state_;
    const ForestRows &rows_;
    Rule rule_;
    std::vector<Decision> decisions_;
    std::vector<double> own_, odds_;
    std::vector<int64_t> start_, place_;  // place_: last group of each label and rival
    std::vector<Group> groups_;
};

}  // namespace

Decision decide(std::span<const double> shares, int64_t label) {
    const size_t greatest = first_greatest(shares), own = static_cast<size_t>(label);
    const bool is_right = greatest == own;
    const size_t rival = is_right ? runner_up(shares, greatest) : greatest;
    // Of tied classes the first is not always the greatest.
    const double gap = shares[greatest] - shares[is_right ? rival : own];
    return {static_cast<int32_t>(rival), std::max(0.0, gap)};
}

void thin_by_contribution(const Thinning &state, const Rule &rule, Poll &poll) {
    ContributionThinner thinner(state, rule);
    for (int64_t tree = 0; tree < state.rows.n_trees(); ++tree) {
        poll.check();
        thinner.thin_tree(tree);
    }
}

}  // namespace retree::forests
