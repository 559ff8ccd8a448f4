// What the functions of the C interface share: checked views of the caller's arrays, results that
// are sized while a call runs, statuses for exceptions, and asking whether to stop.
#pragma once

#include "core/standard.hpp"
#include "retree.h"

namespace retree {

template <class T>
constexpr int32_t type_code() {
    using U = std::remove_const_t<T>;
    if constexpr (std::is_same_v<U, double>) return RETREE_FLOAT64;
    if constexpr (std::is_same_v<U, int32_t>) return RETREE_INT32;
    if constexpr (std::is_same_v<U, int64_t>) return RETREE_INT64;
    if constexpr (std::is_same_v<U, uint8_t>) return RETREE_UINT8;
    if constexpr (std::is_same_v<U, uint64_t>) return RETREE_UINT64;
    if constexpr (std::is_same_v<U, int8_t>) return RETREE_INT8;
    if constexpr (std::is_same_v<U, retree_array>) return RETREE_VIEWS;
}

// A matrix in row-major order that somebody else owns.
template <class T>
struct Matrix {
    T *data = nullptr;
    int64_t rows = 0;
    int64_t columns = 0;

    T &operator()(int64_t i, int64_t j) const { return data[i * columns + j]; }
    std::span<T> row(int64_t i) const { return {data + i * columns, static_cast<size_t>(columns)}; }
    operator Matrix<const T>() const { return {data, rows, columns}; }
};

constexpr int64_t ANY = -1;

void check_array(const retree_array *array, const char *name, int32_t type,
                 std::initializer_list<int64_t> shape);

// Returns a view of a vector; `size` is what it must have, ANY for whatever it has.
template <class T>
std::span<T> vector_of(const retree_array *array, const char *name, int64_t size = ANY) {
    check_array(array, name, type_code<T>(), {size});
    return {static_cast<T *>(array->data), static_cast<size_t>(array->shape[0])};
}

template <class T>
Matrix<T> matrix_of(const retree_array *array, const char *name, int64_t rows = ANY,
                    int64_t columns = ANY) {
    check_array(array, name, type_code<T>(), {rows, columns});
    return {static_cast<T *>(array->data), array->shape[0], array->shape[1]};
}

// Raises unless `holds`; the message ends up in a ValueError.
inline void require(bool holds, const char *message) {
    if (!holds) throw std::invalid_argument(message);
}

// Returns 0, 1, ..., n - 1.
inline std::vector<int32_t> row_numbers(int64_t n) {
    require(n <= INT32_MAX, "The engine takes at most 2147483647 rows.");
    std::vector<int32_t> numbers(static_cast<size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

inline void check_n_classes(int64_t n_classes) {
    require(0 < n_classes && n_classes <= INT32_MAX,
            "The engine needs n_classes from 1 to 2147483647.");
}

// Returns a view of class codes.
template <class T>
std::span<T> codes_of(const retree_array *array, int64_t size, int64_t n_classes) {
    check_n_classes(n_classes);
    const auto codes = vector_of<T>(array, "class codes", size);
    for (const int64_t code : codes)
        require(0 <= code && code < n_classes,
                "The engine needs class codes from 0 to n_classes - 1.");
    return codes;
}

// Refuses a number that is no choice, of which `last` is the greatest.
inline void check_choice(int64_t number, int64_t last) {
    require(0 <= number && number <= last, "The engine knows no choice of this number.");
}

template <class Choice>
Choice choice_of(int64_t number, Choice last) {
    check_choice(number, static_cast<int64_t>(last));
    return static_cast<Choice>(number);
}

// Returns the rule that a pointer of the caller leads to.
template <class Rule>
const Rule &rule_of(const Rule *rule) {
    require(rule != nullptr, "The engine needs a rule, got none.");
    return *rule;
}

struct Interrupted : std::exception {};

void remember_error(const char *message) noexcept;

// Runs `body` and returns the status of the call; nothing is thrown across the C interface.
template <class Body>
int32_t guarded(Body &&body) noexcept {
    try {
        body();
        return RETREE_OK;
    } catch (const Interrupted &) {
        return RETREE_INTERRUPTED;
    } catch (const std::bad_alloc &) {
        return RETREE_NO_MEMORY;
    } catch (const std::length_error &) {
        return RETREE_NO_MEMORY;
    } catch (const std::invalid_argument &error) {
        remember_error(error.what());
        return RETREE_INVALID;
    } catch (const std::exception &error) {
        remember_error(error.what());
        return RETREE_FAILED;
    } catch (...) {
        remember_error("The engine stopped for an unknown reason.");
        return RETREE_FAILED;
    }
}

// Called once for each node, or for each some thousand steps of a longer loop, it asks the caller
// every 50 ms.
class Poll {
public:
    Poll();
    // What a thread asks that is not the caller's: nobody, since the caller stops it.
    static Poll silent() { return Poll(std::numeric_limits<int64_t>::max()); }
    void check();

private:
    explicit Poll(int64_t next) : next_(next) {}

    int64_t next_;  // nanoseconds of a steady clock
};

}  // namespace retree

// Arrays that a call hands back.
struct retree_result {
    using Values = std::variant<std::vector<double>, std::vector<int32_t>, std::vector<int64_t>,
                                std::vector<uint8_t>>;

    std::vector<Values> blocks;
    std::vector<retree_array> views;
    retree_array all{nullptr, {0, 0, 0}, 1, RETREE_VIEWS};

    template <class T>
    void add(std::vector<T> values) {
        const auto size = static_cast<int64_t>(values.size());
        add(std::move(values), {{size, 0, 0}}, 1);
    }

    // Adds a matrix in row-major order with so many columns.
    template <class T>
    void add(std::vector<T> values, int64_t rows, int64_t columns) {
        add(std::move(values), {{rows, columns, 0}}, 2);
    }

private:
    template <class T>
    void add(std::vector<T> values, const std::array<int64_t, 3> &shape, int32_t ndim) {
        views.push_back(
            {values.data(), {shape[0], shape[1], shape[2]}, ndim, retree::type_code<T>()});
        blocks.emplace_back(std::move(values));  // which stay where they are
        all.data = views.data();
        all.shape[0] = static_cast<int64_t>(views.size());
    }
};
