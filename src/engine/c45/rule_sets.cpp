// Which rules of a class take the fewest bits, with the rows that they get wrong (Quinlan 1995).
#include "core/elementary.hpp"
#include "core/numbers.hpp"
#include "core/sums.hpp"
#include "retree/c45_rules.h"

namespace retree::c45 {
namespace {

constexpr double RULES_COUNT = 0.5;  // the part of the bits of rules that counts: they overlap
constexpr double IMPOSSIBLE = 1e6;   // bits of an error where none is expected
constexpr double CERTAIN = 1e-6, TIE = 1e-9;

double log2_or_zero(double x) { return x > 0 ? log2_of(x) : 0.0; }

// The bits of the places of `errors` among `n` rows, coded for `expected` of them.
double bits_of_places(double n, double errors, double expected) {
    if (expected <= CERTAIN) return errors == 0 ? 0.0 : IMPOSSIBLE;
    if (expected >= n - CERTAIN) return errors == n ? 0.0 : IMPOSSIBLE;
    const double rate = expected / (n > 0 ? n : 1.0);
    return -errors * log2_or_zero(rate) - (n - errors) * log2_or_zero(1 - rate);
}

// Rows that the same rules cover.
struct Groups {
    Matrix<const uint8_t> covers;
    std::span<const double> right, wrong;

    int64_t size() const { return covers.rows; }
    bool are_covered(int64_t group, int64_t rule) const {
        return ((covers(group, rule / 8) >> (7 - rule % 8)) & 1) != 0;
    }
};

// The sums over some groups of what is right and what is wrong.
struct Weights {
    double right = 0.0, wrong = 0.0;
};

class RuleSets {
public:
    // `total` and `of_class` are the weights of all rows and of those of the class.
    RuleSets(const Groups &groups, std::span<const double> bits, double total, double of_class)
        : groups_(groups),
          bits_(bits),
          total_(total),
          of_class_(of_class),
          bits_of_number_(log2_or_zero(total)),
          factorials_(bits.size() + 2),
          groups_of_(bits.size()),
          rules_of_(static_cast<size_t>(groups.size())),
          times_(rules_of_.size()),
          turned_(bits.size()),
          right_(rules_of_.size()),
          wrong_(rules_of_.size()),
          chosen_bits_(bits.size()) {
        for (size_t n = 2; n < factorials_.size(); ++n)
            factorials_[n] = factorials_[n - 1] + log2_of(static_cast<double>(n));
        for (int32_t g = 0; g < groups.size(); ++g)
            for (int32_t k = 0; k < std::ssize(bits); ++k)
                if (groups.are_covered(g, k)) {
                    groups_of_[k].push_back(g);
                    rules_of_[g].push_back(k);
                }
        const auto is_whole = [](double w) { return w == std::rint(w); };
        is_whole_ = std::ranges::all_of(groups.right, is_whole) &&
                    std::ranges::all_of(groups.wrong, is_whole) && total_ < 0x1p53;
    }

    // Adds or takes away one rule after another, that which saves most, until none saves bits.
    void climb(std::span<uint8_t> chosen);
    double cost(std::span<const uint8_t> chosen);

private:
    void count(std::span<const uint8_t> chosen);
    double cost_of(double bits, size_t n_chosen, Weights covered) const;
    void add_turned(std::span<const uint8_t> chosen, std::span<const int32_t> groups, double sign);
    Weights turned_by(int32_t rule, bool is_chosen, std::span<const int32_t> groups);
    bool is_turned(int32_t group, bool is_chosen) const {
        return times_[group] == (is_chosen ? 1 : 0);
    }
    Weights covered();
    double bits_of(std::span<const uint8_t> chosen);

