#!/usr/bin/env bash
# build.sh ARCH: run inside the root of Debian 12 by packaging/natives.sh: /source is the tree, /build and /ccache are kept, /libtorch is LibTorch, and the
# prefix appears in /out.
set -euo pipefail
arch=$1
toolchain=/source/packaging/natives/$arch.cmake
triple=$(dpkg-architecture -a "$arch" -q DEB_HOST_MULTIARCH 2>/dev/null)
sysroot=/sysroots/$triple
export CCACHE_DIR=/ccache CCACHE_MAXSIZE=3G CONTRASTIVE_DEPS=/nowhere

cmake -G Ninja -S /source -B /build/library -D CMAKE_TOOLCHAIN_FILE="$toolchain" -D CMAKE_BUILD_TYPE=Release -D CMAKE_INSTALL_LIBDIR=lib \
  -D CMAKE_UNITY_BUILD=ON -D CMAKE_UNITY_BUILD_BATCH_SIZE=8 -D CONTRASTIVE_BUILD_TESTS=OFF -D CONTRASTIVE_LIBTORCH=/libtorch -D CONTRASTIVE_RECORDED_LIBTORCH=
ninja -C /build/library
cmake --install /build/library --prefix /out --strip
