#!/usr/bin/env bash
# build.sh ARCH: run inside the root of Debian 12 by packaging/natives.sh: /source is the tree,
# /build and /ccache are kept, /libtorch is LibTorch, /libtorch-VERSION others, and the prefix
# appears in /out.
set -euo pipefail
arch=$1
toolchain=/source/packaging/natives/$arch.cmake
triple=$(dpkg-architecture -a "$arch" -q DEB_HOST_MULTIARCH 2>/dev/null)
sysroot=/sysroots/$triple
export CCACHE_DIR=/ccache CCACHE_MAXSIZE=3G CONTRASTIVE_DEPS=/nowhere

# The program writes its manual and its completion. With a toolchain file CMake believes that
# nothing runs here, unless something runs it.
runs_it=/usr/bin/env
[ "$arch" = "$(dpkg --print-architecture)" ] || runs_it="qemu-${triple%%-*}-static;-L;$sysroot"
cmake -G Ninja -S /source -B /build/library -D CMAKE_CROSSCOMPILING_EMULATOR="$runs_it" \
  -D CMAKE_TOOLCHAIN_FILE="$toolchain" -D CMAKE_BUILD_TYPE=Release -D CMAKE_INSTALL_LIBDIR=lib \
  -D CONTRASTIVE_BUILD_TESTS=OFF -D CONTRASTIVE_ARROW=OFF -D CONTRASTIVE_LIBTORCH=/libtorch \
  -D CONTRASTIVE_RECORDED_LIBTORCH=/opt/libtorch/lib
ninja -C /build/library
cmake --install /build/library --prefix /out --strip
# Training plugins for the other versions of LibTorch, from the same sources for the same library.
for other in /libtorch-*; do
  [ -e "$other/lib/libtorch_cpu.so" ] || continue
  version=${other#/libtorch-}
  cmake -G Ninja -S /source -B "/build/torch-$version" -D CMAKE_TOOLCHAIN_FILE="$toolchain" \
    -D CMAKE_BUILD_TYPE=Release -D CONTRASTIVE_BUILD_TESTS=OFF -D CONTRASTIVE_BUILD_CLI=OFF \
    -D CONTRASTIVE_LIBTORCH="$other" -D CONTRASTIVE_RECORDED_LIBTORCH=/opt/libtorch/lib \
    -D CONTRASTIVE_PLUGIN_SUFFIX="-$version"
  ninja -C "/build/torch-$version" contrastive_torch
  cmake --install "/build/torch-$version" --prefix /out --component torch --strip
done

# What is compiled with, once more as Debian has its folders.
cmake -S /source -B /build/library -D CMAKE_INSTALL_LIBDIR="lib/$triple" >/dev/null
DESTDIR=/out/debian cmake --install /build/library --prefix /usr --component devel
cmake -S /source -B /build/library -D CMAKE_INSTALL_LIBDIR=lib >/dev/null

# The native halves of bindings/java and bindings/csharp, against what was just built.
for half in jni:/source/bindings/java/jni:libcontrastive_java.so \
  csharp:/source/packaging/natives/csharp:libcontrastive_csharp.so; do
  IFS=: read -r name source file <<<"$half"
  cmake -G Ninja -S "$source" -B "/build/$name" -D CMAKE_TOOLCHAIN_FILE="$toolchain" \
    -D CMAKE_BUILD_TYPE=Release -D CONTRASTIVE_LIBRARY=/out/lib/libcontrastive.so
  ninja -C "/build/$name"
  mkdir -p "/out/lib/$name"
  "$triple-strip" --strip-unneeded -o "/out/lib/$name/$file" \
    "$(find "/build/$name" -name "$file" | head -n 1)"
done

# Licences of what is inside, as Debian's packages have them.
mkdir -p /out/share/doc/contrastive
cp /source/LICENSE /source/NOTICE /source/THIRD_PARTY_LICENSES /out/share/doc/contrastive/
for inside in icu zlib nlohmann-json3-dev libcli11-dev libeigen3-dev libboost1.74-dev \
  libgloo-dev; do
  cp "$sysroot/usr/share/doc/$inside/copyright" "/out/share/doc/contrastive/LICENSE.$inside"
done
