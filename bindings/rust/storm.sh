#!/usr/bin/env bash
# storm.sh [SECONDS [SEED]]: builds the storm with what bindings/rust/test.sh has locked, and runs
# it for as long (default: 20 s). The library is build/release/libcontrastive.so, or what
# CONTRASTIVE_LIBRARY names.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -f bindings/rust/Cargo.lock ] || { echo "run bindings/rust/test.sh first" >&2; exit 1; }
bin=$(packaging/toolchains/rust.sh --path)
export PATH=$bin:$PATH CARGO_TARGET_DIR=$PWD/build/rust/target \
  CONTRASTIVE_LIBRARY=${CONTRASTIVE_LIBRARY:-$PWD/build/release}
(cd bindings/rust && cargo build --quiet --locked --release --package contrastive --example storm)
# the memory that is measured is the library's and the crate's, and not what each thread's arena
# keeps
export MALLOC_ARENA_MAX=1
exec build/rust/target/release/examples/storm tests/fixtures/models/bert_st "${1:-20}" ${2:+"$2"}
