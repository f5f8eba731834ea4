#!/usr/bin/env bash
# long.sh BUILD [KILLS [more]]: the whole sweeps of what ctest -L faults runs portions of; hours, at
# low priority. RESULTS.md has the figures of the last ones.
#
#   tests/faults/long.sh build/release          every system call of a save, every call on a file,
#                                               10,000 mutants, 10,000 kills of training,
#                                               every allocation, the planted bugs
#   tests/faults/long.sh build/release 10000 more     and the sanitizers, the fuzzers for half an
#                                                     hour each, and soaks of an hour in every
#                                                     language, whose packages their test.sh has
#                                                     built: two days
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${1:?the build folder}") kills=${2:-10000} more=${3:-} \
  fixtures=$PWD/tests/fixtures
renice -n 19 $$ >/dev/null
failed=0
sweep() {  # sweep NAME COMMAND...
  local name=$1 begin=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@" || { failed=1; printf '== %s FAILED\n' "$name"; }
  printf '== %s: %d s\n' "$name" $((SECONDS - begin))
}
program() { find "$build" -type f -name "$1" -perm -u+x | head -n 1; }

sweep "kill -9 at every system call of a save" "$(program kills)" "$fixtures" 1
sweep "every call on a file fails" "$(program io_faults)" "$fixtures" 1
sweep "10,000 mutants" "$(program mutants)" "$fixtures" 10000 "$(date +%Y%m%d)"
sweep "$kills kills of training" "$(program train_kills)" "$fixtures" "$kills" "$(date +%d%H%M)"
sweep "every allocation fails" "$(program test_allocation_faults)"
sweep "allocations fail in a process that has done nothing" "$(program test_allocation_faults)" \
  --cold --most 2000
sweep "allocations of two threads fail" "$(program test_allocation_faults)" --threads 2 --most 1000
sweep "planted bugs" tests/faults/planted.sh
if [ -n "$more" ]; then
  for sanitizer in address thread; do sweep "sanitizers: $sanitizer" tests/faults/sanitizers.sh \
    $sanitizer; done
  sweep "half an hour of each fuzzer" tests/fuzz/run.sh 1800
  for language in c go rust java csharp serve; do
    sweep "an hour of $language" tests/faults/soak.sh $language 3600; done
fi
exit $failed
