#include "cmdt/grow.hpp"

#include <algorithm>
#include <numeric>

namespace retree::cmdt {
namespace {

class Grower {
public:
    Grower(const Data &data, const Rule &rule)
        : data_(data), rule_(rule), index_(data.y.size()), buffer_(data.y.size()) {
        std::iota(index_.begin(), index_.end(), 0);
    }

    Records grow() {
        stack_.push_back({-1, 0, static_cast<int64_t>(index_.size())});
        while (!stack_.empty()) {
            poll_.check();
            const Item item = stack_.back();
            stack_.pop_back();
            grow_node(item);
        }
        return std::move(records_);
    }

private:
    struct Item {
        int64_t parent, start, end;
    };

    void grow_node(const Item &item) {
        const std::span<int32_t> rows(index_.data() + item.start,
                                      static_cast<size_t>(item.end - item.start));
        const int64_t node = records_.n_nodes();
        if (!add_node(item.parent, rows)) return;
        const Split split = split_node(rows);
        if (split.positions.n == 0) return;
        record(node, split);
        const auto sizes = divide(rows, split);
        int64_t end = item.end;
        for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
            stack_.push_back({node, end - *size, end});
            end -= *size;
        }
    }

    // Adds a leaf; returns whether it may be split.
    bool add_node(int64_t parent, std::span<const int32_t> rows) {
        std::vector<double> counts(static_cast<size_t>(data_.n_classes));
        for (const int32_t row : rows) counts[data_.y[row]] += 1.0;
        const auto n_rows = static_cast<int64_t>(rows.size());
        const auto most = static_cast<int64_t>(*std::max_element(counts.begin(), counts.end()));
        for (const int64_t number : {parent, n_centres_, int64_t{0}, int64_t{0}})
            records_.numbers.push_back(number);
        records_.gamma.push_back(0.0);
        records_.weight.resize(records_.weight.size() + data_.columns.nominal.size());
        records_.counts.insert(records_.counts.end(), counts.begin(), counts.end());
        return n_rows >= rule_.min_parent && most != n_rows;
    }

    Split split_node(std::span<const int32_t> index) {
        const int64_t p = data_.rows.columns;
        std::vector<double> values(index.size() * static_cast<size_t>(p));
        std::vector<int32_t> codes(index.size());
        std::vector<int64_t> priority(index.size()), class_start;
        for (size_t i = 0; i < index.size(); ++i) {
            if (i == 0 || data_.y[index[i]] != data_.y[index[i - 1]])
                class_start.push_back(static_cast<int64_t>(i));
            codes[i] = static_cast<int32_t>(class_start.size()) - 1;
            priority[i] = data_.priority[index[i]];
            std::copy_n(data_.rows.row(index[i]).data(), p,
                        values.data() + static_cast<int64_t>(i) * p);
        }
        class_start.push_back(static_cast<int64_t>(index.size()));
        const Matrix<const double> rows{values.data(), static_cast<int64_t>(index.size()), p};
        return find_split({rows, codes, class_start, priority}, data_.columns, rule_, poll_);
    }

    void record(int64_t node, const Split &split) {
        int64_t *numbers = records_.numbers.data() + node * Records::N_NUMBERS;
        numbers[2] = split.positions.n;
        numbers[3] = split.metric;
        records_.gamma[node] = split.gamma;
        std::copy(split.weight.begin(), split.weight.end(),
                  records_.weight.end() - static_cast<int64_t>(split.weight.size()));
        const auto &positions = split.positions.values;
        records_.positions.insert(records_.positions.end(), positions.begin(), positions.end());
        n_centres_ += split.positions.n;
    }

    // Stably puts the rows in the order of their clusters; returns the size of each.
    std::vector<int64_t> divide(std::span<int32_t> rows, const Split &split) {
        std::vector<int64_t> sizes(static_cast<size_t>(split.positions.n)), place(sizes.size());
        for (const int32_t label : split.labels) ++sizes[label];
        std::exclusive_scan(sizes.begin(), sizes.end(), place.begin(), int64_t{0});
        for (size_t i = 0; i < rows.size(); ++i) buffer_[place[split.labels[i]]++] = rows[i];
        std::copy_n(buffer_.begin(), rows.size(), rows.begin());
        return sizes;
    }

    const Data &data_;
    const Rule &rule_;
    std::vector<int32_t> index_, buffer_;
    std::vector<Item> stack_;
    Records records_;
    int64_t n_centres_ = 0;
    Poll poll_;
};

}  // namespace

Records grow(const Data &data, const Rule &rule) { return Grower(data, rule).grow(); }

}  // namespace retree::cmdt
