#!/usr/bin/env bash
# A program outside the tree is built against the crates as packaging/packages/crates.sh makes them
# and runs: what is published is complete, and finds the library by CONTRASTIVE_LIBRARY and by
# pkg-config. The environment of bindings/rust/test.sh is expected; the arguments are an empty
# folder and the prefix of an installation.
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

# Another LibTorch than the one that the library was built with, as README.md says.
torch=$("$work/by-variable/debug/program" "$model" | sed -n 's/^LibTorch \(.*\)\/lib$/\1/p')
ln -s "$torch" "$work/another-libtorch"
CONTRASTIVE_LIBTORCH=$work/another-libtorch "$work/by-variable/debug/program" "$model" |
  tee "$work/another.log"
grep -qxF "LibTorch $work/another-libtorch/lib" "$work/another.log" || {
  echo "consumer: CONTRASTIVE_LIBTORCH does not choose LibTorch"; exit 1; }
