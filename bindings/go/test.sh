#!/usr/bin/env bash
# Builds the Go package against an existing libcontrastive, and runs all of its tests.
#
#   bindings/go/test.sh
#
# CONTRASTIVE_LIBRARY names the library: the file or its folder (default: build/release).
#
# In order: gofmt and go vet; the tests of the package, without cgo, again under the race detector,
# and again with every pointer to C checked (cgocheck2); many goroutines that do everything at once,
# partly wrong (storm); the examples; modules outside the tree. packaging/toolchains/go.sh installs
# what is missing, packaging/bootstrap.sh minilm the model of the examples.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
started=$SECONDS
fail() { printf 'bindings/go/test.sh: FAILED: %s\n' "$*"; exit 1; }
step() { printf '\n-- [%d s] %s\n' $((SECONDS - started)) "$*"; }

bin=$(packaging/toolchains/go.sh --path) ||
  fail "Go 1.24 or newer is missing: run packaging/toolchains/go.sh"
export PATH=$bin:$PATH
for tool in swig pkg-config g++ zip git; do
  command -v "$tool" >/dev/null || fail "$tool is missing: run packaging/toolchains/go.sh"
done
library=$(realpath -m "${CONTRASTIVE_LIBRARY:-build/release/libcontrastive.so}")
[ ! -d "$library" ] || library=$library/libcontrastive.so
[ -f "$library" ] ||
  fail "$library is missing: build the library first, or name it in CONTRASTIVE_LIBRARY"

# --- What an installation has: header, library and contrastive.pc; and programs find the library
# where it is (rpath).
work=$root/build/go
prefix=$work/prefix
rm -rf "$prefix"
mkdir -p "$prefix/include" "$prefix/lib/pkgconfig"
ln -s "$root/capi/include/contrastive" "$prefix/include/contrastive"
ln -s "$library" "$prefix/lib/libcontrastive.so"
version=$(sed -n 's/^#define CS_VERSION_[A-Z]* \([0-9]*\)$/\1/p' \
  capi/include/contrastive/contrastive.h | paste -sd.)
sed -e 's|@CONTRASTIVE_PC_PREFIX@|../..|; s|@CMAKE_INSTALL_INCLUDEDIR@|include|' \
  -e 's|@PROJECT_DESCRIPTION@|staged for tests|' \
  -e "s|@PROJECT_VERSION@|$version|" packaging/cmake/contrastive.pc.in \
    >"$prefix/lib/pkgconfig/contrastive.pc"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig CGO_LDFLAGS="-Wl,-rpath,$(dirname "$library")" \
  CGO_ENABLED=1
unset CGO_CPPFLAGS CGO_CFLAGS CGO_CXXFLAGS GOEXPERIMENT

# run NAME FOLDER COMMAND...: shows the tail of a log that ends in a failure, and the lines that say
# something otherwise
tests=0
run() {
  local log=$work/$1.log folder=$2
  shift 2
  (cd "$folder" && "$@") >"$log" 2>&1 || { grep -vE '^(=== |--- PASS|PASS|ok )' "$log" |
    tail -n 60; fail "$*; the whole log is $log"; }
  grep -E -e 'above C|^(bare call|no text|one text|1,000 )|--- SKIP|Skip' \
    -e '_test.go:[0-9]+: .*(resident memory|stopped|requests answered)' "$log" || true
  tests=$((tests + $(grep -c '^ *--- PASS' "$log" || true)))
}

step "gofmt, go vet"
unformatted=$(gofmt -l bindings/go examples/go)
[ -z "$unformatted" ] || fail "gofmt would change $unformatted"
run vet bindings/go go vet ./...
run vet-without-cgo bindings/go env CGO_ENABLED=0 go vet . ./internal/raw ./natives
run vet-windows bindings/go env CGO_ENABLED=0 GOOS=windows go vet . ./internal/raw
run vet-darwin bindings/go env CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go vet . ./internal/raw
run vet-examples examples/go go vet -tags libsqlite3 ./...

step "package"
run test bindings/go go test -count=1 -v ./...
cost=$(awk '/^one text, into/ {
  print "one text, into a caller\047s slice: " $(NF - 1) " above C, at most " $NF
}' "$work/test.log" | head -n 1)
[ -n "$cost" ] || fail "the cost of a call was not measured"
step "package without cgo"
run without-cgo bindings/go env CGO_ENABLED=0 CONTRASTIVE_LIBRARY="$library" \
  go test -count=1 -v . ./internal/raw
cmp build/conformance/go.jsonl build/conformance/go-purego.jsonl ||
  fail "the two loaders differ in the conformance cases"
step "package, race detector"
run race bindings/go go test -race -count=1 -v .
step "package, every pointer to C checked"
run cgocheck2 bindings/go env GOEXPERIMENT=cgocheck2 go test -count=1 -v .

step "storm: many goroutines do everything at once, partly wrong"
bindings/go/internal/storm/storm.sh 60 || fail "the storm"

step "examples"
# libsqlite3: the system's SQLite, which need not be compiled
run examples examples/go go test -tags libsqlite3 -count=1 -v ./...
run examples-race examples/go go test -race -count=1 -v ./service

step "the snippets of the READMEs"
snippets() { python3 tests/docs/snippets.py "$PWD" "$(dirname "$library")" --language go "$@" ||
  [ $? -eq 77 ]; }
snippets && snippets --plant tests/docs/broken_snippets.md ||
  fail "a snippet of a README does not run, or a broken one went unnoticed"

step "modules outside the tree"
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
bindings/go/consumer/test.sh "$outside" || fail "the consumer module"

[ "$tests" -ge 100 ] || fail "only $tests tests ran"
printf '\n%s\n' "$cost"
echo "bindings/go/test.sh: $tests tests (four times the package, the examples) and the consumers" \
  "passed in $((SECONDS - started)) s"
