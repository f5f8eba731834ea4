#!/usr/bin/env bash
# Installs what packaging/cross.sh builds with: a Clang that compiles for Windows, musl and macOS
# and brings the C and C++ libraries of those systems, the headers of the libraries that consist of
# headers alone, the sources of ICU, zlib, GoogleTest and cmocka, and musl's loader for arm64.
#
#   packaging/toolchains/zig.sh           Debian or Ubuntu on x86-64; a second run only checks
#
# The compiler is PyPI's ziglang, pinned by hash. Headers and sources are those of Debian 12;
# apt checks their signatures. CONTRASTIVE_DEBIAN_MIRROR: see packaging/debian_root.sh.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-${HOME:?set CONTRASTIVE_DEPS}/.cache}/libcontrastive}

say() { printf 'toolchains/zig: %s\n' "$*" >&2; }
die() { printf 'toolchains/zig: %s\n' "$*" >&2; exit 1; }
# shellcheck source=packaging/apt.sh
. "$root/packaging/apt.sh"
# shellcheck source=packaging/wheels.sh
. "$root/packaging/wheels.sh"
# shellcheck source=packaging/debian_root.sh
. "$root/packaging/debian_root.sh"

[ "$(uname -sm)" = "Linux x86_64" ] || die "the pinned compiler is for Linux on x86-64"
missing=()
for package in nlohmann-json3-dev libcli11-dev libeigen3-dev libboost-dev dpkg-dev \
  debian-archive-keyring cmake ninja-build ccache python3-pip unzip; do
  dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' ||
    missing+=("$package")
done
apt_install ${missing[@]+"${missing[@]}"}

# --- the compiler ---------------------------------------------------------------------------------
zig=$cache/zig-0.17.1
fetch_wheels zig.txt zig-0.17.1
chmod +x "$zig/ziglang/zig"
mkdir -p "$zig/tools"
# CMake and ccache want a program of one word, whose name says that it is Clang.
script() {  # script NAME ZIG-COMMAND...
  local name=$1
  shift
  printf '#!/bin/sh\nexec "%s/ziglang/zig" %s "$@"\n' "$zig" "$*" >"$zig/tools/$name"
  chmod +x "$zig/tools/$name"
}
for target in $(sed -n 's/^ *"[a-z0-9-]*:[A-Za-z]*:[a-z0-9_]*:\([^":]*\)".*/\1/p' \
  "$root/packaging/cmake/zig.cmake"); do
  script "$target-clang" cc -target "$target"
  script "$target-clang++" c++ -target "$target"
done
for tool in ar ranlib rc; do script $tool $tool; done

# --- headers and sources --------------------------------------------------------------------------
cross=$cache/cross
mkdir -p "$cross/headers/include" "$cross/headers/share/cmake"
for name in nlohmann CLI eigen3 boost; do
  ln -sfn "/usr/include/$name" "$cross/headers/include/$name"
done
cp -r /usr/share/cmake/nlohmann_json /usr/share/cmake/CLI11 "$cross/headers/share/cmake/"
cp -r /usr/share/eigen3 "$cross/headers/share/"
# read_mirror: sets apt's options to read Debian 12's packages, with their signatures, into $work.
read_mirror() {
  chmod 755 "$work"
  mkdir -p "$work"/{lists,archives,cache/archives}/partial
  mirror=$(debian_mirror bookworm)
  for kind in deb deb-src; do
    echo "$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main"
  done >"$work/sources.list"
  options=(-qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=-
           -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache"
           -o APT::Architectures::=amd64 -o APT::Architectures::=arm64
           -o Debug::NoLocking=true -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update || die "apt could not read $mirror"
}
if [ ! -d "$cross/sources" ]; then
  work=$(mktemp -d "$cross/.fetch-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  mkdir "$work/sources"
  say "fetching the sources of ICU, zlib, GoogleTest and cmocka"
  read_mirror
  (cd "$work" && apt-get "${options[@]}" source --download-only icu zlib googletest cmocka) ||
    die "$mirror has no sources of Debian 12"
  for package in icu zlib googletest cmocka; do
    dpkg-source --extract "$work"/"$package"_*.dsc "$work/sources/$package" >/dev/null 2>&1 ||
      dpkg-source --skip-patches --extract "$work"/"$package"_*.dsc "$work/sources/$package"
  done
  mv -T "$work/sources" "$cross/sources" 2>/dev/null ||
    [ -d "$cross/sources" ] || die "the sources could not be put into $cross"  # or another run did
fi
# musl's loader for arm64, with which qemu-user runs programs of that platform.
if [ ! -d "$cross/musl-arm64" ]; then
  work=$(mktemp -d "$cross/.fetch-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  read_mirror
  (cd "$work" && apt-get "${options[@]}" download musl:arm64) || die "$mirror has no musl for arm64"
  dpkg -x "$work"/musl_*_arm64.deb "$work/musl"
  mv -T "$work/musl" "$cross/musl-arm64" || [ -d "$cross/musl-arm64" ]
fi
say "Clang $("$zig/tools/x86_64-linux-musl-clang" -dumpversion) is ready"
