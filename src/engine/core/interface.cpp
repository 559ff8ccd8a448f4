// The parts of the C interface that every family uses.
#include <chrono>

#include "core/interface.hpp"

namespace {

thread_local std::string last_error;

struct Raised {
    void *type = nullptr;
    void *value = nullptr;
    void *traceback = nullptr;
};

thread_local Raised raised;

struct Python {
    int (*ensure)() = nullptr;
    void (*release)(int) = nullptr;
    int (*check)() = nullptr;
    void (*fetch)(void **, void **, void **) = nullptr;
};

Python python;

std::string shape_text(const retree_array &array) {
    std::string text = "(";
    for (int32_t d = 0; d < std::min(array.ndim, 3); ++d)
        text += (d > 0 ? ", " : "") + std::to_string(array.shape[d]);
    return text + (array.ndim > 3 ? ", ...)" : ")");
}

}  // namespace

namespace retree {

void remember_error(const char *message) noexcept {
    try {
        last_error = message;
    } catch (...) {
        last_error.clear();
    }
}

namespace {

constexpr int64_t POLL_INTERVAL = 50'000'000;

int64_t nanoseconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// Whether the caller was asked to stop, such as by Ctrl-C.
bool stop_requested() {
    if (python.check == nullptr) return false;
    const int state = python.ensure();
    const bool stop = python.check() != 0;
    if (stop) python.fetch(&raised.type, &raised.value, &raised.traceback);
    python.release(state);
    return stop;
}

}  // namespace

Poll::Poll() : next_(nanoseconds() + POLL_INTERVAL) {}

void Poll::check() {
    const int64_t now = nanoseconds();
    if (now < next_) return;
    next_ = now + POLL_INTERVAL;
    if (stop_requested()) throw Interrupted();
}

void check_array(const retree_array *array, const char *name, int32_t type,
                 std::initializer_list<int64_t> shape) {
    // The sentence is built only where it is needed, since a call may check dozens of arrays.
    const auto refuse = [name](const std::string &what) {
        throw std::invalid_argument(std::string("The engine needs ") + name + what);
    };
    if (array == nullptr) refuse(", got none.");
    if (array->type != type) refuse(" of another number type.");
    if (array->ndim != static_cast<int32_t>(shape.size()))
        refuse(" of " + std::to_string(shape.size()) + " dimensions, got shape " +
               shape_text(*array) + ".");
    int32_t d = 0;
    for (const int64_t wanted : shape) {
        if (wanted != ANY && array->shape[d] != wanted)
            refuse(" with " + std::to_string(wanted) + " along axis " + std::to_string(d) +
                   ", got shape " + shape_text(*array) + ".");
        ++d;
    }
}

}  // namespace retree

int32_t retree_interface(void) { return RETREE_INTERFACE; }

const char *retree_last_error(void) { return last_error.c_str(); }

void retree_set_python(void *ensure, void *release, void *check, void *fetch) {
    python.ensure = reinterpret_cast<int (*)()>(ensure);
    python.release = reinterpret_cast<void (*)(int)>(release);
    python.check = reinterpret_cast<int (*)()>(check);
    python.fetch = reinterpret_cast<void (*)(void **, void **, void **)>(fetch);
}

void retree_take_raised(void **type, void **value, void **traceback) {
    *type = raised.type;
    *value = raised.value;
    *traceback = raised.traceback;
    raised = {};
}

retree_result *retree_result_new(void) { return new (std::nothrow) retree_result(); }

void retree_result_free(retree_result *result) { delete result; }

const retree_array *retree_result_views(const retree_result *result) { return &result->all; }
