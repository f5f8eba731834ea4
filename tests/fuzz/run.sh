#!/usr/bin/env bash
# Runs fuzz targets under libFuzzer with ASan and UBSan, each for so many seconds, and prints a row of RESULTS.md for each.
#
#   tests/fuzz/run.sh SECONDS [TARGET...]      all of them where none is named
#
# Builds the preset fuzz first (packaging/bootstrap.sh fuzz brings Clang). Works in CONTRASTIVE_FUZZ_WORK (default: build/fuzz/work): the corpus that
# has grown in TARGET/, crashes, hangs and what exceeds 2 GB in finds/, the log in TARGET.log. The tree is read and never written to: a find that is
# mended is copied to tests/fuzz/corpus/TARGET by hand, where every build replays it. Exit status 1 where there is a find.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
[ $# -ge 1 ] || { sed -n '2,9p' "$0" >&2; exit 2; }
seconds=$1
shift

build=build/fuzz
if [ -z "${CONTRASTIVE_FUZZ_BUILT:-}" ]; then
  command -v clang++ >/dev/null || { echo "run.sh: no clang++: packaging/bootstrap.sh fuzz installs it" >&2; exit 1; }
  mkdir -p "$build"
  cmake --preset fuzz >"$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
  cmake --build --preset fuzz
fi
work=${CONTRASTIVE_FUZZ_WORK:-$root/build/fuzz/work}
mkdir -p "$work/finds"
targets=("$@")
if [ $# -eq 0 ]; then mapfile -t targets < <(find tests/fuzz/corpus -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort); fi

export OMP_NUM_THREADS=1 LC_ALL=C
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:handle_abort=1:malloc_context_size=12:$ASAN_EXTRA_OPTIONS UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS=suppressions=$root/tests/faults/lsan.supp:print_suppressions=0
status=0
printf '| target | seconds | executions | a second | edges | features | corpus | finds |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n'
for target in "${targets[@]}"; do
  mkdir -p "$work/$target"
  # Inputs longer than this only repeat what short ones show, and cost time.
  longest=4096
  case $target in safetensors) longest=16384 ;; tokenizer_json | bpe_files) longest=8192 ;; arguments | handles) longest=1024 ;; esac
  # What the program prints is its own business; libFuzzer keeps its report.
  quiet=0
  [ "$target" != arguments ] || quiet=3
  began=$(find "$work/finds" -name "$target-*" | wc -l)
  CONTRASTIVE_FUZZ_TARGET=$target "$root/$build/fuzz" -max_total_time="$seconds" -max_len="$longest" -timeout=20 -rss_limit_mb=3000 -malloc_limit_mb=1500 \
    -use_value_profile=0 -print_final_stats=1 -close_fd_mask="$quiet" -dict="$root/tests/fuzz/dictionary.txt" -artifact_prefix="$work/finds/$target-" \
    -fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 "$work/$target" "$root/tests/fuzz/corpus/$target" >"$work/$target.log" 2>&1 || true
  finds=$(($(find "$work/finds" -name "$target-*" | wc -l) - began))
  [ "$finds" -eq 0 ] || status=1
  awk -v target="$target" -v seconds="$seconds" -v finds="$finds" '
    /^#[0-9]+: cov: / { line = $0 }
    END {
      if (line == "") { printf "| %s | %s | the target did not run: see its log | | | | | %s |\n", target, seconds, finds; exit }
      split(line, part, /[ :]+/); executions = substr(part[1], 2)
      for (i in part) { if (part[i] == "cov") edges = part[i + 1]; if (part[i] == "ft") features = part[i + 1]; if (part[i] == "corp") corpus = part[i + 1] }
      printf "| %s | %s | %d | %d | %s | %s | %s | %s |\n", target, seconds, executions, executions / seconds, edges, features, corpus, finds
    }' "$work/$target.log"
done
exit "$status"
