#!/usr/bin/env bash
# Installs what packaging/docs.sh and tests/docs need: Doxygen, man and groff, zsh and fish, and the
# Python packages for YAML and JSON Schema.
#
#   packaging/toolchains/docs.sh          installs, and reports what it does; a second run only
#                                         checks
#
# The sites of the bindings are made with the tools of the bindings (packaging/bootstrap.sh java
# csharp go rust).
set -euo pipefail

say() { printf 'toolchains/docs: %s\n' "$*" >&2; }
die() { printf 'toolchains/docs: %s\n' "$*" >&2; exit 1; }
# shellcheck source=packaging/apt.sh
. "$(dirname "$0")/../apt.sh"

packages=()
for tool in doxygen:doxygen man:man-db groff:groff zsh:zsh fish:fish python3:python3 cc:gcc \
  pkg-config:pkg-config curl:curl; do
  command -v "${tool%%:*}" >/dev/null || packages+=("${tool#*:}")
done
for module in yaml jsonschema; do
  python3 -c "import $module" 2>/dev/null || packages+=("python3-$module")
done
apt_install ${packages[@]+"${packages[@]}"}
say "$(doxygen --version | cut -d ' ' -f 1) is Doxygen's version," \
  "$(groff --version | sed -n '1s/.* //p') groff's"
