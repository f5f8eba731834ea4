#!/usr/bin/env bash
# abi_number.sh ROOT: the number of the binary interface is defined in contrastive.h
# (CS_ABI_VERSION). The library's sources, its build and the scripts that make packages take it from
# there. Documents, tests and bindings show the names of files as they are.
set -euo pipefail
cd "${1:?usage: abi_number.sh ROOT}"
git rev-parse --git-dir >/dev/null 2>&1 || {
  echo "skipped: $PWD is not a git repository"; exit 77
}
found=$(git grep -nE 'libcontrastive(-torch)?(\.so\.)?[0-9]|CONTRASTIVE_[0-9]' -- CMakeLists.txt \
  core capi packaging \
  ':!*.md' ':!packaging/abi/contrastive.abi' || true)
[ -z "$found" ] || {
  echo "$found"; echo \
  "the number of the binary interface is written here: take it from CS_ABI_VERSION (VERSIONING.md)";
  exit 1; }
echo "no other place names the number of the binary interface"
