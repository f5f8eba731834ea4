#!/usr/bin/env bash
# Installs the missing tools that build for arm64 on another machine and run it there: a cross
# compiler, qemu-user, the arm64 packages of the libraries that the build needs, and LibTorch for
# arm64. Then run cmake --preset aarch64, or tests/arm64/run.sh.
#
#   packaging/toolchains/arm64.sh          installs, and reports what it does; a second run only
#                                          checks
#   packaging/toolchains/arm64.sh --path   prints the folder of the arm64 packages, and installs
#                                          nothing
#
# The packages are those of this distribution for the other processor. apt downloads them with its
# configured mirrors and keys, and checks their signatures. They are unpacked into a folder of the
# cache and not installed. Ubuntu has separate mirrors for arm64: there, CONTRASTIVE_ARM64_SOURCES
# names a file like /etc/apt/sources.list with such a mirror.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-${HOME:?set CONTRASTIVE_DEPS}/.cache}/libcontrastive}
suite=$(sed -n 's/^VERSION_CODENAME="\{0,1\}\([a-z]*\).*/\1/p' /etc/os-release)
folder=$cache/arm64-$suite

say() { printf 'toolchains/arm64: %s\n' "$*" >&2; }
die() { printf 'toolchains/arm64: %s\n' "$*" >&2; exit 1; }
# shellcheck source=packaging/apt.sh
. "$root/packaging/apt.sh"
# shellcheck source=packaging/wheels.sh
. "$root/packaging/wheels.sh"

if [ "${1:-}" = --path ]; then
  [ -d "$folder" ] || die "$folder is not there: run packaging/toolchains/arm64.sh"
  printf '%s\n' "$folder"
  exit 0
fi

# --- this machine's tools -------------------------------------------------------------------------
tools=()
for tool in aarch64-linux-gnu-g++:g++-aarch64-linux-gnu qemu-aarch64-static:qemu-user-static; do
  command -v "${tool%%:*}" >/dev/null || tools+=("${tool#*:}")
done
apt_install ${tools[@]+"${tools[@]}"}

# --- packages for arm64 ---------------------------------------------------------------------------
packages=(libc6-dev libstdc++6 zlib1g-dev libicu-dev nlohmann-json3-dev libeigen3-dev libcli11-dev \
  libboost-dev libgtest-dev libgmock-dev libcmocka-dev libgloo-dev)

if [ ! -d "$folder" ]; then
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/.arm64-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  chmod 755 "$work"  # apt downloads as a user of its own where it may
  say "fetching arm64 packages into $folder"
  mkdir -p "$work"/apt/{lists,archives}/partial "$work/tree"
  touch "$work/status"  # nothing is installed: what a package needs comes with it
  options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Acquire::Languages=none \
    -o Debug::NoLocking=true
           -o Dir::State::lists="$work/apt/lists" -o Dir::State::status="$work/status" -o \
             Dir::Cache="$work/apt"
           -o Dir::Cache::archives="$work/apt/archives")
  [ -z "${CONTRASTIVE_ARM64_SOURCES:-}" ] ||
    options+=(-o Dir::Etc::sourcelist="$(realpath "$CONTRASTIVE_ARM64_SOURCES")" -o \
      Dir::Etc::sourceparts=-)
  apt-get "${options[@]}" update || die "apt could not read its mirrors for arm64"
  apt-get "${options[@]}" install --yes --no-install-recommends \
    --download-only "${packages[@]}" >/dev/null || die "apt's mirrors have no arm64 packages (on" \
    "Ubuntu set CONTRASTIVE_ARM64_SOURCES, see the head of this file)"
  for package in "$work"/apt/archives/*.deb; do dpkg-deb --extract "$package" "$work/tree"; done
  # Links with absolute targets would leave the folder.
  while read -r link; do
    target=$(readlink "$link")
    ln -sfn --relative "$work/tree$target" "$link"
  done < <(find "$work/tree" -type l -lname '/*')
  mv -T "$work/tree" "$folder" 2>/dev/null || [ -e "$folder" ] || die "could not create $folder"
  rm -rf "$work"
  trap - EXIT
fi
fetch_libtorch aarch64 libtorch-2.11.0-aarch64
fetch_other_libtorchs aarch64
say "$(aarch64-linux-gnu-g++ --version | head -n 1), $(qemu-aarch64-static --version | head -n 1)"
