// Conditions that do not make a rule more accurate (Quinlan 1993, chapter 5).
#include "pruning/errors.hpp"
#include "retree/c45_rules.h"

namespace retree::c45 {
namespace {

constexpr double NO_ERROR = 1e-6, ONE_ERROR = 0.9999;  // release 8 allows for rounding
constexpr double NEAR_ALL = 0.67;  // of the right rows, the part added where nearly all are wrong
constexpr int64_t WORD_BITS = 64;

// Upper limits of error rates as release 8 approximates them: that of a binomial share, by the
// normal approximation with continuity correction; exact for no error, and linear between none and
// one.
class Limits {
public:
    Limits(double confidence, double quantile, double error_of_none)
        : confidence_(confidence), z_(quantile), error_of_none_(error_of_none) {}

    double of(double errors, double total) {
        if (!(total > 0)) return error_of_none_;
        return (errors + added(errors, total)) / total;
    }

private:
    double added(double errors, double n) {
        if (errors >= ONE_ERROR) return added_to_some(errors, n);
        const double none = confidence_.errors_of(std::array{n, 0.0});
        if (errors < NO_ERROR) return none;
        return none + errors * (added_to_some(1.0, n) - none);
    }

    double added_to_some(double errors, double n) const {
        const double square = z_ * z_, more = errors + 0.5;
        if (more >= n) return NEAR_ALL * (n - errors);
        const double inside = std::max(square * (more * (1 - more / n) + square / 4), 0.0);
        return n * (more + square / 2 + std::sqrt(inside)) / (n + square) - errors;
    }

    Confidence confidence_;
    double z_, error_of_none_;
};

// A rule that loses its conditions one by one.
class RulePruner {
public:
    RulePruner(Matrix<const uint64_t> met, int64_t n_rows, std::span<const uint64_t> target,
               std::span<const double> weight, Limits &limits)
        : met_(met),
          n_rows_(n_rows),
          target_(target),
          weight_(weight),
          limits_(limits),
          kept_(static_cast<size_t>(met.rows)),
          total_(kept_.size() + 1),
          errors_(total_.size()),
          limit_(total_.size()) {
        std::iota(kept_.begin(), kept_.end(), 0);
    }

    // Returns whether conditions are left that rows meet.
    bool run() {
        for (; !kept_.empty(); drop_worst()) {
            count();
            if (!may_lose_one()) return total_[0] > 0;
        }
        return false;
    }

    std::span<const int64_t> kept() const { return kept_; }
    double limit() const { return limit_[0]; }

private:
    // Sums the rows that meet all conditions, at place 0, or all but the one at kept_[d], at d + 1.
    RETREE_VECTOR void count() noexcept {
        std::ranges::fill(total_, 0.0);
        std::ranges::fill(errors_, 0.0);
        for (int64_t w = 0; w < met_.columns; ++w) {
            const int64_t n_bits = std::min(n_rows_ - w * WORD_BITS, WORD_BITS);
            uint64_t all = ~uint64_t{0} >> (WORD_BITS - n_bits), but_one = 0;
            for (const int64_t c : kept_) {
                const uint64_t own = met_(c, w);
                but_one = (but_one & own) | (all & ~own);
                all &= own;
                if ((all | but_one) == 0) break;
            }
            add(all, w, 0);
            for (size_t d = 0; but_one != 0 && d < kept_.size(); ++d)
                add(but_one & ~met_(kept_[d], w), w, d + 1);
        }
        for (size_t d = 1; d <= kept_.size(); ++d) {
            total_[d] += total_[0];
            errors_[d] += errors_[0];
        }
        for (size_t d = 0; d <= kept_.size(); ++d) limit_[d] = limits_.of(errors_[d], total_[d]);
    }

    void add(uint64_t rows, int64_t w, size_t place) {
        if (weight_.empty()) {
            total_[place] += static_cast<double>(std::popcount(rows));
            errors_[place] += static_cast<double>(std::popcount(rows & ~target_[w]));
            return;
        }
        for (; rows != 0; rows &= rows - 1) {
            const int bit = std::countr_zero(rows);
            const double weight = weight_[w * WORD_BITS + bit];
            total_[place] += weight;
            if (((target_[w] >> bit) & 1) == 0) errors_[place] += weight;
        }
    }

    double rate(size_t place) const {
        return errors_[place] / (total_[place] > 0 ? total_[place] : 1.0);
    }

    bool may_lose_one() const {
        for (size_t d = 1; d <= kept_.size(); ++d)
            if (limit_[d] <= limit_[0] || rate(d) <= rate(0)) return true;
        return false;
    }

    // Drops the condition without which the limit is lowest, the last of tied ones.
    void drop_worst() {
        size_t worst = kept_.size();
        for (size_t d = worst; d-- > 1;)
            if (limit_[d] < limit_[worst]) worst = d;
        kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(worst) - 1);
    }

    Matrix<const uint64_t> met_;
    int64_t n_rows_;
    std::span<const uint64_t> target_;
    std::span<const double> weight_;
    Limits &limits_;
    std::vector<int64_t> kept_;
    std::vector<double> total_, errors_, limit_;
};

}  // namespace
}  // namespace retree::c45

using namespace retree;

int32_t retree_rule_conditions(const retree_array *met, int64_t n_rows, const retree_array *target,
                               const retree_array *weight, double confidence, double quantile,
                               double error_of_none, retree_array *kept, retree_array *error) {
    return guarded([&] {
        const auto conditions = matrix_of<const uint64_t>(met, "met");
        const auto of_class = vector_of<const uint64_t>(target, "target", conditions.columns);
        const auto weights = vector_of<const double>(weight, "weight");
        require(weights.empty() || std::ssize(weights) == n_rows,
                "The engine needs a weight of each row, or none.");
        require(n_rows > (conditions.columns - 1) * c45::WORD_BITS &&
                    n_rows <= conditions.columns * c45::WORD_BITS,
                "The engine needs a bit for each row.");
        const auto left = vector_of<uint8_t>(kept, "kept", conditions.rows);
        const auto limit = vector_of<double>(error, "error", 1);
        c45::Limits limits(confidence, quantile, error_of_none);
        c45::RulePruner rule(conditions, n_rows, of_class, weights, limits);
        std::ranges::fill(left, uint8_t{0});
        limit[0] = error_of_none;
        if (!rule.run()) return;
        for (const int64_t condition : rule.kept()) left[condition] = 1;
        limit[0] = rule.limit();
    });
}
