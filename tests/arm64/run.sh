#!/usr/bin/env bash
# Builds for arm64 on another machine and runs the tests there under qemu-user, then holds what the arm64 build computes to what this machine's computes.
#
#   tests/arm64/run.sh          everything; ends with a summary. README.md says what came out, and how long it took
#   tests/arm64/run.sh fast     kernels, text, retrieval, conformance without training: for continuous integration
#
# Needs nothing but what packaging/bootstrap.sh and packaging/toolchains/arm64.sh install, which it calls. Under qemu nothing is timed: speed is not claimed.
set -euo pipefail
cd "$(dirname "$0")/../.."
export HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}  # a daemon may start us without one
what=${1:-all}
case $what in all | fast) ;; *) echo "usage: tests/arm64/run.sh [fast]" >&2; exit 2 ;; esac

tests=(test_encoder test_text test_retrieval)
programs=(contrastive contrastive_torch contrastive_cli conformance_c)
if [ "$what" = all ]; then
  tests+=(test_base test_runtime test_io test_data test_model test_minilm test_eval test_families test_objectives test_optim test_nn fuzz_replay)
  tests+=(capi_abi capi_config capi_handles capi_similarity capi_model capi_encode capi_trainer capi_evaluate capi_hostile capi_files capi_loading capi_threads)
fi

packaging/bootstrap.sh minilm arm64
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}
minilm=${CONTRASTIVE_MINILM:-$(find "$cache/all-MiniLM-L6-v2-0.1.0" -name modules.json -printf '%h\n' | head -n 1)}
mkdir -p build/aarch64 build/release
for preset in aarch64 release; do
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >"build/$preset/configure.log" 2>&1 || { cat "build/$preset/configure.log"; exit 1; }
done
cmake --build --preset aarch64 --target "${programs[@]}" "${tests[@]}"
cmake --build --preset release --target "${programs[@]}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The program as the other tests' scripts start it: one file.
sysroot=$(packaging/toolchains/arm64.sh --path)
arm64=$work/contrastive
printf '#!/bin/sh\nexec qemu-aarch64-static -L %s -E CONTRASTIVE_LIBTORCH=%s %s "$@"\n' \
  "$sysroot" "$cache/libtorch-2.11.0-aarch64/torch" "$PWD/build/aarch64/contrastive" >"$arm64"
chmod +x "$arm64"

summary=() failed=()
step() {  # step NAME COMMAND...: runs it, remembers its last line, or that it failed, goes on
  local name=$1 log=$work/log status=0 begin=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@" > >(tee "$log") 2>&1 || status=$?
  summary+=("$(printf '%-44s %5d s  %s' "$name" $((SECONDS - begin)) "$([ $status -eq 0 ] && echo passed || echo FAILED)")")
  [ $status -eq 0 ] || failed+=("$name")
}

# -cpu max has every instruction that qemu knows (dot products of bytes, bfloat16), cortex-a72 none that NEON did not begin with.
ctests() { ctest --test-dir build/aarch64 --output-on-failure --no-tests=error -R "^($(IFS='|'; echo "$*"))\$"; }
on_cpu() { local cpu=$1; shift; QEMU_CPU=$cpu "$@"; }
for test in "${tests[@]}"; do step "$test" on_cpu max ctests "$test"; done
step "test_encoder, a processor without dot products" on_cpu cortex-a72 ctests test_encoder

conformance() {  # the cases' own expectations, and then the lines that no processor may change
  local here=$work/here.jsonl there=$work/there.jsonl only=()
  [ "$what" = all ] || only=(--without train)
  build/release/conformance_c "$PWD" "$here" ${only[@]+"${only[@]}"} &&
    "${emulated[@]}" build/aarch64/conformance_c "$PWD" "$there" ${only[@]+"${only[@]}"} &&
    python3 tests/arm64/conformance.py "$here" "$there"
}
emulated=(qemu-aarch64-static -L "$sysroot" -E "CONTRASTIVE_LIBTORCH=$cache/libtorch-2.11.0-aarch64/torch")
step "conformance, beside this machine's" conformance

texts=$work/texts.txt
python3 - >"$texts" <<'PYTHON'
import json
for spec in json.load(open("tests/conformance/cases.json"))["texts"].values():
    text = spec.get("text", "") * spec.get("times", 1)
    if text.strip():
        print(" ".join(text.split()))
PYTHON
grep -hE '^[A-Z].{20,}' CONTRIBUTING.md core/README.md >>"$texts"

same_vectors() {  # same_vectors NAME MODEL COLUMNS LARGEST [OPTIONS...]
  local name=$1 model=$2 columns=$3 largest=$4
  shift 4
  build/release/contrastive encode --model "$model" --input "$texts" --output "$work/here.f32" "$@" 2>"$work/err" &&
    "$arm64" encode --model "$model" --input "$texts" --output "$work/there.f32" "$@" 2>"$work/err" ||
    { cat "$work/err"; return 1; }
  python3 tests/arm64/vectors.py "$name" "$work/there.f32" "$work/here.f32" "$columns" "$largest"
}
step "embeddings of a tiny BERT" same_vectors "tiny BERT" tests/fixtures/models/bert_st 32 1e-5