    const Groups &groups_;
    std::span<const double> bits_;
    double total_, of_class_;
    double bits_of_number_;           // of errors
    std::vector<double> factorials_;  // log2(n!)
    bool is_whole_;                   // then sums are exact in any order, and zeros may be left out
    std::vector<std::vector<int32_t>> groups_of_, rules_of_;
    std::vector<int32_t> times_;   // how many of the chosen rules cover each group
    std::vector<Weights> turned_;  // what becomes covered, or ceases to be, with each rule
    std::vector<double> right_, wrong_, chosen_bits_;  // terms of sums
};

void RuleSets::count(std::span<const uint8_t> chosen) {
    std::ranges::fill(times_, 0);
    for (size_t k = 0; k < chosen.size(); ++k)
        if (chosen[k] != 0)
            for (const int32_t g : groups_of_[k]) ++times_[g];
}

double RuleSets::cost(std::span<const uint8_t> chosen) {
    count(chosen);
    const auto n_chosen = static_cast<size_t>(std::ranges::count_if(chosen, std::identity()));
    return cost_of(bits_of(chosen), n_chosen, covered());
}

Weights RuleSets::covered() {
    for (size_t g = 0; g < times_.size(); ++g) {
        right_[g] = times_[g] > 0 ? groups_.right[g] : 0.0;
        wrong_[g] = times_[g] > 0 ? groups_.wrong[g] : 0.0;
    }
    return {sum_by_halves(right_), sum_by_halves(wrong_)};
}

double RuleSets::bits_of(std::span<const uint8_t> chosen) {
    for (size_t k = 0; k < chosen.size(); ++k) chosen_bits_[k] = chosen[k] != 0 ? bits_[k] : 0.0;
    return sum_by_halves(chosen_bits_);
}

// The number of errors takes log2(total) bits. Of the rows that the rules cover and of the others,
// the larger group is coded as if half of the errors fell into it, the smaller one by its own share
// of errors.
double RuleSets::cost_of(double bits, size_t n_chosen, Weights covered) const {
    const double fires = covered.right + covered.wrong, missed = of_class_ - covered.right;
    const double half = (covered.wrong + missed) / 2;
    const bool is_larger = fires > total_ / 2;
    const double inside = bits_of_places(fires, covered.wrong, is_larger ? half : covered.wrong);
    const double outside = bits_of_places(total_ - fires, missed, is_larger ? missed : half);
    return RULES_COUNT * (bits - factorials_[n_chosen]) + (bits_of_number_ + inside + outside);
}

void RuleSets::climb(std::span<uint8_t> chosen) {
    count(chosen);
    std::ranges::fill(turned_, Weights());
    std::vector<int32_t> every(times_.size());
    std::iota(every.begin(), every.end(), 0);
    add_turned(chosen, every, 1.0);
    auto n_chosen = static_cast<size_t>(std::ranges::count_if(chosen, std::identity()));
    Weights now = covered();
    for (Poll poll;;) {
        poll.check();
        const double bits = bits_of(chosen), cost = cost_of(bits, n_chosen, now);
        double most = -INF;
        size_t best = 0;
        Weights next;
        for (size_t k = 0; k < chosen.size(); ++k) {
            const double sign = chosen[k] != 0 ? -1.0 : 1.0;
            const Weights then{now.right + sign * turned_[k].right,
                               now.wrong + sign * turned_[k].wrong};
            const size_t n = chosen[k] != 0 ? n_chosen - 1 : n_chosen + 1;
            const double saving = cost - cost_of(bits + sign * bits_[k], n, then);
            if (!(saving > most)) continue;
            most = saving;
            best = k;
            next = then;
        }
        if (most <= TIE) return;
        // Only the groups that the rule covers change.
        add_turned(chosen, groups_of_[best], -1.0);
        for (const int32_t g : groups_of_[best]) times_[g] += chosen[best] != 0 ? -1 : 1;
        n_chosen = chosen[best] != 0 ? n_chosen - 1 : n_chosen + 1;
        chosen[best] = chosen[best] == 0;
        add_turned(chosen, groups_of_[best], 1.0);
        now = is_whole_ ? next : covered();
    }
}

// Adds to what each rule turns its part in some groups, or takes it away.
void RuleSets::add_turned(std::span<const uint8_t> chosen, std::span<const int32_t> groups,
                          double sign) {
    if (is_whole_) {
        for (const int32_t g : groups) {
            if (times_[g] > 1) continue;
            for (const int32_t k : rules_of_[g]) {
                if (!is_turned(g, chosen[k] != 0)) continue;
                turned_[k].right += sign * groups_.right[g];
                turned_[k].wrong += sign * groups_.wrong[g];
            }
        }
        return;
    }
    for (int32_t k = 0; k < std::ssize(chosen); ++k) {
        const Weights part = turned_by(k, chosen[k] != 0, groups);
        turned_[k].right += sign * part.right;
        turned_[k].wrong += sign * part.wrong;
    }
}

Weights RuleSets::turned_by(int32_t rule, bool is_chosen, std::span<const int32_t> groups) {
    for (size_t i = 0; i < groups.size(); ++i) {
        const int32_t g = groups[i];
        const bool is_part = is_turned(g, is_chosen) && groups_.are_covered(g, rule);
        right_[i] = is_part ? groups_.right[g] : 0.0;
        wrong_[i] = is_part ? groups_.wrong[g] : 0.0;
    }
    return {sum_by_halves(std::span(right_).first(groups.size())),
            sum_by_halves(std::span(wrong_).first(groups.size()))};
}

}  // namespace
}  // namespace retree::c45

using namespace retree;

int32_t retree_rule_sets(const retree_array *covers, const retree_array *right,
                         const retree_array *wrong, const retree_array *bits, double total,
                         double of_class, int64_t climbs, retree_array *sets, retree_array *costs) {
    return guarded([&] {
        const auto covered = matrix_of<const uint8_t>(covers, "covers");
        const c45::Groups groups{covered, vector_of<const double>(right, "right", covered.rows),
                                 vector_of<const double>(wrong, "wrong", covered.rows)};
        const auto of_rules = vector_of<const double>(bits, "bits");
        const int64_t n_rules = std::ssize(of_rules);
        require(n_rules <= 8 * covered.columns, "The engine needs a bit for each rule.");
        require(n_rules <= INT32_MAX && covered.rows <= INT32_MAX,
                "The engine takes at most 2147483647 rules and groups.");
        const auto chosen = matrix_of<uint8_t>(sets, "sets", ANY, n_rules);
        const auto found = vector_of<double>(costs, "costs", chosen.rows);
        c45::RuleSets rules(groups, of_rules, total, of_class);
        for (int64_t s = 0; s < chosen.rows; ++s) {
            if (climbs != 0) rules.climb(chosen.row(s));
            found[s] = rules.cost(chosen.row(s));
        }
    });
}
