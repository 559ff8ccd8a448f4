// Repeat the calls of the engine that record.py wrote, on whatever processor this is built for, and
// compare, bit by bit, what comes out: replay calls.bin. What the file has is told in record.py.
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "retree.h"

namespace {

constexpr std::array<size_t, 6> ITEM_SIZES = {8, 4, 8, 1, 8, 1};  // by type

// A number, an array, or a bundle of arrays.
struct Value {
    int64_t type;
    int64_t ndim;
    std::array<int64_t, 3> shape;
    std::vector<char> bytes;
    std::vector<Value> parts;
    std::vector<retree_array> views;  // of the parts

    size_t size() const {
        int64_t size = 1;
        for (int64_t d = 0; d < ndim; ++d) size *= shape[static_cast<size_t>(d)];
        return static_cast<size_t>(size);
    }

    size_t item_size() const { return ITEM_SIZES.at(static_cast<size_t>(type)); }

    bool operator==(const Value &other) const {
        return std::tie(type, ndim, shape, bytes, parts) ==
               std::tie(other.type, other.ndim, other.shape, other.bytes, other.parts);
    }

    retree_array view() {
        views.clear();
        for (auto &part : parts) views.push_back(part.view());
        void *data = type == RETREE_VIEWS ? static_cast<void *>(views.data()) : bytes.data();
        return {data,
                {shape[0], shape[1], shape[2]},
                static_cast<int32_t>(ndim),
                static_cast<int32_t>(type)};
    }
};

using Values = std::vector<Value>;

void read(std::istream &file, char *bytes, size_t size) {
    if (!file.read(bytes, static_cast<std::streamsize>(size)))
        throw std::runtime_error("The file ends within a call.");
}

template <class T>
T read_number(std::istream &file) {
    T number;
    read(file, reinterpret_cast<char *>(&number), sizeof number);
    return number;
}

Value read_value(std::istream &file) {
    Value value{};
    value.type = read_number<int64_t>(file);
    value.ndim = read_number<int64_t>(file);
    value.shape = read_number<std::array<int64_t, 3>>(file);
    if (value.type == RETREE_VIEWS) {
        for (size_t left = value.size(); left > 0; --left) value.parts.push_back(read_value(file));
        return value;
    }
    value.bytes.resize(value.size() * value.item_size());
    read(file, value.bytes.data(), value.bytes.size());
    return value;
}

Values read_values(std::istream &file) {
    Values values;
    for (auto left = read_number<int64_t>(file); left > 0; --left)
        values.push_back(read_value(file));
    return values;
}

// The arguments of a call in the types that its function declares.
class Arguments {
public:
    Arguments(Values &values, retree_result *result) : values_(values), result_(result) {
        for (auto &value : values) views_.push_back(value.view());
    }

    template <class T>
    T at(size_t position) {
        if constexpr (std::is_same_v<T, retree_result *>) {
            return result_;
        } else if constexpr (std::is_convertible_v<retree_array *, T>) {
            return &views_.at(position);
        } else if constexpr (std::is_pointer_v<T>) {
            return reinterpret_cast<T>(views_.at(position).data);
        } else {
            T number;
            std::memcpy(&number, values_.at(position).bytes.data(), sizeof number);
            return number;
        }
    }

private:
    Values &values_;
    retree_result *result_;
    std::vector<retree_array> views_;
};

template <auto FUNCTION, class... Types, size_t... POSITIONS>
int32_t call_at(int32_t (*)(Types...), Arguments &arguments, std::index_sequence<POSITIONS...>) {
    return FUNCTION(arguments.at<Types>(POSITIONS)...);
}

template <auto FUNCTION, class... Types>
int32_t call_as(int32_t (*declared)(Types...), Arguments &arguments) {
    return call_at<FUNCTION>(declared, arguments, std::index_sequence_for<Types...>());
}

using Call = int32_t (*)(Arguments &);

const std::map<std::string, Call> CALLS = {
#define CALL(name) {#name, [](Arguments &arguments) { return call_as<name>(&name, arguments); }},
#include "calls.inc"
#undef CALL
};

Values results_of(retree_result *result) {
    Values values;
    const retree_array *all = retree_result_views(result);
    for (int64_t i = 0; i < all->shape[0]; ++i) {
        const retree_array &view = static_cast<const retree_array *>(all->data)[i];
        Value value{view.type, view.ndim, {view.shape[0], view.shape[1], view.shape[2]},
                    {},        {},        {}};
        const auto *first = static_cast<const char *>(view.data);
        value.bytes.assign(first, first + value.size() * value.item_size());
        values.push_back(std::move(value));
    }
    return values;
}

// Whether the next call of the file comes out as recorded.
bool repeat(std::istream &file, const std::string &name) {
    Values arguments = read_values(file);
    retree_result *result = retree_result_new();
    Arguments given(arguments, result);
    const int32_t status = CALLS.at(name)(given);
    const Values results = results_of(result);
    retree_result_free(result);
    const bool same_status = status == read_number<int64_t>(file);
    const bool same_arguments = arguments == read_values(file);
    const bool same_results = results == read_values(file);
    return same_status && same_arguments && same_results;
}

}  // namespace

int main(int n_given, char **given) {
    std::ifstream file(n_given > 1 ? given[1] : "calls.bin", std::ios::binary);
    int n_calls = 0;
    std::map<std::string, int> differing;
    while (file && file.peek() != std::ifstream::traits_type::eof()) {
        std::string name(static_cast<size_t>(read_number<int64_t>(file)), ' ');
        read(file, name.data(), name.size());
        ++n_calls;
        if (!repeat(file, name)) ++differing[name];
    }
    int n_equal = n_calls;
    for (const auto &[name, n] : differing) {
        std::printf("%s: %d\n", name.c_str(), n);
        n_equal -= n;
    }
    std::printf("%d of %d recorded calls of the engine equal\n", n_equal, n_calls);
    return n_calls == 0 || n_equal < n_calls;
}
