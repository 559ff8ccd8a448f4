// Rows of the bags of Weka.
#include "retree/java_random.h"

#include "core/interface.hpp"
#include "core/java_random.hpp"

using namespace retree;

int32_t retree_weka_draw(const retree_array *keep, const retree_array *other, retree_array *state,
                         retree_array *drawn) {
    return guarded([&] {
        const auto kept = vector_of<const double>(keep, "keep");
        const auto n = std::ssize(kept);
        const auto others = vector_of<const int32_t>(other, "other", n);
        const auto number = vector_of<uint64_t>(state, "state", 1);
        JavaRandom random(number[0]);
        for (int32_t &row : vector_of<int32_t>(drawn, "drawn")) {
            const double place = static_cast<double>(n) * random.share();
            row = static_cast<int32_t>(place);
            if (!(place < kept[row])) row = others[row];
        }
        number[0] = random.state();
    });
}
