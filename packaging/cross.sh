#!/usr/bin/env bash
# Builds the library for systems other than Linux with glibc, on Linux, with one compiler.
#
#   packaging/cross.sh [PLATFORM...]       win-x64 linux-musl-x64 linux-musl-arm64 osx-arm64 osx-x64
#                                          (default: all)
#   packaging/cross.sh --tests PLATFORM    also builds the tests that run there (tests/cross)
#
# The program still needs POSIX and is not built.
#
# packaging/toolchains/zig.sh installs the compiler and the sources of ICU and zlib, which are
# compiled into the library. The results are in ${CONTRASTIVE_DIST:-build/dist}/natives/PLATFORM; a
# build is kept in build/cross/PLATFORM, and ICU and zlib in the cache.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-${HOME:?set CONTRASTIVE_DEPS}/.cache}/libcontrastive}
dist=${CONTRASTIVE_DIST:-$root/build/dist}
cross=$cache/cross

say() { printf 'cross: %s\n' "$*" >&2; }
die() { printf 'cross: %s\n' "$*" >&2; exit 1; }

mapfile -t known < <(sed -n 's/^ *"\([a-z0-9-]*\):[A-Za-z]*:.*/\1/p' \
  "$root/packaging/cmake/zig.cmake")
tests=OFF
[ "${1:-}" != --tests ] || { tests=ON; shift; }
[ $# -gt 0 ] || set -- "${known[@]}"
"$root/packaging/toolchains/zig.sh"

# configure SOURCE BUILD ARGUMENT...: for $platform.
configure() {
  local source=$1 build=$2
  shift 2
  cmake -G Ninja -S "$source" -B "$build" \
    -D CMAKE_TOOLCHAIN_FILE="$root/packaging/cmake/zig.cmake" \
    -D CONTRASTIVE_TARGET="$platform" -D CMAKE_BUILD_TYPE=Release -D CMAKE_INSTALL_LIBDIR=lib "$@"
}

# dependency NAME SOURCE ARGUMENT...: built and installed for $platform, once.
dependency() {
  local name=$1 source=$2 mark=$cross/$platform/.$1 recipe
  shift 2
  recipe=$(cat "$root/packaging/cmake/zig.cmake" "$source/CMakeLists.txt" | sha256sum)
  [ "$(cat "$mark" 2>/dev/null)" != "$recipe" ] || return 0
  say "$platform: $name"
  configure "$source" "$cross/build/$platform-$name" -D CMAKE_INSTALL_PREFIX="$cross/$platform" \
    -D CMAKE_C_COMPILER_LAUNCHER=ccache -D CMAKE_CXX_COMPILER_LAUNCHER=ccache "$@" || return 1
  ninja -C "$cross/build/$platform-$name" install || return 1
  rm -rf "$cross/build/$platform-$name"
  echo "$recipe" >"$mark"
}

build() {  # `set -e` has no effect in a condition, so each step returns its failure
  local sources=$cross/sources
  mkdir -p "$cross/$platform"
  dependency icu "$root/packaging/natives/icu" -D ICU_SOURCE="$sources/icu/source" || return 1
  dependency zlib "$root/packaging/natives/zlib" -D ZLIB_SOURCE="$sources/zlib" || return 1
  if [ $tests = ON ]; then
    dependency googletest "$sources/googletest" || return 1
    dependency cmocka "$sources/cmocka" -D BUILD_SHARED_LIBS=OFF -D WITH_EXAMPLES=OFF \
      -D WITH_STATIC_LIB=ON || return 1
  fi
  configure "$root" "$root/build/cross/$platform" -D CONTRASTIVE_BUILD_TESTS=$tests \
    -D CONTRASTIVE_BUILD_CLI=OFF -D CONTRASTIVE_TRAINING=OFF || return 1
  ninja -C "$root/build/cross/$platform" || return 1
  rm -rf "$dist/natives/$platform"
  cmake --install "$root/build/cross/$platform" --prefix "$dist/natives/$platform"
}

mkdir -p "$root/build/cross"
for platform in "$@"; do
  [[ " ${known[*]} " == *" $platform "* ]] ||
    die "unknown platform '$platform'; known: ${known[*]}"
  log=$root/build/cross/$platform.log
  say "building for $platform; the log is $log"
  build >"$log" 2>&1 || { grep -m 20 -A 5 -E 'error|FAILED' "$log" >&2 || tail -n 30 "$log" >&2
    die "the build failed: $log"; }
  mapfile -t files < <(find "$dist/natives/$platform" \( -name '*contrastive*.dll' -o \
    -name '*contrastive.exe' -o -name 'libcontrastive*.so.*.*' -o -name 'libcontrastive*.*.dylib' \
    -o -path '*/bin/contrastive' \) -type f)
  python3 "$root/tests/cross/imports.py" "$platform" "${files[@]}" ||
    die "$platform: the binaries need or export what they should not"
done
