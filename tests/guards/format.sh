#!/usr/bin/env bash
# format.sh ROOT: every C and C++ file is laid out as .clang-format says. To lay them out so: format.sh ROOT --write
set -euo pipefail
cd "$1"
. tests/guards/clang_tools.sh
mapfile -t files < <(git ls-files '*.h' '*.c' '*.cpp' '*.inl' '*.cu' ':!:*_ptx.inl' ':!:bindings/go/internal/raw/*_wrap.c' ':!:packaging/abi')
if [ "${2:-}" = --write ]; then exec "$cache/clang_format/data/bin/clang-format" -i "${files[@]}"; fi
if ! complaints=$("$cache/clang_format/data/bin/clang-format" --dry-run --Werror "${files[@]}" 2>&1); then
  head -n 40 <<<"$complaints" >&2
  echo 'these files are laid out in another way than .clang-format says: tests/guards/format.sh . --write' >&2
  exit 1
fi
echo "${#files[@]} files are laid out as .clang-format says"
