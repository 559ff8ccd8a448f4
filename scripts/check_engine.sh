#!/usr/bin/env bash
# Run the tests that drive the engine hardest, with the sanitizers of addresses and of undefined
# behaviour: check_engine.sh VENV [pytest arguments]. The sanitized build stays apart.
set -euo pipefail
venv=$1
shift
folder=$PWD/build/sanitized
# CMake and Ninja are those of the environment, or of the machine.
PATH="$(cd "$venv" && pwd)/bin:$PATH"
# -O1 builds in a third of the time of -O3 and keeps what the sanitizers say readable.
cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 \
    -DRETREE_SANITIZE=ON -DRETREE_PLACE="$folder/_engine" >/dev/null
cmake --build "$folder" --target install >/dev/null
export RETREE_ENGINE="$folder/_engine" LD_PRELOAD ASAN_OPTIONS=detect_leaks=0
# The second one, since the first alone does not let exceptions through.
LD_PRELOAD="$("${CXX:-c++}" -print-file-name=libasan.so) $("${CXX:-c++}" -print-file-name=libstdc++.so)"
export PYTHONMALLOC=malloc
# Without -s pytest would keep what a sanitizer says to itself, since that ends the process.
exec "$venv/bin/python" -m pytest -q -s -p no:cacheprovider "${@:-tests/engine}"
