#!/usr/bin/env bash
# files.sh ROOT: rules for source files. A file has at most 600 lines, or 900 in Python (split it);
# the public header is the manual and may be longer. A header opens with a comment that says what
# it is for. At least 65 % of the public header is prose. No file holds a path of one machine.
# Lines of code end at column 100.
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

# The width of lines, in characters. Three things may be wider, because nothing can break them: raw
# strings of C++ and here documents of shell, whose text is in another language, and lines with a
# URL. Generated files and the record of the binary interface are not checked.
mapfile -t wide_files < <(git ls-files '*.h' '*.c' '*.cpp' '*.inl' '*.cu' '*.cs' '*.java' '*.go' \
  '*.rs' '*.py' '*.sh' '*CMakeLists.txt' '*.cmake' '*.cmake.in' '*.yml' '*.yaml' \
  ':!:*_ptx.inl' ':!:bindings/go/internal/swig' ':!:packaging/abi/contrastive')
wide=$(LC_ALL=C awk '
  function check_end() {
    if (ends != "") print file ": nothing ends the text that " ends " is to end"
  }
  FNR == 1 {
    check_end()
    file = FILENAME
    ends = ""  # what ends the raw string or the here document that a line is in
    shell = FILENAME ~ /\.sh$/
    c = FILENAME ~ /\.(h|c|cpp|inl|cu)$/
  }
  shell && ends != "" {
    if ($0 ~ "^\t*" ends "$") ends = ""
    next
  }
  shell && match($0, /<<-?[ \47"]*[A-Za-z_]+/) && !/<<</ {
    ends = substr($0, RSTART, RLENGTH)
    gsub(/[^A-Za-z_]/, "", ends)
  }
  c {
    rest = $0
    in_raw = ends != ""
    while (ends != "" || match(rest, /R"[A-Za-z_]*\(/)) {
      if (ends == "") {
        in_raw = 1
        ends = ")" substr(rest, RSTART + 2, RLENGTH - 3) "\""
        rest = substr(rest, RSTART + RLENGTH)
      }
      at = index(rest, ends)
      if (!at) break
      rest = substr(rest, at + length(ends))
      ends = ""
    }
    if (in_raw) next
  }
  length($0) > 100 && !/https?:/ {
    columns = $0
    gsub(/[\200-\277]/, "", columns)  # a character of UTF-8 is one column
    if (length(columns) > 100)
      print FILENAME ":" FNR " has " length(columns) " columns: break it at column 100"
  }
  END { check_end() }' "${wide_files[@]}")
[ -z "$wide" ] || while read -r line; do complain "$line"; done <<<"$wide"

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
