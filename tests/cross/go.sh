#!/usr/bin/env bash
# Builds the tests of the Go binding without cgo for another system, and runs those that need no
# LibTorch there: the conformance cases, and what goes through callbacks, files and arrays.
#
#   tests/cross/go.sh LIBRARY     contrastive.dll: for Windows, under Wine
#                                 libcontrastive.so.0 of linux-musl-x64: with musl's loader
#   tests/cross/go.sh             only builds them, for every platform that there is a library for
#
# The results of the conformance cases are compared with build/conformance/c.jsonl, which `ctest -R
# conformance_c` of the usual build writes. Needs packaging/toolchains/go.sh, and
# packaging/toolchains/zig.sh for Wine.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-${HOME:?set CONTRASTIVE_DEPS}/.cache}/libcontrastive}
say() { printf 'tests/cross/go: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
bin=$("$root/packaging/toolchains/go.sh" --path) || die "no Go: run packaging/toolchains/go.sh"
export PATH=$bin:$PATH CGO_ENABLED=0
work=$root/build/cross/go
mkdir -p "$work"
cd "$root/bindings/go"

build() {  # build SYSTEM PROCESSOR FILE [FLAG...]: the tests
  GOOS=$1 GOARCH=$2 go test -c -o "$work/$3" "${@:4}" .
}
tests='^(TestEveryCase|TestIndex|TestVectorsAsNPY|TestSearch|TestEncodeSeq|TestLogger|TestAHandler'
tests+='|TestACallOfAProgress|TestAPanicOfAProgress|TestTexts|TestMetrics|TestFailedCalls)'
# shellcheck disable=SC2209  # a mode of the script, not a command
case ${1-} in
  '')
    for platform in windows/amd64 linux/amd64 linux/arm64 darwin/amd64 darwin/arm64; do
      build "${platform%/*}" "${platform#*/}" "${platform/\//-}.test"
    done
    say "the tests of the Go binding were built for every platform"
    exit ;;
  *.dll) platform=win-x64 ;;
  *.so | *.so.*) platform=linux-musl-x64 ;;
  *) die "$1 is neither contrastive.dll nor libcontrastive.so.0" ;;
esac
library=$(realpath -e "$1")
output=$work/$platform.jsonl
rm -f "$output"

if [ $platform = win-x64 ]; then
  build windows amd64 tests.exe
  wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
  [ -x "$wine" ] || die "wine64 is missing: install the package wine64"
  export WINEDEBUG=-all WINEPREFIX=$work/wine
  # Go needs ProcessPrng, which Wine 8 lacks. Its other random numbers are as good here.
  if [ ! -e "$WINEPREFIX/drive_c/windows/system32/ProcessPrng" ]; then
    "$wine" wineboot --init >/dev/null 2>&1 || "$wine" wineboot
    system=$WINEPREFIX/drive_c/windows/system32
    cat >"$work/prng.c" <<'C'
unsigned char SystemFunction036(void *, unsigned long);
__declspec(dllexport) int ProcessPrng(void *bytes, unsigned long long count) {
  return SystemFunction036(bytes, (unsigned long)count);
}
C
    "$cache/zig-0.17.1/tools/x86_64-windows-gnu-clang" -shared -o "$work/bcryptprimitives.dll" \
      "$work/prng.c" -ladvapi32
    cp "$work/bcryptprimitives.dll" "$system/bcryptprimitives.dll"
    touch "$system/ProcessPrng"
  fi
  export WINEDLLOVERRIDES=bcryptprimitives=n
  export CONTRASTIVE_LIBRARY="Z:$library" CONTRASTIVE_CONFORMANCE_OUTPUT="Z:$output"
  run=("$wine" "$work/tests.exe")
else
  loader=/lib/ld-musl-x86_64.so.1
  [ -e $loader ] || die "$loader is missing: install the package musl"
  build linux amd64 tests-musl -ldflags "-I $loader"
  export CONTRASTIVE_LIBRARY=$library CONTRASTIVE_CONFORMANCE_OUTPUT=$output
  run=("$work/tests-musl")
fi
"${run[@]}" -test.count=1 -test.v -test.run "$tests" >"$work/$platform.log" 2>&1 || {
  grep -vE '^(=== |--- PASS| *--- PASS)' "$work/$platform.log" | tail -n 40 >&2
  die "failed on $platform; the log is $work/$platform.log"; }
passed=$(grep -c '^--- PASS' "$work/$platform.log")
[ "$passed" -ge 10 ] || die "only $passed tests ran on $platform: $work/$platform.log"
[ -s "$root/build/conformance/c.jsonl" ] ||
  die "$passed tests passed on $platform, but there is no build/conformance/c.jsonl to compare with"
"$root/tests/cross/compare.py" "$root/build/conformance/c.jsonl" "$output" ||
  die "the conformance cases differ on $platform"
say "$passed tests passed on $platform"
