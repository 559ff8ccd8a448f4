// Walking down finished trees, and up (retree/trees/tree.py).
#include "retree/traverse.h"

#include "core/descent.hpp"
#include "core/numbers.hpp"

namespace retree {
namespace {

constexpr int64_t POLL_STEPS = 4096;
constexpr int64_t MOST_COLUMNS = 64;  // of wider rows a tree reads too little to look at all

// Returns the leaf of a row, or the first node that is tested for a value which is missing.
int32_t walk(const Tests &tests, const double *row, int32_t node) {
    while (tests.feature[node] != LEAF) {
        const int32_t branch = tests.branch_at(row, node);
        if (branch == MISSING) break;
        node = tests.child(node, branch);
    }
    return node;
}

int32_t leaf_of(const Tests &tests, std::span<const double> weight, const double *row,
                int32_t node) {
    while (tests.feature[node] != LEAF) node = walk(tests, row, tests.heaviest_child(node, weight));
    return node;
}

// The values of the leaves that rows end in, or are divided over.
class Predictor {
public:
    // `divide_missing`: 0 if rows are not divided, NESTED if as in Weka's RandomTree.
    Predictor(const retree_array *tests, const retree_array *weight, const retree_array *sent,
              const retree_array *value, int64_t divide_missing)
        : tests_(tests),
          weight_(vector_of<const double>(weight, "weight", tests_.n_nodes())),
          sent_(vector_of<const double>(sent, "sent", tests_.n_nodes())),
          value_(matrix_of<const double>(value, "value", tests_.n_nodes())),
          divides_(divide_missing != 0),
          is_nested_(divide_missing == NESTED) {}

    const Tests &tests() const { return tests_; }
    int64_t n_values() const { return value_.columns; }
    Matrix<const double> rows_of(const retree_array *X) const {
        return matrix_of<const double>(X, "X", ANY, tests_.n_features());
    }

    // Returns the value of a row that comes as far as to `first`, a leaf or a test for a value that
    // is missing. Valid until the next call.
    std::span<const double> value_at(int32_t first, const double *row) {
        if (tests_.feature[first] == LEAF) return value_.row(first);
        if (!divides_) return value_.row(leaf_of(tests_, weight_, row, first));
        sums_.assign(static_cast<size_t>(n_values()), 0.0);
        visit(first, 1.0, row);
        while (!stack_.empty()) {
            // A row that is divided over a large tree takes as long as many others.
            if (++n_steps_ % POLL_STEPS == 0) poll_.check();
            Division &last = stack_.back();
            const auto children = tests_.children_of(last.node);
            if (last.next < std::ssize(children)) {
                const int32_t child = children[last.next++];
                if (weight_[child] > 0.0)
                    visit(child, last.part * (sent_[child] / weight_[last.node]), row);
                continue;
            }
            close(last.factor);
            stack_.pop_back();
        }
        return sums_;
    }

private:
    static constexpr int64_t NESTED = 2;

    // A part of a row at a test whose value it lacks, and the branch that is next.
    struct Division {
        int32_t node;
        double part, factor;  // of what is below, and of its sum in the end
        int64_t next;
    };

    void visit(int32_t node, double part, const double *row) {
        node = walk(tests_, row, node);
        // All that is below a node without weight has its value.
        while (tests_.feature[node] != LEAF && !(weight_[node] > 0.0))
            node = walk(tests_, row, tests_.child(node, 0));
        if (tests_.feature[node] != LEAF) return open(node, part);
        const auto own = value_.row(node);
        const auto sums = std::span(sums_).last(own.size());
        for (size_t k = 0; k < own.size(); ++k) sums[k] += part * own[k];
    }

    // The sums of a division stand behind those of the one above, to which J48 adds them as one.
    // RandomTree multiplies them then; J48 has multiplied each leaf by all parts on the way.
    void open(int32_t node, double part) {
        stack_.push_back({node, is_nested_ ? 1.0 : part, is_nested_ ? part : 1.0, 0});
        sums_.resize(sums_.size() + static_cast<size_t>(n_values()), 0.0);
    }

    void close(double factor) {
        const auto n = static_cast<size_t>(n_values());
        const auto both = std::span(sums_).last(2 * n);
        for (size_t k = 0; k < n; ++k) both[k] += factor * both[n + k];
        sums_.resize(sums_.size() - n);
    }

