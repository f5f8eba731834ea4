#!/usr/bin/env bash
# planted.sh [NAME...]: the tests find what they are there for. Each bug of planted/NAME.patch is put into a copy of the tree (build/planted), its target
# is built there, and its test, run in the build folder, must fail; without the bug it must pass. The head of a patch tells both:
#   # target: what is built        # test: the command
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$PWD/build/planted patches=$PWD/tests/faults/planted
names=("$@")
[ $# -gt 0 ] || for patch in "$patches"/*.patch; do names+=("$(basename "$patch" .patch)"); done

# Only what changed is copied, so that a second run builds little.
mkdir -p "$copy/build/release"
while IFS= read -r -d '' file; do
  cmp -s "$file" "$copy/$file" || install -D -m "$(stat -c %a "$file")" "$file" "$copy/$file"
done < <(git ls-files -z)
cd "$copy"
cmake --preset release >build/release/configure.log 2>&1
build() { cmake --build build/release --target "$target" >build/release/build.log 2>&1 || { tail -n 20 build/release/build.log; exit 1; }; }
run() { (cd build/release && eval "$test") >build/release/planted.log 2>&1; }

failed=0
for name in "${names[@]}"; do
  patch=$patches/$name.patch
  target=$(sed -n 's/^# target: //p' "$patch") test=$(sed -n 's/^# test: //p' "$patch")
  [ -n "$target" ] && [ -n "$test" ] || { echo "$name.patch names no target or no test" >&2; exit 2; }
  build
  run || { echo "$name: '$test' fails without the bug:"; tail -n 20 build/release/planted.log; failed=1; continue; }
  patch -s -p1 <"$patch"
  build
  if run; then
    echo "$name: NOT FOUND by '$test'"
    failed=1
  else
    echo "$name: found by '$test'"
  fi
  patch -s -R -p1 <"$patch"
done
exit "$failed"
