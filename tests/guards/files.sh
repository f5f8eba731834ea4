#!/usr/bin/env bash
# files.sh ROOT: no source file has more than 600 lines, or 900 in Python (split it; the public
# header, which is the manual, may be longer), none without a line that says what lives in it, at
# least 65 % prose in the public header, and no path of a machine.
set -euo pipefail
cd "$1"
failures=0
complain() { echo "$*" >&2; failures=$((failures + 1)); }
manual=capi/include/contrastive/contrastive.h
mapfile -t sources < <(find core capi tests examples packaging -type f \( -name '*.h' -o -name \
  '*.cpp' -o -name '*.c' -o -name '*.sh' -o -name '*.py' \) | sort)
[ ${#sources[@]} -gt 100 ] || { echo "only ${#sources[@]} source files were found" >&2; exit 1; }

for file in "${sources[@]}"; do
  lines=$(wc -l <"$file")
  # ruff gives each element of a long list a line
  case $file in *.py) most=900 ;; *) most=600 ;; esac
  [ "$lines" -le "$most" ] || [ "$file" = "$manual" ] || complain "$file has $lines lines: split it"
  case $file in
    *.h) head -n 2 "$file" | grep -qE '^(//|/\*|#pragma once)' ||
      complain "$file does not open with a comment on what lives in it" ;;
  esac
  ! grep -nE '(^|[^a-zA-Z.$}])/(home|root|work|Users)/[a-z]' "$file" ||
    complain "$file holds a path of one machine"
done

# Prose: lines of a comment, blank ones not counted.
prose=$(awk '
  { inside = open }
  /\/\*/ { inside = 1; rest = $0; sub(/.*\/\*/, "", rest); open = rest !~ /\*\// }
  !/\/\*/ && /\*\// { open = 0 }
  inside { comment++ }
  END { printf "%d", 100 * comment / NR }' "$manual")
[ "$prose" -ge 65 ] || complain "$manual is $prose % prose: at least 65 % is asked of the manual"

[ "$failures" -eq 0 ] || { echo "$failures complaints" >&2; exit 1; }
echo "${#sources[@]} source files; the manual is $prose % prose"
