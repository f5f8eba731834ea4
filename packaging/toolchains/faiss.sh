#!/usr/bin/env bash
# Makes the Python environment with faiss and numpy that tests examples/stores, with the versions
# and hashes of that example.
#
#   packaging/toolchains/faiss.sh          installs, and reports what it does; a second run only
#                                          checks
#   packaging/toolchains/faiss.sh --path   prints the environment's python, and installs nothing
#
# The cache is ${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-${HOME:?set CONTRASTIVE_DEPS}/.cache}/libcontrastive}
folder=$cache/faiss-1.15.1

say() { printf 'toolchains/faiss: %s\n' "$*" >&2; }
die() { printf 'toolchains/faiss: %s\n' "$*" >&2; exit 1; }

works() { "$folder/bin/python" -c 'import sys, faiss; sys.exit(faiss.__version__ != "1.15.1")' \
  2>/dev/null; }
if [ "${1:-}" = --path ]; then
  works || die "$folder is not there, or does not run: run packaging/toolchains/faiss.sh"
  printf '%s\n' "$folder/bin/python"
  exit 0
fi
if ! works; then
  say "making $folder"
  mkdir -p "$cache"
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes \
    --only-binary=:all: --requirement "$root/examples/stores/faiss/requirements.txt"
  works || die "faiss was installed and does not run"
fi
say "faiss 1.15.1 is ready"
