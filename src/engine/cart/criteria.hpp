// CART's criteria (Breiman et al. 1984): each is a struct, and an entry of the list at the end.
//
// A criterion has a name, which is that in Python, and a gain: how much better the two sides of a
// split are than the rows together, in a unit that does not depend on their weight. Where the sums
// of a gain can be kept up to date from one sorted entry to the next, it has a `Side` of its own.
#pragma once

#include "cart/node.hpp"
#include "core/criteria.hpp"
#include "core/partition.hpp"

namespace retree::cart {

// x * log2(x), looked up where all weights are whole numbers.
class XLog2X {
public:
    // The table has x * log2(x) of 0, 1, ...; it is empty where a weight is not whole.
    explicit XLog2X(std::vector<double> table) : table_(std::move(table)) {}

    bool is_table() const { return !table_.empty(); }
    const double *table() const { return table_.data(); }

    double operator()(double x) const {
        if (!table_.empty()) return table_[static_cast<size_t>(x)];
        return x > 0.0 ? x * log2_of(x) : 0.0;
    }

    double sum(double a, double b) const {
        if (!table_.empty()) return table_[static_cast<size_t>(a)] + table_[static_cast<size_t>(b)];
        const auto both = both_xlog2x(a, b, std::numeric_limits<double>::denorm_min());
        return both[0] + both[1];
    }

private:
    std::vector<double> table_;
};

// What a pass over sorted entries looks at; `left` is memory for the sums of a side.
template <class Weight>
struct Pass {
    const Known &known;
    Weight weight;
    Packing packing;
    std::span<const double> target;
    std::span<double> left;
    const XLog2X &xlog2x;
};

// The class weights on the left of a cut that moves up sorted entries, one entry at a time.
template <class Weight>
class ClassSide {
public:
    explicit ClassSide(const Pass<Weight> &pass)
        : known_(pass.known), weight_(pass.weight), packing_(pass.packing), left_(pass.left) {
        std::fill(left_.begin(), left_.end(), 0.0);
    }

    double weight() const { return w_left_; }

protected:
    // Moves an entry to the left; returns its class and its weight.
    std::pair<int32_t, double> move(uint64_t entry) {
        const int32_t c = packing_.label(entry);
        const double w = weight_[row_of(entry)];
        left_[c] += w;
        w_left_ += w;
        return {c, w};
    }

    const Known &known_;
    Weight weight_;
    Packing packing_;
    std::span<double> left_;
    double w_left_ = 0.0;
};

// A side of which each gain is computed from all class weights.
template <class Criterion, class Weight>
class PlainSide : public ClassSide<Weight> {
public:
    explicit PlainSide(const Pass<Weight> &pass) : ClassSide<Weight>(pass), xlog2x_(pass.xlog2x) {}

    void add(uint64_t entry) { this->move(entry); }
    double gain() const {
        return Criterion::gain(this->left_, this->w_left_, this->known_, xlog2x_);
    }

private:
    const XLog2X &xlog2x_;
};

// What a criterion of classes has unless it says otherwise.
struct OfClasses {
    static constexpr bool is_regression = false;
    static constexpr bool takes_logs = false;  // of weights, by `XLog2X`
};

// The decrease of the Gini index, from the sums of squared class weights.
struct Gini : OfClasses {
    static constexpr const char *name = "gini";

    static double gain(std::span<const double> left, double w_left, const Known &known,
                       const XLog2X &) {
        const auto [inner, outer] = squares_of(left, known.sums);
        double squares = 0.0;
        for (const double sum : known.sums) squares += sum * sum;
        return decrease(inner, w_left, outer, known.weight - w_left, squares);
    }

    static double decrease(double squares_left, double w_left, double squares_right, double w_right,
                           double squares) {
        const double weight = w_left + w_right;
        return Purity(squares_left, w_left, squares_right, w_right).value() -
               squares / (weight * weight);
    }

    template <class Weight>
    class Side : public ClassSide<Weight> {
    public:
        explicit Side(const Pass<Weight> &pass) : ClassSide<Weight>(pass) {
            for (const double sum : pass.known.sums) squares_ += sum * sum;
        }

        void add(uint64_t entry) {
            const double before = this->left_[this->packing_.label(entry)];
            const auto [c, w] = this->move(entry);
            squares_left_ += w * (2.0 * before + w);
            cross_ += w * this->known_.sums[c];
        }

        double gain() const {
            const double w_left = this->w_left_,
                         squares_right = squares_ - 2.0 * cross_ + squares_left_;
            return decrease(squares_left_, w_left, squares_right, this->known_.weight - w_left,
                            squares_);
        }

