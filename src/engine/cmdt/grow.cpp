// Growing a CMDT tree: every node divides its rows over clusters.
#include "cmdt/split.hpp"
#include "retree/cmdt.h"

namespace retree::cmdt {
namespace {

// Training rows in the order of their classes, numeric columns on the scale of distances.
struct Data {
    Matrix<const double> rows;
    std::span<const int32_t> y;
    int64_t n_classes;
    Columns columns;
    std::span<const int64_t> priority;
};

// Nodes in depth-first order, and their centres one after the other.
struct Records {
    static constexpr int64_t N_NUMBERS = 4;

    std::vector<int64_t> numbers;  // of each node: parent, first centre, number of centres, metric
    std::vector<double> gamma, weight, counts, positions;

    int64_t n_nodes() const { return static_cast<int64_t>(gamma.size()); }
};

class Grower {
public:
    Grower(const Data &data, const Rule &rule)
        : data_(data), rule_(rule), index_(row_numbers(data.rows.rows)), buffer_(data.y.size()) {}

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
        std::vector<int32_t> codes(index.size());
        std::vector<int64_t> priority(index.size()), class_start;
        for (size_t i = 0; i < index.size(); ++i) {
            if (i == 0 || data_.y[index[i]] != data_.y[index[i - 1]])
                class_start.push_back(static_cast<int64_t>(i));
            codes[i] = static_cast<int32_t>(class_start.size()) - 1;
            priority[i] = data_.priority[index[i]];
        }
        class_start.push_back(static_cast<int64_t>(index.size()));
        const NodeRows node{{data_.rows, index}, codes, class_start, priority};
        return find_split(node, data_.columns, rule_, poll_);
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
}  // namespace retree::cmdt

using namespace retree;

namespace {

cmdt::Data data_of(const retree_array *rows, const retree_array *y, int64_t n_classes,
                   const cmdt::Columns &columns, const retree_array *priority) {
    const auto X = matrix_of<const double>(rows, "rows");
    const cmdt::Data data{X, vector_of<const int32_t>(y, "y", X.rows), n_classes, columns,
                          vector_of<const int64_t>(priority, "priority", X.rows)};
    require(X.rows > 0 && X.columns > 0, "The engine needs at least one row and one column.");
    require(std::is_sorted(data.y.begin(), data.y.end()) && data.y.front() >= 0 &&
                data.y.back() < n_classes,
            "The engine needs rows in the order of their classes.");
    Space space{};
    space.start = columns.start;
    space.nominal = columns.nominal;
    space.check(X);
    return data;
}

}  // namespace

int32_t retree_grow_cmdt(const retree_array *rows, const retree_array *y, int64_t n_classes,
                         const retree_array *start, const retree_array *nominal,
                         const retree_array *spread, const retree_array *priority, int64_t weights,
                         int64_t modes, int64_t metric, double gamma, double beta,
                         int64_t n_neighbors, int64_t n_samples, int64_t max_rounds,
                         int64_t min_parent, retree_result *result) {
    return guarded([&] {
        const auto is_nominal = vector_of<const uint8_t>(nominal, "nominal");
        const auto p = static_cast<int64_t>(is_nominal.size());
        const cmdt::Columns columns{vector_of<const int32_t>(start, "start", p + 1), is_nominal,
                                    vector_of<const double>(spread, "spread", p)};
        const auto data = data_of(rows, y, n_classes, columns, priority);
        require(n_neighbors > 0 && n_samples > 0 && min_parent > 1,
                "The engine needs neighbours and rows to split.");
        const cmdt::Rule rule{weights != 0, modes != 0, static_cast<int32_t>(metric),
                              gamma,        beta,       n_neighbors,
                              n_samples,    max_rounds, min_parent};
        auto grown = cmdt::Grower(data, rule).grow();
        const int64_t n = grown.n_nodes(), slots = columns.start.back();
        const auto n_centres =
            slots == 0 ? 0 : static_cast<int64_t>(grown.positions.size()) / slots;
        result->add(std::move(grown.numbers), n, cmdt::Records::N_NUMBERS);
        result->add(std::move(grown.gamma));
        result->add(std::move(grown.weight), n, p);
        result->add(std::move(grown.counts), n, n_classes);
        result->add(std::move(grown.positions), n_centres, slots);
    });
}
