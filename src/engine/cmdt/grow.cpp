// Growing a CMDT tree: every node divides its rows over clusters.
#include "cmdt/split.hpp"
#include "core/growing.hpp"

namespace retree::cmdt {
namespace {

// Training rows, numeric columns on the scale of distances. Growing moves the rows to the segments
// of nodes; within these they stand in the order of their classes.
struct Data {
    Matrix<double> values;  // (n_features, n_samples)
    std::span<int32_t> y;
    int64_t n_classes;
    Columns columns;
    std::span<int32_t> priority;
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
    Grower(const Data &data, const Rule &rule) : data_(data), rule_(rule) {}

    Records grow() {
        stack_.push_back({-1, 0, data_.values.columns});
        grow_depth_first(stack_, poll_, [this](const Item &item) { grow_node(item); });
        return std::move(records_);
    }

private:
    struct Item {
        int64_t parent, start, end;
    };

    void grow_node(const Item &item) {
        const int64_t node = records_.n_nodes();
        if (!add_node(item)) return;
        Split split = split_node(item);
        if (split.positions.n == 0) return;
        record(node, split);
        const auto sizes = divide(item, split.labels, split.positions.n);
        int64_t end = item.end;
        for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
            stack_.push_back({node, end - *size, end});
            end -= *size;
        }
    }

    // Adds a leaf; returns whether it may be split.
    bool add_node(const Item &item) {
        std::vector<double> counts(static_cast<size_t>(data_.n_classes));
        for (const int32_t c : segment(data_.y, item)) counts[c] += 1.0;
        const int64_t n_rows = item.end - item.start;
        const auto most = static_cast<int64_t>(std::ranges::max(counts));
        for (const int64_t number : {item.parent, n_centres_, int64_t{0}, int64_t{0}})
            records_.numbers.push_back(number);
        records_.gamma.push_back(0.0);
        records_.weight.resize(records_.weight.size() + data_.columns.nominal.size());
        records_.counts.insert(records_.counts.end(), counts.begin(), counts.end());
        return n_rows >= rule_.min_parent && most != n_rows;
    }

    Split split_node(const Item &item) {
        const auto y = segment(data_.y, item);
        std::vector<int32_t> codes(y.size());
        std::vector<int64_t> class_start;
        for (size_t i = 0; i < y.size(); ++i) {
            if (i == 0 || y[i] != y[i - 1]) class_start.push_back(static_cast<int64_t>(i));
            codes[i] = static_cast<int32_t>(class_start.size()) - 1;
        }
        class_start.push_back(std::ssize(y));
        const NodeRows node{{data_.values, item.start, item.end},
                            codes,
                            class_start,
                            segment(data_.priority, item)};
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

    // Stably puts the rows in the order of their clusters; returns the size of each. The labels
    // become the places.
    std::vector<int64_t> divide(const Item &item, std::span<int32_t> labels, int64_t n_clusters) {
        std::vector<int64_t> sizes(static_cast<size_t>(n_clusters)), next(sizes.size());
        for (const int32_t label : labels) ++sizes[label];
        std::exclusive_scan(sizes.begin(), sizes.end(), next.begin(), int64_t{0});
        for (int32_t &label : labels) label = static_cast<int32_t>(next[label]++);
        buffer_.resize(labels.size());
        for (int64_t j = 0; j < data_.values.rows; ++j)
            move(segment(data_.values.row(j), item), labels);
        move(segment(data_.y, item), labels);
        move(segment(data_.priority, item), labels);
        return sizes;
    }

    // Moves the values of a segment to their places; integers of 32 bits stand in doubles as well.
    template <class T>
    void move(std::span<T> values, std::span<const int32_t> places) {
        for (size_t i = 0; i < values.size(); ++i)
            buffer_[places[i]] = static_cast<double>(values[i]);
        for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(buffer_[i]);
    }

    template <class T>
    static std::span<T> segment(std::span<T> values, const Item &item) {
        return values.subspan(static_cast<size_t>(item.start),
                              static_cast<size_t>(item.end - item.start));
    }

    const Data &data_;
    const Rule &rule_;
    std::vector<double> buffer_;
    std::vector<Item> stack_;
    Records records_;
    int64_t n_centres_ = 0;
    Poll poll_;
};

}  // namespace
}  // namespace retree::cmdt

using namespace retree;

namespace {

cmdt::Data data_of(const retree_array *values, const retree_array *y, int64_t n_classes,
                   const cmdt::Columns &columns, const retree_array *priority) {
    const auto X = matrix_of<double>(values, "columns");
    const cmdt::Data data{X, vector_of<int32_t>(y, "y", X.columns), n_classes, columns,
                          vector_of<int32_t>(priority, "priority", X.columns)};
    require(X.rows > 0 && X.columns > 0 && X.columns <= INT32_MAX,
            "The engine needs at least one row and one column, and at most 2147483647 rows.");
    require(std::ranges::is_sorted(data.y) && data.y.front() >= 0 && data.y.back() < n_classes,
            "The engine needs rows in the order of their classes.");
    Space space{};
    space.start = columns.start;
    space.nominal = columns.nominal;
    space.check({X, 0, X.columns});
    return data;
}

}  // namespace

int32_t retree_grow_cmdt(retree_array *values, retree_array *y, int64_t n_classes,
                         const retree_array *start, const retree_array *nominal,
                         const retree_array *spread, retree_array *priority,
                         const retree_cmdt_rule *asked, retree_result *result) {
    return guarded([&] {
        const auto is_nominal = vector_of<const uint8_t>(nominal, "nominal");
        const auto p = static_cast<int64_t>(is_nominal.size());
        const cmdt::Columns columns{vector_of<const int32_t>(start, "start", p + 1), is_nominal,
                                    vector_of<const double>(spread, "spread", p)};
        const auto data = data_of(values, y, n_classes, columns, priority);
        const cmdt::Rule rule = rule_of(asked);
        require(rule.n_neighbors > 0 && rule.n_samples > 0 && rule.min_parent > 1,
                "The engine needs neighbours and rows to split.");
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
