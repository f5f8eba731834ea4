#!/usr/bin/env bash
# Installs what tests/fuzz/run.sh needs and is missing: Clang with libFuzzer and the sanitizers' run
# times, and what names functions in their reports.
#
#   packaging/toolchains/fuzz.sh          Debian and Ubuntu, as root or with sudo; says what it
#                                         does; a second run only looks
set -euo pipefail
say() { printf 'toolchains/fuzz: %s\n' "$*" >&2; }
die() { printf 'toolchains/fuzz: %s\n' "$*" >&2; exit 1; }
# shellcheck source=packaging/apt.sh
. "$(dirname "$0")/../apt.sh"

packages=(clang libclang-rt-dev llvm)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' ||
    missing+=("$package")
done
apt_install ${missing[@]+"${missing[@]}"}
source=$(mktemp --suffix=.cpp)
trap 'rm -f "$source" "$source.out"' EXIT
printf '%s\n' '#include <cstddef>' '#include <cstdint>' \
  'extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) { return 0; }' >"$source"
clang++ -fsanitize=fuzzer,address,undefined -o "$source.out" "$source" ||
  die "clang++ is there, and links no fuzzer"
say "$(clang++ --version | head -n 1) is ready"
