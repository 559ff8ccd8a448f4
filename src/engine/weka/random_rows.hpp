// The rows of the nodes of a RandomTree that is growing.
#pragma once

#include "core/weka_sort.hpp"
#include "weka/random_tree.hpp"
#include "weka/split.hpp"

namespace retree::weka {

// What trees of the same rows share.
struct SharedRows {
    SharedRows(const AllRows &its_rows, const RandomRule &its_rule, const Terms &its_terms);

    int64_t n_numeric() const { return all.entries.rows; }
    const int32_t *places_of(int64_t j) const { return place.data() + j * all.entries.columns; }
    const int32_t *cells_of(int64_t j) const { return cell.data() + j * all.columns.codes.columns; }

    const AllRows &all;
    const RandomRule &rule;
    const Terms &terms;
    std::vector<int64_t> column;  // of each feature, numeric ones first
    std::vector<int32_t> place;   // (n_numeric, n_samples) of a row's entry in each column
    // (n_nominal, n_samples) of a row in a table of level and class; empty unless sums are exact
    std::vector<int32_t> cell;
};

// Where sums are exact, rows that are drawn again have a whole weight, sorting may use any method,
// and a number stands for a row of X. Otherwise it stands for a place in a node, whose rows Weka
// sorts in place by one feature after the other.
class RandomRows {
public:
    // The level of a row, -1 where missing; its class; its weight.
    struct OfNumber {
        const RandomRows &rows;
        std::span<const int32_t> codes;

        int32_t code(int32_t i) const { return codes[rows.row_at(i)]; }
        int32_t label(int32_t i) const { return rows.view_.y[rows.row_at(i)]; }
        double weight(int32_t i) const { return rows.view_.weight[i]; }
    };

    // Rows that are drawn, of which a node is to be taken.
    RandomRows(const SharedRows &shared, std::span<const int32_t> drawn);

    bool is_exact() const { return shared_.rule.is_exact != 0; }
    const WeightedColumns &view() const { return view_; }
    // Of X, in the node, in Weka's order.
    std::span<const int32_t> rows() const { return rows_; }
    // What stands for them.
    std::span<const int32_t> numbers() const {
        return std::span(is_exact() ? rows_ : numbers_).first(rows_.size());
    }
    // The columns with the weights of the rows drawn.
    WeightedColumns of_drawn();

    // Takes the last n rows that were put aside.
    void take(size_t n);
    // Returns the entries of the node in the order of numeric column j.
    std::span<const uint64_t> sorted(int64_t j);
    // The place in the column of such an entry, where sums are exact.
    int32_t place_of(int64_t i) const { return places_[static_cast<size_t>(i)]; }
    // Counts the rows of each branch of a test. Where sums are exact, those of a numeric test go
    // right from `first_right` on, a place in its column.
    std::span<const size_t> count_branches(const Split &split, int32_t first_right);
    // Puts the rows of each branch aside that is to be taken, those of the first one last.
    void put_aside(const Split &split, std::span<const uint8_t> is_leaf);

private:
    int32_t row_at(int32_t i) const { return is_exact() ? i : view_.origin[i]; }
    void sort_places();
    void sort_in_place(int64_t j);
    void see();
    template <class BranchOf>
    void assign(const Split &split, const BranchOf &branch_of);

    const SharedRows &shared_;
    const AllRows &all_;
    std::vector<double> weight_;  // of each row of X
    std::vector<int32_t> rows_;
    std::vector<double> weights_;  // of each, unless sums are exact
    // The same of other nodes, one after the other.
    std::vector<int32_t> aside_;
    std::vector<double> aside_weights_;
    WeightedColumns view_;  // the rows of the node
    std::vector<uint64_t> entries_, words_;
    std::vector<int32_t> places_;
    std::vector<int32_t> branches_;      // of the rows, -1 where missing
    std::vector<size_t> n_rows_, next_;  // of each branch
    std::vector<Keyed> keyed_;
    std::vector<int32_t> numbers_;  // 0, 1, ...
    std::vector<int32_t> sorted_rows_;
    std::vector<double> sorted_weights_;
};

}  // namespace retree::weka
