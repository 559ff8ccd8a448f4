#!/usr/bin/env bash
# Run the tests that drive the engine hardest, with the sanitizers of addresses and of undefined
# behaviour: check_engine.sh VENV [pytest arguments]. The sanitized build stays apart.
set -euo pipefail
venv=$1
shift
folder=$PWD/build/sanitized
"$venv/bin/cmake" -S . -B "$folder" -G Ninja -DCMAKE_MAKE_PROGRAM="$PWD/$venv/bin/ninja" \
    -DRETREE_SANITIZE=ON -DRETREE_PLACE="$folder/_engine" >/dev/null
"$venv/bin/cmake" --build "$folder" --target install >/dev/null
export RETREE_ENGINE="$folder/_engine" LD_PRELOAD ASAN_OPTIONS=detect_leaks=0
# The second one, since the first alone does not let exceptions through.
LD_PRELOAD="$("${CXX:-c++}" -print-file-name=libasan.so) $("${CXX:-c++}" -print-file-name=libstdc++.so)"
export PYTHONMALLOC=malloc
exec "$venv/bin/python" -m pytest -q -p no:cacheprovider "${@:-tests/engine}"
