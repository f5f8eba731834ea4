#!/usr/bin/env bash
# Runs the tests of the library for other systems on this machine; README.md has the details.
#
#   tests/cross/run.sh [PLATFORM...]     win-x64, linux-musl-x64, linux-musl-arm64 (default: all)
#
# The conformance cases of x86-64 are compared with build/conformance/c.jsonl, which `ctest -R
# conformance_c` of the usual build writes, and those of arm64 with the file that
# CONTRASTIVE_ARM64_CASES names.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
say() { printf 'tests/cross: %s\n' "$*" >&2; }
die() { printf 'tests/cross: %s\n' "$*" >&2; exit 1; }
# shellcheck source=packaging/apt.sh
. "$root/packaging/apt.sh"
# shellcheck source=packaging/debian_root.sh
. "$root/packaging/debian_root.sh"
[ $# -gt 0 ] || set -- win-x64 linux-musl-x64 linux-musl-arm64
missing=()
command -v wine64 >/dev/null || [ -x /usr/lib/wine/wine64 ] || missing+=(wine64)
command -v qemu-aarch64-static >/dev/null || missing+=(qemu-user-static)
[ -e /lib/ld-musl-x86_64.so.1 ] || missing+=(musl)
apt_install ${missing[@]+"${missing[@]}"}

# bare: the conformance cases in a system that holds nothing but the library and musl's loader.
bare() {
  local place
  place=$(mktemp -d)
  mkdir -p "$place/lib" "$place/proc" "$place/tmp" "$place$root/tests" "$place$build"
  cp -L /lib/ld-musl-x86_64.so.1 "$place/lib/"
  cp -P "$build"/libcontrastive.so* "$build/conformance_c" "$place$build/"
  cp -r "$root"/tests/{conformance,fixtures} "$place$root/tests/"
  # shellcheck disable=SC2016  # expanded inside
  as_root unshare --mount --pid --fork sh -c \
    'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$place" "$build/conformance_c" \
    "$root" /tmp/cases.jsonl tokenize encode save error &&
    cmp "$place/tmp/cases.jsonl" "$build/conformance.jsonl" || failed=1
  as_root rm -rf --one-file-system "$place"
}

failed=0
for platform in "$@"; do
  build=$root/build/cross/$platform
  "$root/packaging/cross.sh" --tests "$platform"
  if [ "$platform" = win-x64 ]; then
    python3 "$root/tests/cross/spills.py" "$build/contrastive.dll" || failed=1
  fi
  export WINEDEBUG=-all WINEPREFIX="$build/wine"
  ctest --test-dir "$build" --output-on-failure -j 2 || failed=1
  [ "$platform" != linux-musl-x64 ] || bare
  expected=$root/build/conformance/c.jsonl
  [ "$platform" != linux-musl-arm64 ] || expected=${CONTRASTIVE_ARM64_CASES:-}
  if [ -z "$expected" ]; then
    say "$platform: vectors are not compared, because CONTRASTIVE_ARM64_CASES names no file"
  else
    "$root/tests/cross/compare.py" "$expected" "$build/conformance.jsonl" || failed=1
  fi
done
[ $failed = 0 ] || die "failed"
say "passed on: $*"
