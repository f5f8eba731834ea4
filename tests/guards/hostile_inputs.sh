#!/usr/bin/env bash
# hostile_inputs.sh ROOT: every test that tests/HOSTILE_INPUTS.md names exists, in the program that
# it names, and every row names one.
set -euo pipefail
cd "$1"
table=tests/HOSTILE_INPUTS.md
failures=0 rows=0 names=0
complain() { echo "$*" >&2; failures=$((failures + 1)); }

# test_folder[program]: the folder whose CMakeLists.txt makes a GoogleTest program;
# test_sources[program]: the files that it lists, or every *_test.cpp of the folder that no program
# above it lists (contrastive_test in tests/CMakeLists.txt).
declare -A test_folder test_sources taken
while IFS=: read -r file text; do
  program=${text#*contrastive_test(}
  folder=$(dirname "$file")
  test_folder[$program]=$folder
  listed=$(sed -n "/contrastive_test($program\$/,/)/p" "$file" | grep -oE '[a-z0-9_/.*]+\.cpp' || true)
  if [ -n "$listed" ]; then
    # shellcheck disable=SC2086  # the patterns are expanded here
    test_sources[$program]=$(cd "$folder" && printf '%s\n' $listed)
  else
    test_sources[$program]=$(cd "$folder" && find . -name '*_test.cpp' | sed 's|^\./||' |
      grep -vxF "${taken[$folder]-/}")
  fi
  taken[$folder]="${taken[$folder]+${taken[$folder]}
}${test_sources[$program]}"
done < <(grep -rE --include=CMakeLists.txt '^ *contrastive_test\([a-z_]+$' tests)

# in_sources PROGRAM PATTERN: one of the program's sources has a line like this.
in_sources() {
  local file
  for file in ${test_sources[$1]-}; do
    ! grep -qE "$2" "${test_folder[$1]}/$file" || return 0
  done
  return 1
}

exists() {
  local program=$1 name=$2
  case $program in
    test_*) in_sources "$program" "^TEST(_[FP])?\(${name%%.*}, *${name#*.}\)" ;;
    capi_parts) grep -qF "expect \"$name\"" tests/capi/parts_test.sh ;;
    capi_install) grep -qF "\"$name\"" tests/capi/install_test.sh tests/capi/install_consumers.sh ;;
    capi_*) grep -qE "^static void $name\(void \*\*state\)" "tests/capi/test_${program#capi_}.c" &&
      grep -qE "(leak_checked|in_a_folder)\($name\)" "tests/capi/test_${program#capi_}.c" ;;
    cli) grep -qF -e "\"$name\"" -e "$name:" tests/program/cli_test.sh ;;
    cli_shards) grep -qF -e "\"$name\"" tests/program/shards_test.sh \
      tests/program/shards_arrow_test.sh ;;
    cli_adapt | cli_experiment | cli_mine | cli_ranks | cli_report | cli_rerank | cli_train) grep \
      -qF "\"$name\"" "tests/program/${program#cli_}_test.sh" ;;
    cli_serve) grep -qE "^    def $name\(self\):" tests/program/serve/test_*.py ;;
    Java) grep -qE "void ${name#*.}\(\)" \
      "bindings/java/contrastive/src/test/java/io/contrastive/${name%%.*}.java" ;;
    C#) grep -qE "public void ${name#*.}\(\)" "bindings/csharp/Contrastive.Tests/${name%%.*}.cs" ;;
    Go) grep -qE "^func $name\(t \*testing\.T\)" bindings/go/*_test.go ;;
    Rust) grep -qE "^fn $name\(\)" bindings/rust/contrastive/tests/*.rs ;;
    *) return 1 ;;
  esac
}

while IFS= read -r line; do
  rows=$((rows + 1))
  tests=$(awk -F'|' '{print $(NF - 1)}' <<<"$line")
  [ "$(awk -F'|' '{print NF}' <<<"$line")" -eq 5 ] ||
    complain "a row without three columns: ${line:0:80}"
  found=0
  while IFS= read -r item; do
    found=$((found + 1)) names=$((names + 1))
    exists "${item%%: *}" "${item#*: }" 2>/dev/null || complain "no such test: $item"
  done < <(grep -oE '`[^`]+`' <<<"$tests" | tr -d '`')
  [ "$found" -gt 0 ] || complain "a row that names no test: ${line:0:80}"
done < <(grep -E '^\|' "$table" | grep -vE '^\| (input|---) \|')

[ "$rows" -gt 80 ] || complain "only $rows rows were found in $table"
[ "$failures" -eq 0 ] || { echo "$failures complaints" >&2; exit 1; }
echo "$rows inputs, $names tests, each of which exists"
