#!/usr/bin/env bash
# The PTX in the tree is that of its source: by the checksum that it names, and word for word where
# the Clang is the one that it was made with.
#
#   ptx.sh SOURCE_DIR
set -euo pipefail
cd "$1"
ptx=core/torch/nn/device_dropout_ptx.inl source=core/torch/nn/device_dropout.cu
if ! grep -qF "$(sha256sum <"$source" | cut -d' ' -f1)" "$ptx"; then
  echo "ptx: $ptx was made of another $source: run packaging/ptx.sh and commit what it writes" >&2
  exit 1
fi
case $(clang -dumpversion 2>/dev/null || true) in 14.*) ;; *) echo \
  "ptx: made of this $source; compared no further, because Clang 14 is not there" && exit 0 ;; esac
made=$(mktemp)
trap 'rm -f "$made"' EXIT
packaging/ptx.sh "$made"
diff -u "$ptx" "$made" >&2 || { echo "ptx: $ptx is not what packaging/ptx.sh makes of $source" >&2;
  exit 1; }
echo "ptx: made of this $source, word for word"
