#!/usr/bin/env bash
# Builds the Rust crates against an existing libcontrastive, and runs all of their tests.
#
#   bindings/rust/test.sh
#
# CONTRASTIVE_LIBRARY names the library: the file or its folder (default: build/release).
#
# In order: the format and clippy's advice; the typed options of all languages; the tests, which
# include the cases of all languages, some of them also with the feature load; the examples in the
# documentation; the cost of a call in a release build; many threads that do everything at once,
# partly wrong (storm); the example programs; a program outside the tree.
# packaging/toolchains/rust.sh installs what is missing, packaging/bootstrap.sh minilm the model of
# the examples.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
started=$SECONDS
fail() { printf 'bindings/rust/test.sh: FAILED: %s\n' "$*"; exit 1; }
step() { printf '\n-- [%d s] %s\n' $((SECONDS - started)) "$*"; }

bin=$(packaging/toolchains/rust.sh --path) ||
  fail "cargo 1.90 or newer is missing: run packaging/toolchains/rust.sh"
export PATH=$bin:$PATH
for tool in cc pkg-config; do command -v "$tool" >/dev/null ||
  fail "$tool is missing: run packaging/toolchains/rust.sh"; done
library=$(realpath -m "${CONTRASTIVE_LIBRARY:-build/release/libcontrastive.so}")
[ ! -d "$library" ] || library=$library/libcontrastive.so
[ -f "$library" ] ||
  fail "$library is missing: build the library first, or name it in CONTRASTIVE_LIBRARY"
folder=$(dirname "$library")
export CONTRASTIVE_LIBRARY=$folder CARGO_TARGET_DIR=$root/build/rust/target CARGO_TERM_COLOR=never

tests=0
work=$root/build/rust
mkdir -p "$work"
# run NAME FOLDER COMMAND...: shows the tail of a log that ends in a failure, and the lines that say
# something otherwise
run() {
  local log=$work/$1.log where=$2
  shift 2
  (cd "$where" && "$@") >"$log" 2>&1 || { grep -vE '^(test .* ok|   Compiling)' "$log" |
    tail -n 60; fail "$*; the whole log is $log"; }
  grep -E 'above C|^(bare call|one text|1,000 )|^resident|requests answered|[1-9][0-9]* ignored' \
    "$log" || true
  tests=$((tests + $(grep -cE '^test .* ok$' "$log" || true)))
}

bindings/rust/lock.sh bindings/rust examples/rust || fail "the pinned versions"

step "format and advice"
for where in bindings/rust examples/rust; do
  run "fmt-$(dirname "$where")" "$where" cargo fmt --check
  run "clippy-$(dirname "$where")" "$where" cargo clippy --locked --all-targets -- -D warnings
done
run clippy-features bindings/rust cargo clippy --locked --workspace --all-features -- -D warnings
step "typed options of all languages"
bindings/options.py --check "$library" || fail "bindings/options.py"
step "crates"
extras=contrastive/serde,contrastive/log,contrastive/tracing
run test bindings/rust cargo test --locked --workspace --all-targets --features "$extras" -- \
  --nocapture
step "with the library that is loaded at run time"
run load bindings/rust cargo test --locked --package contrastive --features load \
  --test conformance --test model -- --nocapture
step "examples in the documentation, and no broken link in it"
# other programs find the library themselves
run doctest bindings/rust env LD_LIBRARY_PATH="$folder" cargo test --locked --workspace --doc
run doc bindings/rust env RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps
step "cost of a call"
run overhead bindings/rust cargo test --locked --release --package contrastive --test overhead -- \
  --nocapture
cost=$(awk '/^one text, into/ {
  print "one text, into a caller\047s slice: " $(NF - 3) " ns above C, at most " $(NF - 1) " ns"
}' "$work/overhead.log")
[ -n "$cost" ] || fail "the cost of a call was not measured"
step "storm: many threads do everything at once, partly wrong"
bindings/rust/storm.sh 60 || fail "the storm"
step "example programs"
run examples examples/rust cargo test --locked -- --nocapture
step "the snippets of the READMEs"
snippets() { python3 tests/docs/snippets.py "$PWD" "$(dirname "$library")" --language rust "$@" ||
  [ $? -eq 77 ]; }
snippets && snippets --plant tests/docs/broken_snippets.md ||
  fail "a snippet of a README does not run, or a broken one went unnoticed"

step "a program outside the tree"
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
prefix=$outside/prefix
mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$outside/consumer"
ln -s "$root/capi/include/contrastive" "$prefix/include/contrastive"
ln -s "$library" "$prefix/lib/libcontrastive.so"
ln -s "$library" "$prefix/lib/$(basename "$(readlink "$library" || echo libcontrastive.so.0)")"
version=$(sed -n 's/^#define CS_VERSION_[A-Z]* \([0-9]*\)$/\1/p' \
  capi/include/contrastive/contrastive.h | paste -sd.)
sed -e 's|@CONTRASTIVE_PC_PREFIX@|../..|; s|@CMAKE_INSTALL_INCLUDEDIR@|include|' \
  -e 's|@PROJECT_DESCRIPTION@|staged for tests|' \
  -e "s|@PROJECT_VERSION@|$version|" packaging/cmake/contrastive.pc.in \
    >"$prefix/lib/pkgconfig/contrastive.pc"
bindings/rust/consumer/test.sh "$outside/consumer" "$prefix" || fail "the program outside the tree"

[ "$tests" -ge 50 ] || fail "only $tests tests ran"
printf '\n%s\n' "$cost"
echo "bindings/rust/test.sh: $tests tests (crates, documentation, examples) and a consumer passed" \
  "in $((SECONDS - started)) s"
