#!/usr/bin/env bash
# planted.sh [NAME...]: the tests find what they are there for. Each bug of planted/NAME.patch is put into a copy of the tree; the test that is named
# here for it must fail there. Builds the copy once (build/planted), then what a patch changes.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD copy=$PWD/build/planted

# NAME: TARGET, and the command that must fail
declare -A target=(
  [unguarded_allocation]=test_allocation_faults
  [leaked_handle]=test_allocation_faults
)
declare -A command=(
  [unguarded_allocation]="./test_allocation_faults --most 300 save"
  [leaked_handle]="./test_allocation_faults --most 10 load"
)

names=("$@")
[ $# -gt 0 ] || for patch in tests/faults/planted/*.patch; do names+=("$(basename "$patch" .patch)"); done
mkdir -p "$copy"
git ls-files -z | tar --null -T - -cf - | tar -xf - -C "$copy"
mkdir -p "$copy/build/release"
(cd "$copy" && cmake --preset release >build/release/configure.log 2>&1)

failed=0
for name in "${names[@]}"; do
  [ -n "${target[$name]:-}" ] || { echo "planted.sh: no test is named for '$name'" >&2; exit 2; }
  (cd "$copy" && cmake --build build/release --target "${target[$name]}" >build/release/build.log)
  if ! (cd "$copy/build/release" && eval "${command[$name]}" >before.log 2>&1); then
    echo "$name: ${command[$name]} fails without the bug:"; tail -n 20 "$copy/build/release/before.log"; failed=1; continue
  fi
  patch -s -p1 -d "$copy" <"$root/tests/faults/planted/$name.patch"
  (cd "$copy" && cmake --build build/release --target "${target[$name]}" >build/release/build.log)
  if (cd "$copy/build/release" && eval "${command[$name]}" >planted.log 2>&1); then
    echo "$name: NOT FOUND by ${command[$name]}"; failed=1
  else
    echo "$name: found by ${command[$name]}"
  fi
  patch -s -R -p1 -d "$copy" <"$root/tests/faults/planted/$name.patch"
done
exit "$failed"