    Tests tests_;
    std::span<const double> weight_, sent_;
    Matrix<const double> value_;
    bool divides_, is_nested_;
    std::vector<double> sums_;  // (n_divisions, n_values)
    std::vector<Division> stack_;
    int64_t n_steps_ = 0;
    Poll poll_;
};

// Whether rows are so many that something may be worked out for each node first.
bool is_worth_a_pass(const Tests &tests, Matrix<const double> rows) {
    return rows.rows >= tests.n_nodes() && rows.columns > 0;
}

// Calls body(i, node) for each row with its leaf, or the first node that is tested for a value
// which is missing.
template <class Body>
void for_each_end(const Tests &tests, Matrix<const double> rows, Body &&body) {
    Poll poll;
    std::optional<Descent> descent;
    Descent::Block own;
    if (is_worth_a_pass(tests, rows)) descent.emplace(tests);
    for (int64_t start = 0; start < rows.rows; start += Descent::N_ROWS) {
        if (start % POLL_STEPS == 0) poll.check();
        const int64_t n = std::min(Descent::N_ROWS, rows.rows - start);
        const Matrix<const double> block{rows.row(start).data(), n, rows.columns};
        const bool known = rows.columns <= MOST_COLUMNS && are_known(block);
        if (descent) {
            const auto ends = descent->ends_of(block, known, own);
            for (int64_t i = 0; i < n; ++i) body(start + i, ends[i]);
        } else {
            for (int64_t i = start; i < start + n; ++i) body(i, walk(tests, rows.row(i).data(), 0));
        }
    }
}

template <class Body>
void for_each_row(int64_t n_rows, Body &&body) {
    Poll poll;
    for (int64_t i = 0; i < n_rows; ++i) {
        if (i % POLL_STEPS == 0) poll.check();
        body(i);
    }
}

std::span<const int32_t> parents_of(const retree_array *parents, int64_t n_nodes) {
    const auto values = vector_of<const int32_t>(parents, "parents", n_nodes);
    for (size_t node = 1; node < values.size(); ++node)
        require(values[node] >= 0 && values[node] < static_cast<int32_t>(node),
                "The engine needs parents that come before their children.");
    return values;
}

}  // namespace
}  // namespace retree

using namespace retree;

int32_t retree_check_tests(const retree_array *tests) {
    return guarded([&] { Tests(tests).check(); });
}

int32_t retree_apply_tests(const retree_array *X, const retree_array *tests,
                           const retree_array *weight, retree_array *leaves) {
    return guarded([&] {
        const Tests tree(tests);
        const auto rows = matrix_of<const double>(X, "X", ANY, tree.n_features());
        const auto weights = vector_of<const double>(weight, "weight", tree.n_nodes());
        const auto out = vector_of<int32_t>(leaves, "leaves", rows.rows);
        for_each_end(tree, rows, [&](int64_t i, int32_t node) {
            out[i] = leaf_of(tree, weights, rows.row(i).data(), node);
        });
    });
}

int32_t retree_add_values(const retree_array *X, const retree_array *tests,
                          const retree_array *weight, const retree_array *sent,
                          const retree_array *value, double factor, int64_t divide_missing,
                          retree_array *total) {
    return guarded([&] {
        Predictor predictor(tests, weight, sent, value, divide_missing);
        const auto rows = predictor.rows_of(X);
        const auto sums = matrix_of<double>(total, "total", rows.rows, predictor.n_values());
        for_each_end(predictor.tests(), rows, [&](int64_t i, int32_t node) {
            const auto own = predictor.value_at(node, rows.row(i).data());
            for (int64_t k = 0; k < sums.columns; ++k) sums(i, k) += factor * own[k];
        });
    });
}

int32_t retree_predict_codes(const retree_array *X, const retree_array *tests,
                             const retree_array *weight, const retree_array *sent,
                             const retree_array *value, int64_t divide_missing,
                             retree_array *codes) {
    return guarded([&] {
        Predictor predictor(tests, weight, sent, value, divide_missing);
        const auto rows = predictor.rows_of(X);
        const auto out = vector_of<int64_t>(codes, "codes", rows.rows);
        require(predictor.n_values() > 0, "The engine needs values of at least one class.");
        const auto code_of = [&](int32_t node, const double *row) {
            return static_cast<int64_t>(first_greatest(predictor.value_at(node, row)));
        };
        const Tests &tree = predictor.tests();
        constexpr int64_t UNKNOWN = -1;
        const size_t n_known = is_worth_a_pass(tree, rows) ? tree.feature.size() : 0;
        std::vector<int64_t> of_leaf(n_known, UNKNOWN);
        for (size_t node = 0; node < of_leaf.size(); ++node)
            if (tree.feature[node] == LEAF)
                of_leaf[node] = code_of(static_cast<int32_t>(node), nullptr);
        for_each_end(tree, rows, [&](int64_t i, int32_t node) {
            const int64_t code = of_leaf.empty() ? UNKNOWN : of_leaf[node];
            out[i] = code == UNKNOWN ? code_of(node, rows.row(i).data()) : code;
        });
    });
}

int32_t retree_majority(const retree_array *shares, retree_array *codes) {
    return guarded([&] {
        const auto rows = matrix_of<const double>(shares, "shares");
        const auto out = vector_of<int64_t>(codes, "codes", rows.rows);
        require(rows.columns > 0, "The engine needs the shares of at least one class.");
        for_each_row(rows.rows, [&](int64_t i) {
            out[i] = static_cast<int64_t>(first_greatest(rows.row(i)));
        });
    });
}

