#!/usr/bin/env bash
# A module outside the tree gets contrastive.io/go from a module proxy (files in a folder), builds and runs: what is published is complete, and
# finds the library by pkg-config, and by flags alone. The environment of bindings/go/test.sh is expected; the argument is an empty folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$1
version=v0.1.0
proxy=$work/proxy/contrastive.io/go/@v
mkdir -p "$proxy" "$work/published" "$work/program"

# The proxy's zip holds what a commit of bindings/go holds.
module="$work/published/contrastive.io/go@$version"
mkdir -p "$module"
git -C "$here/.." ls-files -z | (cd "$here/.." && xargs -0 cp --parents -t "$module")
(cd "$work/published" && zip -q -r -D "$proxy/$version.zip" contrastive.io)
cp "$here/../go.mod" "$proxy/$version.mod"
printf '%s\n' "$version" >"$proxy/list"
printf '{"Version": "%s", "Time": "2026-01-01T00:00:00Z"}\n' "$version" >"$proxy/$version.info"

cp "$here/main.go.txt" "$work/program/main.go"
cd "$work/program"
export GOPROXY=file://$work/proxy GONOSUMDB=contrastive.io GOFLAGS=-modcacherw GOMODCACHE=$work/modules
go mod init example.test/program
go get "contrastive.io/go@$version"
go build -o by-pkg-config .
./by-pkg-config "$here/../../../tests/fixtures/models/bert_st"
CGO_CPPFLAGS="$(pkg-config --cflags contrastive)" CGO_LDFLAGS="$(pkg-config --libs contrastive) $CGO_LDFLAGS" PKG_CONFIG_PATH='' \
  go build -tags contrastive_flags -o by-flags .
./by-flags "$here/../../../tests/fixtures/models/bert_st"

# Another LibTorch than the one that the library was built with, as README.md says.
torch=$(./by-pkg-config "$here/../../../tests/fixtures/models/bert_st" | sed -n 's/^LibTorch \(.*\)\/lib, <nil>$/\1/p')
ln -s "$torch" "$work/another-libtorch"
CONTRASTIVE_LIBTORCH=$work/another-libtorch ./by-pkg-config "$here/../../../tests/fixtures/models/bert_st" | tee "$work/another.log"
grep -qxF "LibTorch $work/another-libtorch/lib, <nil>" "$work/another.log" || { echo "consumer: CONTRASTIVE_LIBTORCH does not choose LibTorch"; exit 1; }
