#!/usr/bin/env bash
# Installs the browser that tests the page of `contrastive serve`, and its driver: Chromium and
# chromedriver of Debian.
#
#   packaging/toolchains/browser.sh       Debian, as root or with sudo; a second run only checks
#
# On Ubuntu both packages are snaps, which cannot be installed everywhere. Without them the test is
# skipped.
set -euo pipefail
say() { printf 'toolchains/browser: %s\n' "$*" >&2; }
die() { printf 'toolchains/browser: %s\n' "$*" >&2; exit 1; }
# shellcheck source=packaging/apt.sh
. "$(dirname "$0")/../apt.sh"

command -v chromium >/dev/null && command -v chromedriver >/dev/null ||
  apt_install chromium chromium-driver
say "$(chromedriver --version | cut -d ' ' -f 1,2) is ready"