int32_t retree_link_children(const retree_array *parents, retree_array *children_ptr,
                             retree_array *children) {
    return guarded([&] {
        const auto all = vector_of<const int32_t>(parents, "parents");
        const auto n_trees = std::ranges::count(all, -1), n_nodes = std::ssize(all);
        int32_t *pointer =
            vector_of<int32_t>(children_ptr, "children_ptr", n_nodes + n_trees).data();
        int32_t *edges = vector_of<int32_t>(children, "children", n_nodes - n_trees).data();
        std::vector<int32_t> next;
        for (auto root = all.begin(); root != all.end();) {
            const auto end = std::find(root + 1, all.end(), -1);
            const auto n = static_cast<int32_t>(end - root);
            require(*root == -1, "The engine needs a root first, with the parent -1.");
            std::fill_n(pointer, n + 1, 0);
            for (int32_t node = 1; node < n; ++node) {
                require(0 <= root[node] && root[node] < node,
                        "The engine needs parents that come before their children.");
                ++pointer[root[node] + 1];
            }
            std::partial_sum(pointer, pointer + n + 1, pointer);
            next.assign(pointer, pointer + n);
            for (int32_t node = 1; node < n; ++node) edges[next[root[node]]++] = node;
            pointer += n + 1;
            edges += n - 1;
            root = end;
        }
    });
}

int32_t retree_node_depths(const retree_array *children_ptr, const retree_array *children,
                           retree_array *depths, retree_array *parents) {
    return guarded([&] {
        const auto depth = vector_of<int32_t>(depths, "depths");
        const auto n_nodes = static_cast<int64_t>(depth.size());
        const auto parent = vector_of<int32_t>(parents, "parents", n_nodes);
        const auto pointer = vector_of<const int32_t>(children_ptr, "children_ptr", n_nodes + 1);
        const auto edges = vector_of<const int32_t>(children, "children");
        std::fill(depth.begin(), depth.end(), 0);
        std::fill(parent.begin(), parent.end(), -1);
        require(pointer[0] == 0, "The engine needs a children_ptr that begins at 0.");
        for (int32_t node = 0; node < n_nodes; ++node) {
            require(pointer[node] <= pointer[node + 1] &&
                        pointer[node + 1] <= static_cast<int64_t>(edges.size()),
                    "The engine needs a rising children_ptr into children.");
            for (int32_t edge = pointer[node]; edge < pointer[node + 1]; ++edge) {
                const int32_t child = edges[edge];
                require(child > node && child < n_nodes,
                        "The engine needs children that come after their parent.");
                depth[child] = depth[node] + 1;
                parent[child] = node;
            }
        }
    });
}

int32_t retree_mark_below(const retree_array *is_cut, const retree_array *parents,
                          retree_array *below) {
    return guarded([&] {
        const auto cut = vector_of<const uint8_t>(is_cut, "is_cut");
        const auto n_nodes = static_cast<int64_t>(cut.size());
        const auto parent = parents_of(parents, n_nodes);
        const auto marked = vector_of<uint8_t>(below, "below", n_nodes);
        if (n_nodes > 0) marked[0] = 0;
        for (int64_t node = 1; node < n_nodes; ++node)
            marked[node] = marked[parent[node]] | cut[parent[node]];
    });
}

int32_t retree_inherit_empty(const retree_array *weight, const retree_array *parents,
                             retree_array *value) {
    return guarded([&] {
        const auto weights = vector_of<const double>(weight, "weight");
        const auto n_nodes = static_cast<int64_t>(weights.size());
        const auto parent = parents_of(parents, n_nodes);
        const auto values = matrix_of<double>(value, "value", n_nodes);
        for (int64_t node = 1; node < n_nodes; ++node)
            if (weights[node] <= 0.0)
                std::copy_n(values.row(parent[node]).data(), values.columns,
                            values.row(node).data());
    });
}

int32_t retree_mark_paths(const retree_array *leaves, const retree_array *parents,
                          const retree_array *pointer, retree_array *nodes) {
    return guarded([&] {
        const auto leaf = vector_of<const int32_t>(leaves, "leaves");
        const auto parent = parents_of(parents, ANY);
        const auto bounds =
            vector_of<const int64_t>(pointer, "pointer", static_cast<int64_t>(leaf.size()) + 1);
        const auto out = vector_of<int32_t>(nodes, "nodes", bounds.back());
        for_each_row(static_cast<int64_t>(leaf.size()), [&](int64_t i) {
            require(0 <= bounds[i] && bounds[i] <= bounds[i + 1] && bounds[i + 1] <= bounds.back(),
                    "The engine needs a rising pointer into nodes.");
            int32_t node = leaf[i];
            for (int64_t place = bounds[i + 1] - 1; place >= bounds[i]; --place) {
                require(node >= 0 && node < static_cast<int64_t>(parent.size()),
                        "The engine needs as many places as there are nodes on the path.");
                out[place] = node;
                node = parent[node];
            }
        });
    });
}
