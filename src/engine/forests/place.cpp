// Sending the rows of a pruning set down the trees of a forest.
#include "forests/rows.hpp"

namespace retree::forests {
namespace {

// Nodes come depth first, so the entries of those that wait for their turn are a stack.
class Placer {
public:
    Placer(Matrix<const double> X, Matrix<const double> columns, const Tests &tests,
           std::span<const double> weight, bool has_missing, bool divide)
        : X_(X),
          columns_(columns),
          tests_(tests),
          weight_(weight),
          has_missing_(has_missing),
          divide_(divide),
          row_(row_numbers(X.rows)),
          part_(row_.size(), 1.0),
          size_{X.rows} {
        set_stop();
    }

    Placed place() {
        placed_.start.push_back(0);
        for (int32_t node = 0; node < tests_.n_nodes(); ++node) {
            poll_.check();
            const auto begin = static_cast<int64_t>(row_.size()) - size_.back();
            size_.pop_back();
            if (tests_.feature[node] == LEAF) {
                place_leaf(begin);
            } else {
                divide_node(node, begin);
            }
            placed_.start.push_back(static_cast<int64_t>(placed_.row.size()));
        }
        return std::move(placed_);
    }

private:
    void place_leaf(int64_t begin) {
        placed_.row.insert(placed_.row.end(), row_.begin() + begin, row_.end());
        placed_.part.insert(placed_.part.end(), part_.begin() + begin, part_.end());
        row_.resize(static_cast<size_t>(begin));
        part_.resize(row_.size());
    }

    void divide_node(int32_t node, int64_t begin) {
        const std::span<int32_t> own(row_.data() + begin, row_.size() - static_cast<size_t>(begin));
        const int32_t j = tests_.feature[node];
        if (j >= 0 && !has_missing_ && !std::isnan(tests_.threshold[node])) {
            const int64_t n_above = split_at(own, columns_.row(j).data(), tests_.threshold[node]);
            size_.push_back(n_above);
            size_.push_back(static_cast<int64_t>(own.size()) - n_above);
            return;
        }
        branch_.resize(own.size());
        for (size_t i = 0; i < own.size(); ++i)
            branch_[i] = j >= 0 ? tests_.branch_of(columns_(j, own[i]), node)
                                : tests_.branch_at(X_.row(own[i]).data(), node);
        share_out(node, begin);
    }

    // Moves the rows above the threshold before the others; returns how many there are.
    int64_t split_at(std::span<int32_t> rows, const double *values, double threshold) {
        buffer_.resize(rows.size());
        int32_t *above = rows.data(), *other = buffer_.data();
        for (const int32_t row : rows) {
            const bool is_above = values[row] > threshold;
            *above = row;
            *other = row;
            above += is_above ? 1 : 0;
            other += is_above ? 0 : 1;
        }
        std::copy(buffer_.data(), other, above);
        return above - rows.data();
    }

    // Puts the entries from `begin` on in the order of their branches, the last branch first; a row
    // without a branch goes to every one that has a share.
    void share_out(int32_t node, int64_t begin) {
        const auto share = missing_shares(node);
        const size_t n_branches = share.size(), last = n_branches - 1;
        std::vector<int64_t> sizes(n_branches), place(n_branches);
        for_each_part(share, [&](size_t, size_t b, double) { ++sizes[last - b]; });
        std::exclusive_scan(sizes.begin(), sizes.end(), place.begin(), begin);
        own_row_.assign(row_.begin() + begin, row_.end());
        own_part_.assign(part_.begin() + begin, part_.end());
        row_.resize(static_cast<size_t>(place.back() + sizes.back()));
        part_.resize(row_.size());
        for_each_part(share, [&](size_t i, size_t b, double part) {
            const int64_t at = place[last - b]++;
            row_[at] = own_row_[i];
            part_[at] = own_part_[i] * part;
        });
        size_.insert(size_.end(), sizes.begin(), sizes.end());
    }

    template <class Body>
    void for_each_part(std::span<const double> share, Body &&body) const {
        for (size_t i = 0; i < branch_.size(); ++i) {
            if (branch_[i] != MISSING) {
                body(i, static_cast<size_t>(branch_[i]), 1.0);
                continue;
            }
            for (size_t b = 0; b < share.size(); ++b)
                if (share[b] > 0.0) body(i, b, share[b]);
        }
    }

    // Returns the part of a row without the tested value that each branch gets.
    std::vector<double> missing_shares(int32_t node) const {
        const auto children = tests_.children_of(node);
        std::vector<double> share(children.size());
        if (!divide_ || !(weight_[node] > 0.0)) {
            const int32_t heaviest = tests_.heaviest_child(node, weight_);
            share[std::find(children.begin(), children.end(), heaviest) - children.begin()] = 1.0;
            return share;
        }
        for (size_t b = 0; b < children.size(); ++b)
            share[b] = weight_[children[b]] / weight_[node];
        return share;
    }

    // The last node below each, and 1 more.
    void set_stop() {
        placed_.stop.resize(static_cast<size_t>(tests_.n_nodes()));
        for (auto node = static_cast<int32_t>(tests_.n_nodes()) - 1; node >= 0; --node) {
            const auto children = tests_.children_of(node);
            int64_t next = node + 1;
            for (const int32_t child : children) {
                require(child == next, "The engine needs the nodes of a tree depth first.");
                next = placed_.stop[child];
            }
            placed_.stop[node] = next;
        }
    }

    Matrix<const double> X_, columns_;
    const Tests &tests_;
    std::span<const double> weight_;
    bool has_missing_, divide_;
    std::vector<int32_t> row_, own_row_, buffer_, branch_;
    std::vector<double> part_, own_part_;
    std::vector<int64_t> size_;  // entries of the nodes that wait, the next one last
    Placed placed_;
    Poll poll_;
};

}  // namespace

Placed place_rows(Matrix<const double> X, Matrix<const double> columns, const Tests &tests,
                  std::span<const double> weight, bool has_missing, bool divide) {
    return Placer(X, columns, tests, weight, has_missing, divide).place();
}

}  // namespace retree::forests
