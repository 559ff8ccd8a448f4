// From C++ exceptions to statuses, and asking whether to stop.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>

#include "retree.h"

namespace retree {

struct Interrupted : std::exception {};

void remember_error(const char *message) noexcept;

// Whether the caller was asked to stop, such as by Ctrl-C.
bool stop_requested();

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
    }
}

// Called once for each node, or for each some thousand steps of a longer loop, it asks the caller
// every 50 ms.
class Poll {
public:
    void check() {
        const auto now = Clock::now();
        if (now < next_) return;
        next_ = now + INTERVAL;
        if (stop_requested()) throw Interrupted();
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds INTERVAL{50};
    Clock::time_point next_ = Clock::now() + INTERVAL;
};

}  // namespace retree
