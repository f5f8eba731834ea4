#!/usr/bin/env bash
# sysroot.sh ARCH MIRROR-OF-11 MIRROR-OF-12 [COMPILER...]: run inside the root of Debian 12 by
# packaging/natives.sh; puts together /sysroots/TRIPLE, once:
#
#   from Debian 11   the C library, the C++ library's binary: what the results will need of a system
#   from Debian 12   headers alone: nlohmann's JSON, CLI11, Eigen, Boost, Gloo; and ICU and zlib,
#                    compiled from their sources
#
# apt checks every signature. Packages are unpacked, never run, so it serves for processors other
# than this machine's as well.
set -euo pipefail
arch=$1 mirror_11=$2 mirror_12=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
triple=$(dpkg-architecture -a "$arch" -q DEB_HOST_MULTIARCH 2>/dev/null)
sysroot=/sysroots/$triple
recipe=$(cat "$here/sysroot.sh" "$here/sysroot.cmake" "$here"/{icu,zlib}/CMakeLists.txt \
  "$here/$arch.cmake" "$here/$arch.sh" | sha256sum | cut -d ' ' -f 1)
[ "$(cat "$sysroot/.recipe" 2>/dev/null)" != "$recipe" ] || exit 0
export DEBIAN_FRONTEND=noninteractive

echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror_11 bullseye main
deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror_12 bookworm main" \
  >/etc/apt/sources.list.d/contrastive.list
# taken where it is asked for by name
printf 'Package: *\nPin: release n=bullseye\nPin-Priority: -1\n' >/etc/apt/preferences.d/contrastive
[ "$arch" = "$(dpkg --print-architecture)" ] || dpkg --add-architecture "$arch"
apt-get update -qq
[ $# -eq 0 ] || apt-get install -y -qq --no-install-recommends "$@"
# A cross compiler looks into /usr/TRIPLE before any sysroot, and what lies there is Debian 12's C
# library. Debian 11's starts no program whose first object is of that one as it should, and lacks
# what its headers name. The headers of C++ stay.
if [ -d "/usr/$triple/include" ]; then
  rm -rf "/usr/$triple/lib"
  find "/usr/$triple/include" -mindepth 1 -maxdepth 1 ! -name c++ -exec rm -rf {} +
fi

export CCACHE_DIR=/var/cache/ccache
work=/sysroots/work-$arch
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
cd "$work"
for package in libc6 libc6-dev linux-libc-dev libgcc-s1 libstdc++6; do
  apt-get download -qq "$package:$arch/bullseye"
done
apt-get download -qq nlohmann-json3-dev libcli11-dev libeigen3-dev "libboost1.74-dev:$arch" \
  "libgloo-dev:$arch"
rm -rf "$sysroot" "$sysroot.new"
mkdir -p "$sysroot.new/usr/lib"
ln -s usr/lib "$sysroot.new/lib"  # one folder for both, as Debian has it since
[ "$arch" != amd64 ] || { mkdir "$sysroot.new/usr/lib64"; ln -s usr/lib64 "$sysroot.new/lib64"; }
for package in *.deb; do dpkg --fsys-tarfile "$package" |
  tar x --keep-directory-symlink -C "$sysroot.new"; done
# Links that lead to the root's own libraries lead to this one's.
find "$sysroot.new" -type l -lname '/*' | while read -r link; do
  ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$sysroot.new$(readlink "$link")")" \
  "$link"; done
# Debian 11 has it where its compiler is
ln -s libstdc++.so.6 "$sysroot.new/usr/lib/$triple/libstdc++.so"
mv -T "$sysroot.new" "$sysroot"

apt-get source -qq --download-only icu zlib
# inside PACKAGE SOURCE-ARGUMENT LICENCE: compiled here, and linked into the library.
inside() {
  local package=$1
  dpkg-source --extract --skip-patches "$package"_*.dsc "$package" 2>/dev/null ||
    dpkg-source --extract "$package"_*.dsc "$package"
  cmake -G Ninja -S "$here/$package" -B "$package-build" -D "$2" \
    -D CMAKE_TOOLCHAIN_FILE="$here/$arch.cmake" -D CMAKE_BUILD_TYPE=Release \
    -D CMAKE_C_COMPILER_LAUNCHER=ccache -D CMAKE_CXX_COMPILER_LAUNCHER=ccache \
    -D CMAKE_INSTALL_PREFIX="$sysroot/usr" -D CMAKE_INSTALL_LIBDIR="lib/$triple"
  ninja -C "$package-build" install
  mkdir -p "$sysroot/usr/share/doc/$package"
  cp "$package/$3" "$sysroot/usr/share/doc/$package/copyright"
}
inside icu ICU_SOURCE="$work/icu/source" LICENSE
inside zlib ZLIB_SOURCE="$work/zlib" debian/copyright
echo "$recipe" >"$sysroot/.recipe"
