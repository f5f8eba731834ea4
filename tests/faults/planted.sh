#!/usr/bin/env bash
# planted.sh [NAME... | --check]: the tests find what they are there for. Each bug of
# planted/NAME.patch is put into a copy of the tree (build/planted), its target is built there, and
# its test, run in the build folder, must fail and say what is wrong; without the bug it must pass.
# The head of a patch tells:
#   # target: what is built   # test: the command   # says: a line of its output (grep -E)   #
#                             preset: of the build, where it is not release
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$PWD/build/planted patches=$PWD/tests/faults/planted
names=("$@")
[ $# -gt 0 ] || for patch in "$patches"/*.patch; do names+=("$(basename "$patch" .patch)"); done

if [ "${1:-}" = --check ]; then  # the code that a patch is of may have changed: this takes no build
  for patch in "$patches"/*.patch; do
    git apply --check "$patch" || { echo "$patch does not fit any more" >&2; exit 1; }
  done
  echo "$(ls "$patches" | wc -l) planted bugs fit"
  exit 0
fi

# Only what changed is copied, so that a second run builds little.
mkdir -p "$copy"
while IFS= read -r -d '' file; do
  cmp -s "$file" "$copy/$file" || install -D -m "$(stat -c %a "$file")" "$file" "$copy/$file"
done < <(git ls-files -z)
cd "$copy"
# as in sanitizers.sh
export TSAN_OPTIONS=suppressions=$PWD/tests/faults/tsan.supp:ignore_noninstrumented_modules=1
build() {
  mkdir -p "$folder"
  cmake --preset "$preset" >"$folder/configure.log" 2>&1 || {
    tail -n 20 "$folder/configure.log"; exit 1; }
  cmake --build "$folder" --target "$target" >"$folder/build.log" 2>&1 || {
    tail -n 20 "$folder/build.log"; exit 1; }
}
run() { (cd "$folder" && eval "$test") >"$folder/planted.log" 2>&1; }

failed=0
for name in "${names[@]}"; do
  patch=$patches/$name.patch
  target=$(sed -n 's/^# target: //p' "$patch") test=$(sed -n 's/^# test: //p' "$patch")
  says=$(sed -n 's/^# says: //p' "$patch") preset=$(sed -n 's/^# preset: //p' "$patch")
  folder=build/${preset:=release}
  [ -n "$target" ] && [ -n "$test" ] && [ -n "$says" ] || {
    echo "$name.patch names no target, no test, or not what it says" >&2; exit 2; }
  build
  run || { echo "$name: '$test' fails without the bug:"; tail -n 20 "$folder/planted.log"; failed=1;
    continue; }
  patch -s -p1 <"$patch"
  build
  if run; then
    echo "$name: NOT FOUND by '$test'"
    failed=1
  elif ! grep -qE -- "$says" "$folder/planted.log"; then
    echo "$name: '$test' fails, and does not say '$says':"
    tail -n 20 "$folder/planted.log"
    failed=1
  else
    echo "$name: found by '$test': $(grep -m 1 -E -- "$says" "$folder/planted.log")"
  fi
  patch -s -R -p1 <"$patch"
done
exit "$failed"
