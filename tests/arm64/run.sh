#!/usr/bin/env bash
# Builds for arm64 on another machine and runs the tests there under qemu-user, then holds what the
# arm64 build computes to what this machine's computes.
#
#   tests/arm64/run.sh          everything; ends with a summary. README.md says what came out, and
#                               how long it took
#   tests/arm64/run.sh fast     kernels, text, retrieval, the C API's cases without training: what
#                               continuous integration may take
#
# Needs nothing but what packaging/bootstrap.sh installs, which it calls. Under qemu nothing is
# timed: speed is not claimed.
set -euo pipefail
cd "$(dirname "$0")/../.."
export HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}  # a daemon may start us without one
what=${1:-all}
case $what in all | fast) ;; *) echo "usage: tests/arm64/run.sh [fast]" >&2; exit 2 ;; esac

tests=(test_cpu test_encoder test_text test_retrieval)
if [ "$what" = all ]; then
  # Not test_minilm: it takes half an hour, and the vectors are compared below. Not capi_threads and
  # capi_memory: they limit a process's threads, stack and memory, which here are the emulator's.
  tests+=(test_host test_base test_runtime test_io test_data test_model test_eval test_vocabulary
    fuzz_replay test_families test_cpu_encoder test_nn test_objectives test_optim
    capi_abi capi_config capi_describe capi_handles capi_error capi_cancel capi_log
    capi_similarity capi_model capi_tokenize capi_encode capi_vocabulary capi_dataset
    capi_trainer capi_evaluate capi_hostile capi_files capi_loading)
fi
programs=(contrastive contrastive_torch contrastive_cli conformance_c)

packaging/bootstrap.sh minilm arm64
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}
minilm=${CONTRASTIVE_MINILM:-$(dirname "$(find "$cache/all-MiniLM-L6-v2-0.1.0" -name modules.json |
  head -n 1)")}
mkdir -p build/aarch64 build/release
for preset in aarch64 release; do
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >"build/$preset/configure.log" \
    2>&1 || { cat "build/$preset/configure.log"; exit 1; }
done
cmake --build --preset aarch64 --target "${programs[@]}" "${tests[@]}"
cmake --build --preset release --target "${programs[@]}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
emulated=(qemu-aarch64-static -L "$(packaging/toolchains/arm64.sh --path)" -E \
  "CONTRASTIVE_LIBTORCH=$cache/libtorch-2.11.0-aarch64/torch")
here=build/release/contrastive
there=("${emulated[@]}" build/aarch64/contrastive)

summary=() failed=()
step() {  # step NAME COMMAND...: runs it, remembers how it ended and its last line, goes on
  local name=$1 log=$work/log status=0 begin=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@" >"$log" 2>&1 || status=$?
  [ $status -eq 0 ] && tail -n 3 "$log" || tail -n 60 "$log"
  summary+=("$(printf '%-34s %-6s %4d s  %s' "$name" \
    "$([ $status -eq 0 ] && echo passed || echo FAILED)" $((SECONDS - begin)) "$(result "$log")")")
  [ $status -eq 0 ] || failed+=("$name")
}
# what a log comes to, in a line: GoogleTest's and cmocka's counts, else what the program said last
result() {
  local counts
  counts=$(grep -E '\[ +(PASSED|SKIPPED|FAILED) +\] [0-9]+ test' "$1" |
    sed -E 's/^([0-9]+: )?\[ +([A-Z]+) +\] ([0-9]+) test.*/\3 \L\2/' | sort -u | paste -sd ' ') ||
    true
  printf '%s' "${counts:-$(tail -n 1 "$1")}"
}

# -cpu max has every instruction that qemu knows (dot products of bytes, bfloat16); cortex-a72 has
# none that NEON did not begin with.
on_cpu() {  # on_cpu CPU TEST
  QEMU_CPU=$1 ctest --test-dir build/aarch64 --verbose --no-tests=error -R "^$2\$" >"$work/ctest" \
    2>&1 || { cat "$work/ctest"; return 1; }
  grep -E '^[0-9]+: ' "$work/ctest"
}
for test in "${tests[@]}"; do step "$test" on_cpu max "$test"; done
step "test_cpu on cortex-a72" on_cpu cortex-a72 test_cpu

step "which kernels are taken" bash -c '"$@" doctor | grep "processor: neon"' doctor "${there[@]}"

conformance() {
  local kinds=(tokenize encode error save)
  [ "$what" = fast ] || kinds+=(train)
  build/release/conformance_c "$PWD" "$work/here.jsonl" "${kinds[@]}" &&
    "${emulated[@]}" build/aarch64/conformance_c "$PWD" "$work/there.jsonl" "${kinds[@]}" &&
    tests/arm64/conformance.py "$work/there.jsonl" "$work/here.jsonl"
}
step "conformance, beside this machine" conformance

# Real sentences, and the cases' odd ones.
python3 - >"$work/texts.txt" <<'PYTHON'
import json
for spec in json.load(open("tests/conformance/cases.json"))["texts"].values():
    text = " ".join((spec.get("text", "") * spec.get("times", 1)).split())
    if text:
        print(text)
PYTHON
grep -hE '^[A-Z].{20,}' CONTRIBUTING.md core/README.md | head -n 60 >>"$work/texts.txt"

same_vectors() {  # same_vectors MODEL COLUMNS LARGEST [OPTIONS...]
  local model=$1 columns=$2 largest=$3
  shift 3
  rm -f "$work/here.f32" "$work/there.f32"
  "$here" encode --model "$model" --input "$work/texts.txt" --output "$work/here.f32" "$@" &&
    "${there[@]}" encode --model "$model" --input "$work/texts.txt" --output "$work/there.f32" \
      "$@" &&
    tests/arm64/vectors.py "$work/there.f32" "$work/here.f32" "$columns" "$largest"
}
step "a tiny BERT's embeddings" same_vectors tests/fixtures/models/bert_st 32 1e-5
step "a tiny RoBERTa's embeddings" same_vectors tests/fixtures/models/roberta_hf 24 1e-5 \
  --pooling mean
if [ "$what" = all ]; then
  step "MiniLM's embeddings" same_vectors "$minilm" 384 1e-5
  step "MiniLM's in int8" same_vectors "$minilm" 384 2e-2 --set precision=int8
fi

printf '\n== summary, %s\n' "$("${emulated[0]}" --version | head -n 1)"
printf '%s\n' "${summary[@]}"
if [ ${#failed[@]} -gt 0 ]; then
  printf 'tests/arm64/run.sh: FAILED in %s\n' "$(IFS=,; echo "${failed[*]}")"
  exit 1
fi
printf 'tests/arm64/run.sh: all passed, in %d s\n' $SECONDS
