#!/usr/bin/env bash
# Builds with a sanitizer and runs the suites under it.
#
#   tests/faults/sanitizers.sh address [CTEST ARGUMENTS...]   ASan, LSan and UBSan: every C and C++ suite, the command line, the corpus of the fuzzers
#   tests/faults/sanitizers.sh thread [CTEST ARGUMENTS...]    TSan: what runs on several threads (capi, runtime, train)
#
# Ends with what ctest says and the number of reports; exit status 1 where there is one, or a test failed. The logs are build/asan/sanitizers.log and
# build/tsan/sanitizers.log. The first build takes as long as that of release, the suites several times as long as there: this is no part of
# tests/run.sh. Its last outcome stands in RESULTS.md. Not run: tests that measure memory or look at the installed library, of which nothing is left.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
case ${1:-} in
  address) preset=asan choice=(-E '^(guard_.*|capi_install|capi_symbols|capi_memory)$') targets=(all) ;;
  thread)
    preset=tsan choice=(-R '^(capi_(handles|config|model|encode|trainer|evaluate|hostile|similarity)|test_runtime|test_train)$')
    targets=(capi_handles capi_config capi_model capi_encode capi_trainer capi_evaluate capi_hostile capi_similarity test_runtime test_train)
    ;;
  *) sed -n '2,6p' "$0" >&2; exit 2 ;;
esac
shift
[ $# -eq 0 ] || choice=("$@")

build=build/$preset log=$root/build/$preset/sanitizers.log
mkdir -p "$build"
if [ -z "${CONTRASTIVE_BUILT:-}" ]; then  # set where somebody else has built what is to run
  cmake --preset "$preset" >"$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
  cmake --build "$build" --target "${targets[@]}"
fi
# A null from malloc for absurd sizes is what the suites ask for. LibTorch is not instrumented: what it keeps or locks on its own is suppressed by name.
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:abort_on_error=0:strict_string_checks=1:detect_stack_use_after_return=1
export LSAN_OPTIONS=suppressions=$root/tests/faults/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=suppressions=$root/tests/faults/tsan.supp:halt_on_error=0:second_deadlock_stack=1:ignore_noninstrumented_modules=1
failed=0
ctest --test-dir "$build" --output-on-failure --verbose --output-log "$log" "${choice[@]}" >/dev/null || failed=1
sed -n '/^[0-9]*% tests passed/,$p' "$log"
reports=$(grep -cE 'ERROR: (Address|Leak)Sanitizer|WARNING: ThreadSanitizer|: runtime error: ' "$log" || true)
printf '%s reports; log: %s\n' "$reports" "$log"
[ "$failed" -eq 0 ] && [ "$reports" -eq 0 ]