    private:
        double squares_ = 0.0, squares_left_ = 0.0;
        double cross_ = 0.0;  // of left weights with the node's
    };
};

// The decrease of the entropy, in bits.
struct Entropy : OfClasses {
    static constexpr const char *name = "entropy";
    static constexpr bool takes_logs = true;

    static double gain(std::span<const double> left, double w_left, const Known &known,
                       const XLog2X &xlog2x) {
        double gain = xlog2x(known.weight) - xlog2x(w_left) - xlog2x(known.weight - w_left);
        for (size_t c = 0; c < left.size(); ++c) {
            const double inside = xlog2x.sum(left[c], known.sums[c] - left[c]);
            gain += inside - xlog2x(known.sums[c]);
        }
        return gain / known.weight;
    }

    template <class Weight>
    class Side : public ClassSide<Weight> {
    public:
        explicit Side(const Pass<Weight> &pass) : ClassSide<Weight>(pass), xlog2x_(pass.xlog2x) {
            for (const double sum : pass.known.sums) inside_.push_back(xlog2x_(sum));
            terms_ = sum_of(inside_);
            offset_ = xlog2x_(pass.known.weight) - terms_;
        }

        void add(uint64_t entry) {
            const int32_t c = this->move(entry).first;
            const double now = xlog2x_.sum(this->left_[c], this->known_.sums[c] - this->left_[c]);
            terms_ += now - inside_[c];
            inside_[c] = now;
        }

        double gain() const {
            const double weight = this->known_.weight, w_left = this->w_left_;
            return (offset_ + terms_ - xlog2x_.sum(w_left, weight - w_left)) / weight;
        }

    private:
        const XLog2X &xlog2x_;
        std::vector<double> inside_;  // of each class, x * log2(x) of its weights on both sides
        double terms_ = 0.0, offset_ = 0.0;
    };
};

// p_L * p_R / 4 times the squared sum over the classes of abs(p(c, L) - p(c, R)).
struct Twoing : OfClasses {
    static constexpr const char *name = "twoing";

    static double gain(std::span<const double> left, double w_left, const Known &known,
                       const XLog2X &) {
        const double weight = known.weight;
        const double difference = twoing_difference(left, w_left, known.sums, weight);
        return difference * difference / (4.0 * weight * weight * w_left * (weight - w_left));
    }
};

// The decrease of the mean squared error, from weights and sums of centred targets.
struct SquaredError {
    static constexpr const char *name = "squared_error";
    static constexpr bool is_regression = true;
    static constexpr bool takes_logs = false;

    static double gain(std::span<const double> left, double w_left, const Known &known,
                       const XLog2X &) {
        return decrease(left[1], w_left, known.sums[1] / known.sums[0], known.weight);
    }

    static double decrease(double sum_left, double w_left, double mean, double weight) {
        const double deviation = sum_left - w_left * mean;
        return deviation * deviation / (w_left * (weight - w_left));
    }

    template <class Weight>
    class Side {
    public:
        explicit Side(const Pass<Weight> &pass)
            : known_(pass.known),
              weight_(pass.weight),
              target_(pass.target),
              mean_(known_.sums[1] / known_.sums[0]) {}

        void add(uint64_t entry) {
            const double w = weight_[row_of(entry)];
            sum_left_ += w * (target_[row_of(entry)] - known_.centre);
            w_left_ += w;
        }

        double weight() const { return w_left_; }
        double gain() const { return decrease(sum_left_, w_left_, mean_, known_.weight); }

    private:
        const Known &known_;
        Weight weight_;
        std::span<const double> target_;
        double mean_, sum_left_ = 0.0, w_left_ = 0.0;
    };
};

// All criteria, by their numbers from 0 on; new ones are added at the end.
using Criteria = std::tuple<Gini, Entropy, Twoing, SquaredError>;

constexpr int64_t N_CRITERIA = std::tuple_size_v<Criteria>;

// Returns what `action` returns of the criterion of a number, as an object.
template <int64_t K = 0, class Action>
auto with_criterion(int64_t number, Action &&action) {
    if constexpr (K + 1 < N_CRITERIA)
        if (number != K) return with_criterion<K + 1>(number, std::forward<Action>(action));
    return action(std::tuple_element_t<K, Criteria>());
}

// The gain of the split whose left child has the sums `left`, and that child's weight.
struct Gain {
    double gain;
    double w_left;
};

inline Gain gain_of(std::span<const double> left, const Known &known, int64_t criterion,
                    const XLog2X &xlog2x) {
    return with_criterion(criterion, [&]<class Criterion>(Criterion) -> Gain {
        const double w_left = Criterion::is_regression ? left[0] : sum_of(left);
        return {Criterion::gain(left, w_left, known, xlog2x), w_left};
    });
}

}  // namespace retree::cart
