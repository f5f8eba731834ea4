#!/usr/bin/env bash
# Builds with a sanitizer and runs the suites under it.
#
#   tests/faults/sanitizers.sh address [CTEST ARGUMENTS...]   ASan, LSan and UBSan: every C and C++
#                                                             suite, the command line, the corpus of
#                                                             the fuzzers
#   tests/faults/sanitizers.sh thread [CTEST ARGUMENTS...]    TSan: the multi-threaded suites (capi,
#                                                             runtime, train, the storm, the server)
#
# It prints the summary of ctest and the number of reports. The exit status is 1 if there is a
# report or a test failed. The logs are build/asan/sanitizers.log and build/tsan/sanitizers.log. The
# first build takes as long as a release build, and the suites take several times as long, so
# tests/run.sh does not run it. RESULTS.md has the last results. Tests that measure memory or
# inspect the installed library are left out, because a sanitizer changes both.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
case ${1:-} in
  address)
    # Not run under it, each for its reason:
    #   guard_*          read sources, and run nothing of ours
    #   capi_install     installs the library for programs that are built without a sanitizer
    #   capi_symbols, capi_platform, docs_licences    look at a release
    #   capi_memory, fault_limits, fault_mutants    limit the address space, of which ASan takes
    #                                               terabytes
    #   fault_files, fault_kills_of_saves           trace the process, which LSan must do itself
    #   fault_kills_of_training*                    measure processor time: under ASan all 60 kills
    #                                               of a trial came before the first save
    preset=asan targets=(all)
    excluded='guard_.*|capi_(install|symbols|platform|memory)|docs_licences'
    excluded+='|fault_(limits|mutants|files|kills_of_.*)'
    choice=(-E "^($excluded)\$")
    # Of the suites, what is counted in the memory of the whole process: ASan has shadows of it, and
    # keeps what was freed.
    GTEST_FILTER=-LongText.MemoryDoesNotGrowWithTheText
    GTEST_FILTER+=:Dataset.AFileOfAnySizeTakesEightBytesALine
    export GTEST_FILTER
    ;;
  thread)
    preset=tsan
    suites=(handles config model encode trainer evaluate hostile similarity error cancel log
      tokenize dataset describe)
    targets=("${suites[@]/#/capi_}" test_runtime test_train test_dist test_train_ranks storm
      contrastive_cli)
    included="capi_($(IFS='|'; echo "${suites[*]}"))"
    included+='|test_runtime|test_train|test_dist|test_train_ranks|storm|cli_serve'
    choice=(-R "^($included)\$")
    ;;
  *) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
shift
[ $# -eq 0 ] || choice=("$@")

build=build/$preset log=$root/build/$preset/sanitizers.log
mkdir -p "$build"
if [ -z "${CONTRASTIVE_BUILT:-}" ]; then  # set where somebody else has built what is to run
  cmake --preset "$preset" >"$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
  cmake --build "$build" --target "${targets[@]}"
fi
# detect_stack_use_after_return is off: GCC 12 puts 64-byte vectors into fake stack frames with a
# smaller alignment, and then uses aligned moves, so score_tile ends with SIGSEGV. malloc may return
# null, because the suites request absurd sizes. LibTorch is not instrumented: its leaks and locks
# are suppressed by name. intercept_tls_get_addr is off: at exit, LSan of GCC 12 follows stale
# records of LibTorch's TLS, and ends with SIGSEGV. die_after_fork is off, because the child of a
# fork starts threads.
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:abort_on_error=0
ASAN_OPTIONS+=:strict_string_checks=1:intercept_tls_get_addr=0
export LSAN_OPTIONS=suppressions=$root/tests/faults/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=suppressions=$root/tests/faults/tsan.supp:halt_on_error=0
TSAN_OPTIONS+=:second_deadlock_stack=1:ignore_noninstrumented_modules=1:die_after_fork=0
export CONTRASTIVE_SANITIZED=1  # the tests of the server judge no memory and less of the clock
failed=0
ctest --test-dir "$build" --output-on-failure --verbose --output-log "$log" "${choice[@]}" \
  >/dev/null || failed=1
sed -n '/^[0-9]*% tests passed/,$p' "$log"
reports=$(grep -cE 'ERROR: (Address|Leak)Sanitizer|WARNING: ThreadSanitizer|: runtime error: ' \
  "$log" || true)
printf '%s reports; log: %s\n' "$reports" "$log"
[ "$failed" -eq 0 ] && [ "$reports" -eq 0 ]
