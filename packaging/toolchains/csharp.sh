#!/usr/bin/env bash
# Installs what bindings/csharp/test.sh needs: SWIG, a C++ compiler, SQLite's shell, and a .NET SDK
# (dotnet.sh).
#
#   packaging/toolchains/csharp.sh     installs, and reports what it does; a second run only checks
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

say() { printf 'toolchains/csharp: %s\n' "$*" >&2; }
die() { printf 'toolchains/csharp: %s\n' "$*" >&2; exit 1; }
# shellcheck source=packaging/apt.sh
. "$here/../apt.sh"

packages=()
for tool in swig g++ cmake sqlite3 unzip python3; do
  command -v $tool >/dev/null || packages+=("$tool")
done
apt_install ${packages[@]+"${packages[@]}"}
"$here/dotnet.sh"
