#!/usr/bin/env bash
# Bootstraps, builds and runs every test. Contributors and the continuous integration both run it.
# No argument is needed.
#
#   tests/run.sh [CTEST ARGUMENTS...]      e.g. tests/run.sh -L minilm, or -R tokenizer
#
# At the end it lists the skipped tests with their reasons, then the failures. The exit status is
# not zero if a runner failed. Long runs have separate scripts: clang-tidy (tests/guards/tidy.sh),
# benchmarks (tests/bench), soak (tests/faults).
set -euo pipefail
cd "$(dirname "$0")/.."
export HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}  # a daemon may start us without one

bindings=(java csharp go rust)
./packaging/bootstrap.sh minilm abi docs arrow "${bindings[@]}" lint
./packaging/bootstrap.sh browser ||
  printf 'no browser can be installed: the test of the server\047s page is skipped\n'
./packaging/bootstrap.sh postgres faiss || printf \
  'PostgreSQL or faiss cannot be installed: what examples/stores/test.sh does with it is skipped\n'
mkdir -p build/release
cmake --preset release >build/release/configure.log 2>&1 || {
  cat build/release/configure.log; exit 1
}
printf '\n== bootstrap: %d s\n' $SECONDS
cmake --build --preset release
printf '\n== bootstrap and build: %d s\n' $SECONDS

failed=()
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
# Well above what the longest runner and the longest test of CTest take on two cores: what stands
# still is ended and named, so that the rest runs.
patience=2400 test_patience=1200
runner() {  # runner NAME COMMAND...: runs it, remembers a failure and what it printed, continues
  local name=$1 log=$logs/${1//\//-} start=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  timeout --kill-after=30 $patience "$@" > >(tee "$log") 2>&1 || {
    failed+=("$name"); printf '== %s FAILED\n' "$name"
  }
  printf '== %s: %d s\n' "$name" $((SECONDS - start))
}

# The repository has no real data. CONTRASTIVE_DATA names its folder; otherwise archives next to the
# project are unpacked once.
data=${CONTRASTIVE_DATA:-$PWD/build/data}
if [ ! -d "$data" ] && [ -z "${CONTRASTIVE_DATA:-}" ] && [ -f ../shared/data/unpack.sh ]; then
  rm -rf "$data.part"
  if bash ../shared/data/unpack.sh "$data.part"; then mv "$data.part" "$data"; fi
fi
[ -d "$data" ] || printf \
  '%s is not there: tests with real data are skipped (CONTRIBUTING.md, CONTRASTIVE_DATA)\n' "$data"

# With --verbose the log has the last lines of every program.
log=$PWD/build/release/ctest.log
with_data=(env)
[ ! -d "$data" ] || with_data+=("CONTRASTIVE_DATA=$data")
runner ctest "${with_data[@]}" ctest --test-dir build/release --output-on-failure --verbose \
  --output-log "$log" --timeout $test_patience --parallel "$(nproc)" "$@"
if [ $# -eq 0 ]; then
  runner "tokenizers against Hugging Face" tests/golden/tokenizers/compare.sh
  runner "folders of sentence-transformers" tests/golden/folders/compare.sh
  runner "mutated files against the crates of Hugging Face" tests/fuzz/differential.sh
  for language in "${bindings[@]}"; do
    runner "bindings/$language" "bindings/$language/test.sh"
  done
  runner "examples/stores" "${with_data[@]}" examples/stores/test.sh
  runner "examples/spark" examples/spark/test.sh  # on the package that bindings/java has installed
  runner "the same in every language" tests/conformance/compare.sh java csharp-net8 csharp-net10 \
    go go-purego rust
fi

printf '\n== skipped tests, and why\n'
tests/skipped.sh "$log"
if [ ${#failed[@]} -gt 0 ]; then  # at the very end, because a log is often cut to its end
  for name in "${failed[@]}"; do
    printf '\n== %s FAILED\n' "$name"
    if [ "$name" = ctest ]; then
      tests/failed.sh "$log"
    else
      tail -n 40 "$logs/${name//\//-}"
    fi | cut -c-300 | tail -n 80
  done
  printf '\ntests/run.sh: FAILED in %s\n' "$(IFS=,; echo "${failed[*]}")"
  exit 1
fi
printf '\ntests/run.sh: all passed\n'
