#!/usr/bin/env bash
# long.sh BUILD [KILLS]: the whole sweeps of what ctest -L faults runs portions of; hours, at low priority. RESULTS.md has the figures of the last ones.
#
# sanitizers.sh, soak.sh, planted.sh and ../fuzz/run.sh are long as well, and run by themselves.
#
#   tests/faults/long.sh build/release          every system call of a save, every call on a file, 10,000 mutants, 10,000 kills of training,
#                                               every allocation
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${1:?the build folder}") kills=${2:-10000} fixtures=$PWD/tests/fixtures
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
sweep "allocations fail in a process that has done nothing" "$(program test_allocation_faults)" --cold --most 2000
exit $failed
