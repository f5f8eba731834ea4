#!/usr/bin/env bash
# Installs what the Java binding is built and tested with, where it is missing: a JDK (17 or newer) and Maven, besides what packaging/bootstrap.sh
# installs. Debian and Ubuntu; works as root or with sudo, asks nothing, says what it does, and a second run only looks. Maven itself fetches the
# plugins and libraries that the pom.xml files pin, on the first build.
set -euo pipefail
say() { printf 'toolchains/java: %s\n' "$*" >&2; }

packages=()
javac_version=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p' || true)
[ "${javac_version:-0}" -ge 17 ] || packages+=(openjdk-17-jdk-headless)
command -v mvn >/dev/null || packages+=(maven)
for tool in swig:swig cmake:cmake ninja:ninja-build g++:g++ readelf:binutils; do
  command -v "${tool%%:*}" >/dev/null || packages+=("${tool#*:}")
done

if [ ${#packages[@]} -gt 0 ]; then
  command -v apt-get >/dev/null ||
    { say "this script knows Debian and Ubuntu; elsewhere install a JDK 17 or newer, Maven 3.8 or newer and SWIG 4.1"; exit 1; }
  sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { say "need root or sudo to install: ${packages[*]}"; exit 1; }
    sudo=(sudo)
  fi
  say "installing ${packages[*]}"
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi
say "$(javac -version 2>&1), $(mvn -version 2>/dev/null | sed 's/\x1b\[[0-9;]*m//g' | head -n 1)"
