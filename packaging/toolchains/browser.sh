#!/usr/bin/env bash
# Installs the browser that the page of `contrastive serve` is tested in, and what drives it:
# Debian's Chromium and chromedriver.
#
#   packaging/toolchains/browser.sh       Debian, as root or with sudo; says what it does; a second
#                                         run only looks
#
# On Ubuntu both packages are snaps, which cannot be installed everywhere: there the test is skipped
# where they are missing.
set -euo pipefail
say() { printf 'toolchains/browser: %s\n' "$*" >&2; }
die() { printf 'toolchains/browser: %s\n' "$*" >&2; exit 1; }
# shellcheck source=packaging/apt.sh
. "$(dirname "$0")/../apt.sh"

command -v chromium >/dev/null && command -v chromedriver >/dev/null ||
  apt_install chromium chromium-driver
say "$(chromedriver --version | cut -d ' ' -f 1,2) is ready"
