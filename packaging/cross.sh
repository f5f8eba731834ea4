#!/usr/bin/env bash
# Builds the library for systems other than Linux with glibc, on Linux, with one compiler.
#
#   packaging/cross.sh [PLATFORM...]       win-x64 linux-musl-x64 linux-musl-arm64 osx-arm64 osx-x64
#                                          (default: all)
#   packaging/cross.sh --tests PLATFORM    also builds the tests that run there (tests/cross)
#
# The program is not built: it needs POSIX, and was never linked for these systems. The native half
# of the C# package needs SWIG; the Java package builds its own (packaging/packages/maven.sh).
#
# packaging/toolchains/zig.sh installs the compiler and the sources of ICU and zlib, which are
# compiled into the library. The results are in ${CONTRASTIVE_DIST:-build/dist}/natives/PLATFORM,
# laid out like those of packaging/natives.sh (packaging/README.md); a build is kept in
# build/cross/PLATFORM, and ICU and zlib in the cache.
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

# half LIBRARY PREFIX: the native half of bindings/csharp, in lib/csharp.
half() {
  local folder=$root/build/cross/$platform-csharp
  configure "$root/packaging/natives/csharp" "$folder" -D CONTRASTIVE_LIBRARY="$1" || return 1
  ninja -C "$folder" || return 1
  mkdir -p "$2/lib/csharp"
  find "$folder" -name '*contrastive_csharp.so' -o -name '*contrastive_csharp.dylib' -o \
    -name 'contrastive_csharp.dll' | xargs -I{} cp {} "$2/lib/csharp/"
}

# licences FOLDER: of what is inside.
licences() {
  local inside run_time=$cache/zig-0.17.1/ziglang/lib
  mkdir -p "$1"
  cp "$root"/{LICENSE,NOTICE,THIRD_PARTY_LICENSES} "$1"
  cp "$cross/sources/icu/LICENSE" "$1/LICENSE.icu"
  cp "$cross/sources/zlib/debian/copyright" "$1/LICENSE.zlib"
  for inside in nlohmann-json3-dev libeigen3-dev; do
    cp "/usr/share/doc/$inside/copyright" "$1/LICENSE.$inside"
  done
  cp "$run_time/libcxx/LICENSE.TXT" "$1/LICENSE.llvm"
  [ "$platform" != win-x64 ] || cp "$run_time/libc/mingw/COPYING" "$1/LICENSE.mingw-w64"
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
  local prefix=$dist/natives/$platform
  configure "$root" "$root/build/cross/$platform" -D CONTRASTIVE_BUILD_TESTS=$tests \
    -D CONTRASTIVE_BUILD_CLI=OFF -D CONTRASTIVE_TRAINING=OFF || return 1
  ninja -C "$root/build/cross/$platform" || return 1
  rm -rf "$prefix"
  cmake --install "$root/build/cross/$platform" --prefix "$prefix" || return 1
  licences "$prefix/share/doc/contrastive" || return 1
  if ! command -v swig >/dev/null; then
    say "$platform: without the native half of the C# package, which needs SWIG"
    return
  fi
  half "$(find "$prefix" -name libcontrastive.so -o -name libcontrastive.dylib -o \
    -name libcontrastive.dll.a)" "$prefix"
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
    -o -path '*/bin/contrastive' -o -path '*/lib/csharp/*' \) -type f)
  python3 "$root/tests/cross/imports.py" "$platform" "${files[@]}" ||
    die "$platform: the binaries need or export what they should not"
done
