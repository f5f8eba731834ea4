#!/usr/bin/env bash
# Bootstraps, builds and runs every test: what a contributor and the continuous integration both run. No argument is needed.
#
#   tests/run.sh [CTEST ARGUMENTS...]      e.g. tests/run.sh -L minilm, or -R tokenizer
#
# Ends with one line per runner and exits non-zero if any of them failed. Long runs (benchmarks, soak) have scripts of their own under tests/bench.
set -euo pipefail
cd "$(dirname "$0")/.."
export HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}  # a daemon may start us without one

bindings=(java csharp go rust)
./packaging/bootstrap.sh minilm "${bindings[@]}"
mkdir -p build/release
cmake --preset release >build/release/configure.log 2>&1 || { cat build/release/configure.log; exit 1; }
cmake --build --preset release

failed=0
runner() {  # runner NAME COMMAND...: runs it, remembers a failure, goes on
  local name=$1
  shift
  printf '\n== %s\n' "$name"
  "$@" || { failed=1; printf '== %s FAILED\n' "$name"; }
}

# -V: every program's own closing lines and the reason of every skipped test stand in the log.
runner ctest ctest --test-dir build/release --output-on-failure --verbose --parallel "$(nproc)" "$@"
if [ $# -eq 0 ]; then
  runner "tokenizers against Hugging Face" tests/golden/tokenizers/compare.sh
  for language in "${bindings[@]}"; do runner "bindings/$language" "bindings/$language/test.sh"; done
  runner "the same in every language" tests/conformance/compare.sh java csharp-net csharp-mono go rust
fi

[ "$failed" -eq 0 ] || { printf '\ntests/run.sh: FAILED\n'; exit 1; }
printf '\ntests/run.sh: all passed\n'
