#!/usr/bin/env bash
# tests_by_name.sh ROOT: every source of the core, the C API and the program has a test that is
# named after it, or a line in tests_by_name.txt that says which test covers it and why. A line
# about a source that has such a test, or about a file that does not exist, is an error.
# Tests that need POSIX are in NAME_posix_test.cpp. A source in a folder named after a system is
# tested by the test of its name in the folder above.
set -euo pipefail
cd "$1"
list=tests/guards/tests_by_name.txt
failures=0
complain() { echo "$*" >&2; failures=$((failures + 1)); }

# test_of SOURCE: the test that is named after it, if there is one.
test_of() {
  local path=${1%.cpp} candidates=() file
  local name=${path##*/} folder=${path%/*}
  case $1 in
    core/*)
      candidates=("tests/${path}_test.cpp" "tests/${path}_posix_test.cpp")
      case ${folder##*/} in
        posix | linux | macos | windows)
          folder=tests/${folder%/*}
          candidates+=("$folder/${name}_test.cpp" "$folder/${name}_posix_test.cpp")
          ;;
      esac
      ;;
    capi/src/*) candidates=("tests/capi/test_$name.c") ;;
    capi/program/*)
      folder=tests/program${folder#capi/program}
      candidates=("$folder/${name}_test.sh" "$folder/test_$name.py" \
        "${folder%/"$name"}/${name}_test.sh")
      ;;
  esac
  for file in "${candidates[@]}"; do
    [ ! -f "$file" ] || { echo "$file"; return; }
  done
}

# paths PATTERN: the files that it names. {a,b} stands for each of its parts, * for any characters;
# a part without * is named even if there is no such file.
paths() {
  local part
  if [[ $1 =~ ^([^{]*)\{([^}]*)\}(.*)$ ]]; then
    local before=${BASH_REMATCH[1]} parts=${BASH_REMATCH[2]} after=${BASH_REMATCH[3]}
    local -a each
    IFS=, read -ra each <<<"$parts"
    for part in "${each[@]}"; do paths "$before$part$after"; done
  elif [[ $1 == *'*'* ]]; then
    compgen -G "$1" || true
  else
    echo "$1"
  fi
}

declare -A listed
while read -r source tests reason; do
  case $source in '' | '#'*) continue ;; esac
  [ -n "$reason" ] || { complain "$list: $source has no test or no reason"; continue; }
  while read -r file; do
    [ -f "$file" ] || complain "$list: the test $file of $source does not exist"
  done < <(paths "$tests")
  [ -n "$(paths "$tests")" ] || complain "$list: no test is named $tests"
  covered=0
  while read -r file; do
    if [[ $source != *'*'* ]] && [ ! -f "$file" ]; then
      complain "$list: $file does not exist"
      continue
    fi
    test=$(test_of "$file")
    if [ -z "$test" ]; then
      [ -z "${listed[$file]-}" ] || complain "$list: $file is listed twice"
      listed[$file]=1 covered=$((covered + 1))
    elif [[ $source != *'*'* ]]; then
      complain "$list: $file has the test $test: remove it from the list"
    fi
  done < <(paths "$source")
  [[ $source != *'*'* ]] || [ "$covered" -gt 0 ] ||
    complain "$list: $source names no source without a test of its own"
done <"$list"

sources=0 named=0
while IFS= read -r file; do
  sources=$((sources + 1))
  if [ -n "$(test_of "$file")" ]; then
    named=$((named + 1))
  elif [ -z "${listed[$file]-}" ]; then
    complain "$file: no test is named after it, and $list does not say why"
  fi
done < <(find core capi/src capi/program -name '*.cpp' | sort)

[ "$sources" -gt 400 ] || complain "only $sources sources were found"
[ "$failures" -eq 0 ] || { echo "$failures complaints" >&2; exit 1; }
echo "$named of $sources sources have a test by name, $((sources - named)) a reason"
