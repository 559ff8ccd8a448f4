#include "core/weka_sort.hpp"

namespace retree {
namespace {

void order_pair(Keyed &low, Keyed &high) {
    if (low.value > high.value) std::swap(low, high);
}

void order_three(Keyed &low, Keyed &middle, Keyed &high) {
    order_pair(low, middle);
    order_pair(low, high);
    order_pair(middle, high);
}

// Moves what is below the pivot, which stands last but one, to the front; returns its place.
int64_t divide(std::span<Keyed> items) {
    int64_t left = 0, right = std::ssize(items) - 2;
    const double pivot = items[right].value;
    while (true) {
        while (items[++left].value < pivot) {
        }
        while (items[--right].value > pivot) {
        }
        if (left >= right) return left;
        std::swap(items[left], items[right]);
    }
}

void sort(std::span<Keyed> items) {
    while (items.size() > 3) {
        const size_t middle = (items.size() - 1) / 2, pivot = items.size() - 2;
        order_three(items.front(), items[middle], items.back());
        std::swap(items[middle], items[pivot]);
        const auto place = static_cast<size_t>(divide(items));
        std::swap(items[place], items[pivot]);
        const auto front = items.first(place), back = items.subspan(place + 1);
        // The order of the two does not matter; the shorter one bounds the depth of calls.
        sort(front.size() < back.size() ? front : back);
        items = front.size() < back.size() ? back : front;
    }
    if (items.size() == 3) order_three(items[0], items[1], items[2]);
    if (items.size() == 2) order_pair(items[0], items[1]);
}

}  // namespace

void weka_sort(std::span<Keyed> items) {
    constexpr double LAST = std::numeric_limits<double>::max();
    // In Weka, infinite values come after missing ones; here missing ones are always last.
    const double greatest = std::nextafter(LAST, 0.0);
    for (Keyed &item : items)
        item.value = std::isnan(item.value) ? LAST : std::min(item.value, greatest);
    sort(items);
}

}  // namespace retree
