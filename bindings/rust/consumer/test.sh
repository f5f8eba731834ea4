#!/usr/bin/env bash
# A program outside the tree is built against the crates as packaging/packages/crates.sh makes them
# and runs: what is published is complete, and finds the library by CONTRASTIVE_LIBRARY, by
# pkg-config, inside itself (feature bundled) and when it runs (feature load). The environment of
# bindings/rust/test.sh is expected; the arguments are an empty folder and the prefix of an
# installation.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$1 prefix=$2
library=$CONTRASTIVE_LIBRARY
CONTRASTIVE_NATIVES=$library CONTRASTIVE_DIST=$work/dist \
  "$here/../../../packaging/packages/crates.sh"
for crate in contrastive-sys contrastive; do
  mkdir "$work/$crate"
  tar xzf "$work/dist/packages/crates/$crate"-[0-9]*.crate -C "$work/$crate" --strip-components=1
done
mkdir -p "$work/program/src"
cp "$here/main.rs.txt" "$work/program/src/main.rs"
cp "$here/../Cargo.lock" "$work/program/Cargo.lock"  # the versions that the tests ran with
cat >"$work/program/Cargo.toml" <<'END'
[package]
name = "program"
version = "1.0.0"
edition = "2021"

[dependencies]
contrastive = "0.1"

[features]
load = ["contrastive/load"]
bundled = ["contrastive/bundled"]

[patch.crates-io]
contrastive = { path = "../contrastive" }
contrastive-sys = { path = "../contrastive-sys" }
END
# What README.md tells programs to have: it lets them find the library where it was when they were
# built.
cat >"$work/program/build.rs" <<'END'
fn main() {
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", std::env::var("DEP_CONTRASTIVE_RUST_LIB_DIR").unwrap());
}
END
cd "$work/program"
model=$here/../../../tests/fixtures/models/bert_st
CARGO_TARGET_DIR=$work/by-variable CONTRASTIVE_LIBRARY=$library cargo build --quiet
"$work/by-variable/debug/program" "$model"
CARGO_TARGET_DIR=$work/by-pkg-config CONTRASTIVE_LIBRARY='' PKG_CONFIG_PATH=$prefix/lib/pkgconfig \
  cargo build --quiet
"$work/by-pkg-config/debug/program" "$model"

# The features need no build script of the program. alone COMMAND...: without a library in reach.
rm build.rs
alone() { env -u CONTRASTIVE_LIBRARY -u LD_LIBRARY_PATH XDG_CACHE_HOME="$work/cache" "$@"; }
says() {  # says PATTERN COMMAND...: a line of what it prints begins like this
  "${@:2}" >"$work/says.log" 2>&1 || true
  grep -q "^$1" "$work/says.log" || {
    echo "consumer: ${*:2} prints no line that begins with $1"; cat "$work/says.log"; exit 1; }
}
CARGO_TARGET_DIR=$work/by-pkg-config CONTRASTIVE_LIBRARY=$library cargo build --quiet \
  --features bundled
mv "$work/by-pkg-config/debug/program" "$work/bundled"
for run in first second; do
  says 'contrastive [0-9.]*: 2 texts, 1.000' alone "$work/bundled" "$model"
  says 'LibTorch /' alone "$work/bundled" "$model"  # it has the training plugin too
done
[ "$(find "$work/cache" -type f | wc -l)" -eq 2 ] || {
  echo "consumer: another process does not use what was unpacked:"; find "$work/cache"; exit 1; }
echo damaged | tee "$work"/cache/contrastive/*/libcontrastive.so.0 >/dev/null
says 'contrastive [0-9.]*: 2 texts, 1.000' alone "$work/bundled" "$model"
says 'contrastive [0-9.]*: 2 texts, 1.000' alone env XDG_CACHE_HOME=/proc TMPDIR="$work" \
  "$work/bundled" "$model"

alone env CARGO_TARGET_DIR="$work/by-pkg-config" PKG_CONFIG_PATH="$work" cargo build --quiet \
  --features load
mkdir "$work/loading"
mv "$work/by-pkg-config/debug/program" "$work/loading"
! alone "$work/loading/program" "$model" 2>"$work/loading.log" || {
  echo "consumer: a program loads a library that it cannot find"; exit 1; }
grep -q "NotFound.*cannot be loaded.*set CONTRASTIVE_LIBRARY" "$work/loading.log" || {
  cat "$work/loading.log"; exit 1; }
for named in "$library" "$library/libcontrastive.so.0"; do
  says 'contrastive [0-9.]*: 2 texts, 1.000' env CONTRASTIVE_LIBRARY="$named" \
    "$work/loading/program" "$model"
done
ln -s "$library/libcontrastive.so.0" "$library/libcontrastive-torch.so.0" "$work/loading"
says 'contrastive [0-9.]*: 2 texts, 1.000' alone "$work/loading/program" "$model"
echo "not a library" >"$work/wrong.so"
says 'Error: .*wrong.so' env CONTRASTIVE_LIBRARY="$work/wrong.so" "$work/loading/program" "$model"

# Another LibTorch than the one that the library was built with, as README.md says.
torch=$("$work/by-variable/debug/program" "$model" | sed -n 's/^LibTorch \(.*\)\/lib$/\1/p')
ln -s "$torch" "$work/another-libtorch"
CONTRASTIVE_LIBTORCH=$work/another-libtorch "$work/by-variable/debug/program" "$model" |
  tee "$work/another.log"
grep -qxF "LibTorch $work/another-libtorch/lib" "$work/another.log" || {
  echo "consumer: CONTRASTIVE_LIBTORCH does not choose LibTorch"; exit 1; }
