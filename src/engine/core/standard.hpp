// What the engine uses of the standard library.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

constexpr double INF = std::numeric_limits<double>::infinity();

// For loops that are worth wider vector instructions: compiles a function for AVX2 too and takes at
// load what the machine has. The results are the same: nothing is contracted or reassociated.
// Sanitizers cannot run before the choice is made. The function must throw nothing and be
// `noexcept`: GCC 12 believes so of all that are chosen at load, and lets nothing past a caller.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RETREE_VECTOR __attribute__((target_clones("avx2", "default")))
#else
#define RETREE_VECTOR
#endif

// Asks for memory that a loop will need soon. Loops that jump from row to row in the order of a
// column would spend most of their time waiting for it, so they ask for what they need some rows
// before they need it.
constexpr size_t ROWS_AHEAD = 16;

inline void prefetch([[maybe_unused]] const void *address) {
#ifdef __GNUC__
    __builtin_prefetch(address);
#endif
}
