#!/usr/bin/env bash
# storm.sh [SECONDS [SEED]]: builds the storm against what bindings/go/test.sh has staged, and runs
# it for as long (default: 20 s).
set -euo pipefail
cd "$(dirname "$0")/../../../.."
root=$PWD prefix=$PWD/build/go/prefix
[ -e "$prefix/lib/libcontrastive.so" ] || { echo "run bindings/go/test.sh first" >&2; exit 1; }
bin=$(packaging/toolchains/go.sh --path)
export PATH=$bin:$PATH PKG_CONFIG_PATH=$prefix/lib/pkgconfig CGO_ENABLED=1
export CGO_LDFLAGS="-Wl,-rpath,$(dirname "$(readlink -f "$prefix/lib/libcontrastive.so")")"
(cd bindings/go && go build -o "$root/build/go/storm" ./internal/storm)
exec build/go/storm tests/fixtures/models/bert_st "${1:-20}" ${2:+"$2"}
