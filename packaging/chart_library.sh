#!/usr/bin/env bash
# Updates the chart library that the pages of `contrastive report` contain, from npm's packages.
#
#   packaging/chart_library.sh            fetches the pinned versions into
#                                         capi/program/report/vendor
#   packaging/chart_library.sh --check    compares the files with their checksums, without network
#
# To take a new version: change it here, run this, and change the version and the licence in
# THIRD_PARTY_LICENSES where they changed. A build does not run this script: the files are in the
# tree.
set -euo pipefail
packages=(chart.js@4.6.1 chartjs-plugin-zoom@2.2.0)
files=(chart.umd.min.js chartjs-plugin-zoom.min.js)
cd "$(dirname "$0")/../capi/program/report/vendor"

if [ "${1:-}" = --check ]; then
  exec sha256sum --check --strict --quiet SHA256SUMS
fi
command -v npm >/dev/null || { echo "chart_library: npm is needed to fetch ${packages[*]}" >&2;
  exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for i in "${!packages[@]}"; do
  mkdir "$work/$i"
  # npm compares the archive with the checksum that its registry has of it.
  archive=$(cd "$work/$i" && npm pack --silent "${packages[$i]}")
  tar -xzf "$work/$i/$archive" -C "$work/$i" "package/dist/${files[$i]}"
  install -m 644 "$work/$i/package/dist/${files[$i]}" .
done
sha256sum "${files[@]}" >SHA256SUMS
