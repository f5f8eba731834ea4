#!/usr/bin/env bash
# A module outside the tree gets contrastive.io/go as packaging/packages/go.sh made it, builds and
# runs: what is published is complete, and finds the library by pkg-config, and by flags alone. The
# environment of bindings/go/test.sh is expected; the argument is an empty folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$1
CONTRASTIVE_DIST=$work/dist "$here/../../../packaging/packages/go.sh"
proxy=$work/dist/packages/go
version=$(cat "$proxy/contrastive.io/go/@v/list")
mkdir "$work/program"

cp "$here/main.go.txt" "$work/program/main.go"
cd "$work/program"
export GOPROXY=file://$proxy GONOSUMDB=contrastive.io GOFLAGS=-modcacherw GOMODCACHE=$work/modules
go mod init example.test/program
go get "contrastive.io/go@$version"
go build -o by-pkg-config .
./by-pkg-config "$here/../../../tests/fixtures/models/bert_st"
CGO_CPPFLAGS="$(pkg-config --cflags contrastive)" \
  CGO_LDFLAGS="$(pkg-config --libs contrastive) $CGO_LDFLAGS" PKG_CONFIG_PATH='' \
  go build -tags contrastive_flags -o by-flags .
./by-flags "$here/../../../tests/fixtures/models/bert_st"

# Another LibTorch than the one that the library was built with, as README.md says.
torch=$(./by-pkg-config "$here/../../../tests/fixtures/models/bert_st" |
  sed -n 's/^LibTorch \(.*\)\/lib, <nil>$/\1/p')
ln -s "$torch" "$work/another-libtorch"
CONTRASTIVE_LIBTORCH=$work/another-libtorch ./by-pkg-config \
  "$here/../../../tests/fixtures/models/bert_st" | tee "$work/another.log"
grep -qxF "LibTorch $work/another-libtorch/lib, <nil>" "$work/another.log" || {
  echo "consumer: CONTRASTIVE_LIBTORCH does not choose LibTorch"; exit 1; }
