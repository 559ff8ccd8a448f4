#!/usr/bin/env bash
# Write the hashes of every archive into the locks, after a version in one of them has changed:
# scripts/lock.sh [VENV], which has uv after `make setup`.
set -euo pipefail
uv=$(cd "${1:-.venv}/bin" && pwd)/uv
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for lock in requirements.lock requirements-dev.lock requirements-build.lock; do
    {
        head -n 1 "$lock"
        sed 's/ \\$//; /^ *--hash/d' "$lock" | "$uv" pip compile --quiet --universal \
            --python-version 3.11 --no-deps --generate-hashes --no-annotate --no-header -
    } >"$lock.new"
    mv "$lock.new" "$lock"
done
