#!/usr/bin/env bash
# Makes the two crates, contrastive-sys and contrastive: .crate files in packages/crates of
# CONTRASTIVE_DIST, as cargo publishes them.
#
#   packaging/packages/crates.sh
#
# cargo package builds each from what is in its file, the second against the first. The crates hold
# no library: they find the installed one. For that build it is the one of packaging/natives.sh
# (common.sh says where). contrastive-sys is published first.
set -euo pipefail
# shellcheck source=packaging/packages/common.sh
. "$(dirname "$0")/common.sh"
bin=$("$root/packaging/toolchains/rust.sh" --path) ||
  die "cargo 1.90 or newer is missing: run packaging/toolchains/rust.sh"
export PATH=$bin:$PATH CARGO_TERM_COLOR=never
library=$(native libcontrastive.so)

work=$dist/work/crates
alone "$work"
rm -rf "$work/new" "$work/target/package"
mkdir -p "$work/new"
"$root/bindings/rust/lock.sh" "$root/bindings/rust"
(cd "$root/bindings/rust" && CONTRASTIVE_LIBRARY=$library CARGO_TARGET_DIR=$work/target cargo \
  package --workspace --locked --allow-dirty) \
  >"$work/package.log" 2>&1 || {
    tail -n 40 "$work/package.log" >&2; die \
    "cargo package failed; the whole log is $work/package.log"; }
# Tests stay in the repository, which cargo tells for each of them.
! grep -n '^warning' "$work/package.log" | grep -v 'warning: ignoring \(test\|example\)' ||
  die "cargo package warns"

for crate in contrastive-sys contrastive; do
  file=$work/target/package/$crate-$version.crate
  [ -f "$file" ] || die "$file was not made"
  carries "$file" "$crate-$version/" LICENSE
  for part in Cargo.toml README.md build.rs src/lib.rs; do
    entries "$file" | grep -xF "$crate-$version/$part" >/dev/null || die "$file has no $part"
  done
  cp "$file" "$work/new"
done
mkdir -p "$packages"
rm -rf "$packages/crates"
mv "$work/new" "$packages/crates"
say "made $(cd "$packages/crates" &&
  du -h -- * | awk '{ printf "%s%s (%s)", sep, $2, $1; sep = ", " }') in $packages/crates"
