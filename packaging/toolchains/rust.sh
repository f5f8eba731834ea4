#!/usr/bin/env bash
# Installs what bindings/rust/test.sh needs: cargo with clippy and rustfmt, a C compiler,
# pkg-config, and the headers of SQLite.
#
#   packaging/toolchains/rust.sh          installs, and reports what it does; a second run only
#                                         checks
#   packaging/toolchains/rust.sh --path   prints the folder of a `cargo` that is new enough, and
#                                         installs nothing
#
# The crates build with Rust 1.85; their tests need 1.90 (packages of a whole workspace). In Debian
# 12, `cargo` is 1.63, and `cargo-web`, which Debian updates for its browsers, is newer. In Ubuntu
# 24.04, `cargo` is 1.75, and the updates have newer numbered packages. The newer package is
# installed if neither the PATH nor rustup's folder has a newer cargo. Cargo.lock.in pins every
# crate by hash.
set -euo pipefail

say() { printf 'toolchains/rust: %s\n' "$*" >&2; }
die() { printf 'toolchains/rust: %s\n' "$*" >&2; exit 1; }
# shellcheck source=packaging/apt.sh
. "$(dirname "$0")/../apt.sh"

ubuntu_rust=1.91
of_this_system() {  # the packages of a cargo that is new enough
  if grep -qs '^ID=ubuntu' /etc/os-release; then
    printf '%s ' "cargo-$ubuntu_rust" "rustc-$ubuntu_rust" "rust-$ubuntu_rust-clippy" \
      "rustfmt-$ubuntu_rust"
  else
    printf '%s ' cargo-web rustc-web rust-web-clippy rustfmt-web
  fi
}

new_enough() {  # new_enough CARGO: is it there, 1.90 or newer, with clippy and rustfmt beside it?
  local version folder
  version=$("$1" --version 2>/dev/null | sed -n 's/^cargo 1\.\([0-9]*\).*/\1/p') || return 1
  folder=$(dirname "$1")
  [ "${version:-0}" -ge 90 ] && PATH=$folder:$PATH "$1" clippy --version >/dev/null 2>&1 &&
    PATH=$folder:$PATH "$1" fmt --version >/dev/null 2>&1
}

find_cargo() {
  local cargo
  for cargo in "$(command -v cargo || true)" "${CARGO_HOME:-${HOME:-}/.cargo}/bin/cargo" \
    /usr/bin/cargo "/usr/lib/rust-$ubuntu_rust/bin/cargo"; do
    if [ -n "$cargo" ] && new_enough "$cargo"; then dirname "$cargo"; return 0; fi
  done
  return 1
}

if [ "${1:-}" = --path ]; then
  find_cargo ||
    die "no cargo 1.90 or newer with clippy and rustfmt: run packaging/toolchains/rust.sh"
  exit 0
fi

packages=()
find_cargo >/dev/null || read -ra packages <<<"$(of_this_system)"
for tool in pkg-config:pkg-config cc:gcc git:git; do
  command -v "${tool%%:*}" >/dev/null || packages+=("${tool#*:}")
done
pkg-config --exists sqlite3 2>/dev/null || packages+=(libsqlite3-dev)  # for an example
apt_install ${packages[@]+"${packages[@]}"}
bin=$(find_cargo) || die "cargo was installed and does not run"
say "$("$bin/cargo" --version) is ready"
