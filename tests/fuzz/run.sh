#!/usr/bin/env bash
# Runs fuzz targets under libFuzzer with ASan and UBSan, each for this number of CPU seconds, and
# prints a row of RESULTS.md for each.
#
#   tests/fuzz/run.sh SECONDS [TARGET...]      default: all targets
#
# It first builds the preset fuzz (packaging/bootstrap.sh fuzz installs Clang), unless
# CONTRASTIVE_FUZZ_PROGRAM names the program. It works in CONTRASTIVE_FUZZ_WORK (default:
# build/fuzz/work): the grown corpus is in TARGET/, crashes, hangs and inputs that exceed 2 GB are
# in finds/, and the log is TARGET.log. It never writes to the tree: when you have fixed a crash,
# copy its input to tests/fuzz/corpus/TARGET, where every build replays it. An input hangs after
# CONTRASTIVE_FUZZ_TIMEOUT seconds of wall time (default: 20; use more on a busy machine). The exit
# status is 1 if there is a crash or a hang.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
[ $# -ge 1 ] || { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
seconds=$1
shift

build=build/fuzz
program=${CONTRASTIVE_FUZZ_PROGRAM:-}
if [ -z "$program" ]; then
  program=$root/$build/fuzz
  command -v clang++ >/dev/null || {
    echo "run.sh: no clang++: packaging/bootstrap.sh fuzz installs it" >&2; exit 1; }
  mkdir -p "$build"
  cmake --preset fuzz >"$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
  cmake --build --preset fuzz
fi
timeout=${CONTRASTIVE_FUZZ_TIMEOUT:-20}
work=${CONTRASTIVE_FUZZ_WORK:-$root/build/fuzz/work}
mkdir -p "$work/finds"
targets=("$@")
if [ $# -eq 0 ]; then mapfile -t targets < <(find tests/fuzz/corpus -mindepth 1 -maxdepth 1 -type \
  d -printf '%f\n' | sort); fi

export OMP_NUM_THREADS=1 LC_ALL=C
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:handle_abort=1
ASAN_OPTIONS+=:malloc_context_size=12
export UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS=suppressions=$root/tests/faults/lsan.supp:print_suppressions=0
# processor_seconds PID: of a process that runs
processor_seconds() {
  local fields
  fields=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) && [ "${fields%% *}" != Z ] &&
    awk -v ticks="$(getconf CLK_TCK)" '{ printf "%d", ($12 + $13) / ticks }' <<<"$fields"
}

running=  # the fuzzer, which has no limit of its own and must not outlive this script
trap '[ -z "$running" ] || kill "$running" 2>/dev/null || true' EXIT
trap 'exit 143' TERM INT HUP

status=0
printf '%s\n' '| target | seconds | executions | a second | edges | features | corpus | finds |' \
  '| --- | --- | --- | --- | --- | --- | --- | --- |'
for target in "${targets[@]}"; do
  mkdir -p "$work/$target"
  # Inputs longer than this only repeat what short ones show, and cost time.
  longest=4096
  case $target in safetensors) longest=16384 ;; tokenizer_json | pruned_tokenizer | bpe_files \
    | sentencepiece_files) longest=8192 ;; arguments | handles) longest=1024 ;; esac
  # What the program prints is its own business; libFuzzer keeps its report.
  quiet=0
  [ "$target" != arguments ] || quiet=3
  began=$(find "$work/finds" -name "$target-*" | wc -l)
  spent=0
  : >"$work/$target.log"
  # libFuzzer ends at the first crash. It is restarted a few times for the rest of the time.
  for _ in 1 2 3 4 5 6 7 8; do
    [ "$spent" -lt "$seconds" ] || break
    CONTRASTIVE_FUZZ_TARGET=$target "$program" -max_len="$longest" -timeout="$timeout" \
      -report_slow_units="$timeout" \
      -rss_limit_mb=3000 -malloc_limit_mb=1500 -print_final_stats=1 -close_fd_mask="$quiet" \
        -dict="$root/tests/fuzz/dictionary.txt" -artifact_prefix="$work/finds/$target-" \
      "$work/$target" "$root/tests/fuzz/corpus/$target" >>"$work/$target.log" 2>&1 &
    running=$! used=0
    while sleep 1 && now=$(processor_seconds "$running"); do
      used=$now
      # libFuzzer ends its input, prints its figures and exits
      [ $((spent + used)) -lt "$seconds" ] || kill -USR1 "$running" 2>/dev/null || true
    done
    wait "$running" || true
    running=
    spent=$((spent + used))
  done
  finds=$(($(find "$work/finds" -name "$target-*" | wc -l) - began))
  [ "$finds" -eq 0 ] || status=1
  awk -v target="$target" -v seconds="$spent" -v finds="$finds" '
    /^#[0-9]+.* cov: / { line = $0 }
    /^stat::number_of_executed_units:/ { executions += $2 }
    END {
      if (line == "") {
        form = "| %s | %s | the target did not run: see its log | | | | | %s |\n"
        printf form, target, seconds, finds
        exit
      }
      n = split(line, part, /[ \t]+/)
      for (i = 1; i < n; ++i) {
        if (part[i] == "cov:") edges = part[i + 1]
        if (part[i] == "ft:") features = part[i + 1]
        if (part[i] == "corp:") corpus = part[i + 1]
      }
      sub(/\/.*/, "", corpus)
      rate = seconds > 0 ? executions / seconds : 0
      printf "| %s | %s | %d | %d ", target, seconds, executions, rate
      printf "| %s | %s | %s | %s |\n", edges, features, corpus, finds
    }' "$work/$target.log"
done
exit "$status"
