#!/usr/bin/env bash
# format.sh ROOT: every C and C++ file has the layout of .clang-format, and every Python file that
# of .ruff.toml. To format them, run format.sh ROOT --write
set -euo pipefail
cd "$1"
. tests/guards/clang_tools.sh
clang_format=$cache/clang_format/data/bin/clang-format
ruff=$(echo "$cache"/../ruff-0.17.6/*/scripts/ruff)
if [ ! -x "$ruff" ]; then
  echo 'skipped: format, because ruff is not installed (packaging/bootstrap.sh lint)'
  exit 77
fi
mapfile -t files < <(git ls-files '*.h' '*.c' '*.cpp' '*.inl' '*.cu' ':!:*_ptx.inl' \
  ':!:bindings/go/internal/raw/*_wrap.c' ':!:packaging/abi')
mapfile -t scripts < <(git ls-files '*.py')
if [ "${2:-}" = --write ]; then
  "$clang_format" -i "${files[@]}"
  exec "$ruff" format --quiet "${scripts[@]}"
fi
status=0
"$clang_format" --dry-run --Werror "${files[@]}" 2>&1 | head -n 40 >&2 || status=1
"$ruff" format --check --quiet "${scripts[@]}" >&2 || status=1
if [ $status -ne 0 ]; then
  echo 'these files have another layout than .clang-format and .ruff.toml say:' \
    'run tests/guards/format.sh . --write' >&2
  exit 1
fi
echo "${#files[@]} C and C++ files and ${#scripts[@]} Python files have the layout that is" \
  "configured"
