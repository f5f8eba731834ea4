#!/usr/bin/env bash
# Plants a bug of each class in a copy of the tree and expects the test that is there for it to fail: who checks the checks.
#
#   tests/faults/planted.sh [NAME...]      all of tests/faults/planted where none is named
#
# A bug is tests/faults/planted/NAME.patch. Its lines "# key: value" in front say what is planted: `preset` (release where there is none), `target`, which
# is built, and `test`, a command run in the build folder that must fail with the bug, and must pass without it. The copy lies in build/planted and is
# kept, with its build folders, for the next time. Ends with a line "NAME: caught by TEST" each; exit status 1 where one is not.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD copy=$PWD/build/planted
names=("$@")
if [ $# -eq 0 ]; then mapfile -t names < <(find tests/faults/planted -name '*.patch' -printf '%f\n' | sed 's/\.patch$//' | sort); fi
[ ${#names[@]} -gt 0 ] || { echo "planted.sh: there is nothing to plant" >&2; exit 1; }
export CCACHE_BASEDIR=$copy CCACHE_NOHASHDIR=1

value() { sed -n "s/^# $2: //p" "$1"; }
missed=0
for name in "${names[@]}"; do
  patch=$root/tests/faults/planted/$name.patch
  preset=$(value "$patch" preset) target=$(value "$patch" target) test=$(value "$patch" test)
  preset=${preset:-release}
  mkdir -p "$copy"
  git ls-files -z --cached --others --exclude-standard | tar -c --null --files-from=- | tar -x -C "$copy"
  # What was patched the last time has its old date again, and an object that is newer.
  sed -n 's|^+++ b/||p' "$patch" | (cd "$copy" && xargs touch)
  make() {  # make WHAT: configures, builds the target and runs the test
    mkdir -p "$copy/build/$preset"
    (cd "$copy" && cmake --preset "$preset" >"build/$preset/configure.log" 2>&1 && cmake --build "build/$preset" --target "$target" >"build/$preset/planted.log" 2>&1) ||
      { echo "$name: $1 does not build: $copy/build/$preset/planted.log"; return 2; }
    (cd "$copy/build/$preset" && timeout 900 bash -c "$test") >"$copy/$name.$1.log" 2>&1 || return 1
  }
  status=0
  make without || status=$?
  if [ "$status" -ne 0 ]; then missed=1; echo "$name: '$test' fails without the bug: $copy/$name.without.log"; continue; fi
  (cd "$copy" && patch -p1 --quiet <"$patch") || { missed=1; echo "$name: the patch does not fit any more"; continue; }
  status=0
  make with || status=$?
  (cd "$copy" && patch -p1 --quiet --reverse <"$patch")
  if [ "$status" -eq 1 ]; then echo "$name: caught by '$test'"; else missed=1; echo "$name: NOT caught by '$test'"; fi
done
exit "$missed"
