#!/usr/bin/env bash
# Run the tests that drive the engine hardest, with the sanitizers of addresses and of undefined
# behaviour, and those of growing on several threads with that of threads:
# check_engine.sh VENV [pytest arguments, with the first sanitizers only]. Sanitized builds stay apart.
set -euo pipefail
venv=$1
shift
# CMake and Ninja are those of the environment, or of the machine.
PATH="$(cd "$venv" && pwd)/bin:$PATH"
export ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=halt_on_error=1 PYTHONMALLOC=malloc

# check SANITIZERS LIBRARY [pytest arguments]
check() {
    local folder=$PWD/build/sanitized-$2 library
    # -O1 builds in a third of the time of -O3 and keeps what the sanitizers say readable.
    cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 \
        -DRETREE_WARNINGS_ARE_ERRORS=ON -DRETREE_SANITIZE="$1" -DRETREE_PLACE="$folder/_engine" >/dev/null
    cmake --build "$folder" --target install >/dev/null
    library="$("${CXX:-c++}" -print-file-name="$2.so")"
    # The second one, since the first alone does not let exceptions through.
    library+=" $("${CXX:-c++}" -print-file-name=libstdc++.so)"
    # Without -s pytest would keep what a sanitizer says to itself, since that ends the process.
    RETREE_ENGINE="$folder/_engine" LD_PRELOAD="$library" HYPOTHESIS_PROFILE=thorough \
        "$venv/bin/python" -m pytest -q -s -p no:cacheprovider "${@:3}"
}

# With absurd sizes: the allocator of the sanitizer ends the process, where `new` throws.
absurd=tests/engine/test_c45_interface.py::test_growing_refuses_what_does_not_fit
check address,undefined libasan "${@:-tests/engine}" --deselect "$absurd"
if (($# == 0)); then check thread libtsan tests/trees/test_threads_of_trees.py; fi
