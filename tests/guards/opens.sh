#!/usr/bin/env bash
# opens.sh ROOT: only core/base/file.cpp opens files, by core/system/file.h, so that no path can
# block a process (a FIFO, /dev/zero) or be read without a limit. Only
# core/base/temporary.cpp names temporary files, so that the next save recognises the leftovers of a
# killed process.
set -euo pipefail
cd "$1"
failures=0 files=0
complain() { echo "$*" >&2; failures=$((failures + 1)); }

# Files that no caller names: the null device for a standard stream that is closed, and what the
# kernel says of this process.
allowed() {
  case $1 in
    core/base/file.cpp | core/system/*/file.cpp) return 0 ;;
    capi/program/terminal.cpp) [[ $2 == *'"/dev/null"'* ]] ;;
    *) [[ $2 == *'"/proc/self/'* ]] ;;
  esac
}

while IFS= read -r file; do
  files=$((files + 1))
  while IFS=: read -r line text; do
    allowed "$file" "$text" ||
      complain "$file:$line: opens a file; core/base/file.h does that:$text"
  done < <(grep -nE -e '\b[io]?fstream\b|\bfilebuf\b|\bf(re)?open(64)?\(' \
    -e '(^|[^A-Za-z0-9_.>])(::)?(open(64)?|openat2?|creat|shm_open)\(' "$file" |
    grep -vE '^[0-9]+: *(//|\*|void |bool |Descriptor )|open\("svg"|Svg::open\(' || true)
  case $file in
    core/base/temporary.cpp) ;;
    *)
      while IFS=: read -r line text; do
        complain "$file:$line: names a temporary; core/base/temporary.h does that:$text"
      done < <(grep -nE \
        '\b(mk[od]?s?temps?|mkdtemp|tmpfile|tmpnam|tempnam)\(|"[^" ]*\.(tmp|part)-?"' "$file" \
        || true)
      ;;
  esac
done < <(find core capi -type f \( -name '*.cpp' -o -name '*.h' -o -name '*.inl' \) | sort)
[ "$files" -gt 200 ] || { echo "only $files source files were found" >&2; exit 1; }
[ "$failures" -eq 0 ] || { echo "$failures complaints" >&2; exit 1; }
echo "$files source files open nothing by themselves"
