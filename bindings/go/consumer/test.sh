#!/usr/bin/env bash
# Modules outside the tree get contrastive.io/go as packaging/packages/go.sh made it, build and run:
# what is published is complete, and finds the library by pkg-config, by flags alone, and without
# cgo. The environment of bindings/go/test.sh is expected; the argument is an empty folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$1
model=$(cd "$here/../../../tests/fixtures/models/bert_st" && pwd)
folder=$(pkg-config --libs-only-L contrastive | sed 's/^-L//; s/ *$//')
library=$(readlink -f "$folder/libcontrastive.so")
fail() { echo "consumer: $*"; exit 1; }
# The natives that the module embeds: those of this machine.
processor=$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
natives=$work/dist/natives/linux-$processor/lib
mkdir -p "$natives"
cp "$library" "$natives/libcontrastive.so.0"
CONTRASTIVE_DIST=$work/dist "$here/../../../packaging/packages/go.sh"
proxy=$work/dist/packages/go
version=$(cat "$proxy/contrastive.io/go/@v/list")
mkdir "$work/program"

cp "$here/main.go.txt" "$work/program/main.go"
cd "$work/program"
export GOPROXY=file://$proxy GONOSUMDB=contrastive.io,github.com/ebitengine/purego
export GOFLAGS=-modcacherw GOMODCACHE=$work/modules
go mod init example.test/program
go get "contrastive.io/go@$version"
go build -o by-pkg-config .
./by-pkg-config "$model"
CGO_CPPFLAGS="$(pkg-config --cflags contrastive)" \
  CGO_LDFLAGS="$(pkg-config --libs contrastive) $CGO_LDFLAGS" PKG_CONFIG_PATH='' \
  go build -tags contrastive_flags -o by-flags .
./by-flags "$model"

# Another LibTorch than the one that the library was built with, as README.md says.
torch=$(./by-pkg-config "$model" | sed -n 's/^LibTorch \(.*\)\/lib, <nil>$/\1/p')
ln -s "$torch" "$work/another-libtorch"
CONTRASTIVE_LIBTORCH=$work/another-libtorch ./by-pkg-config "$model" | tee "$work/another.log"
grep -qxF "LibTorch $work/another-libtorch/lib, <nil>" "$work/another.log" ||
  fail "CONTRASTIVE_LIBTORCH does not choose LibTorch"

# Without cgo: one file, which finds the library by the variable, next to it, or in itself.
unset CONTRASTIVE_LIBRARY LD_LIBRARY_PATH
export CGO_ENABLED=0 PKG_CONFIG_PATH='' CGO_LDFLAGS=''
mkdir "$work/alone"
go build -o "$work/alone/program" .
program() {  # program [VARIABLE=VALUE]
  (cd "$work/alone" && env -i HOME="$work/alone/home" "$@" ./program "$model") \
    >"$work/alone.log" 2>&1
}
runs() {  # runs WHERE [VARIABLE=VALUE]
  program "${@:2}" && grep -qxF "contrastive ${version#v}: 2 texts, 1.000, <nil>" \
    "$work/alone.log" || fail "the library is not found $1: $(cat "$work/alone.log")"
}
! program || fail "the program runs without a library"
for part in "was not found for linux/" windows/amd64 darwin/arm64 CONTRASTIVE_LIBRARY \
  "$work/alone/libcontrastive.so.0"; do
  grep -qF "$part" "$work/alone.log" || fail "the error has no '$part': $(cat "$work/alone.log")"
done
runs "in the folder that a variable names" CONTRASTIVE_LIBRARY="$(dirname "$library")"
runs "by its name in a variable" CONTRASTIVE_LIBRARY="$library"
! program CONTRASTIVE_LIBRARY="$model/config.json" || fail "a file that is no library was opened"
grep -qF "$model/config.json" "$work/alone.log" || fail "the error does not name the file"
cp "$library" "$work/alone/libcontrastive.so.0"
runs "next to the executable"
rm "$work/alone/libcontrastive.so.0"
sed -i 's|^\tcontrastive "contrastive.io/go"|&\n\t_ "contrastive.io/go/natives"|' main.go
go build -o "$work/alone/program" .
runs "in the program"
runs "in the program, again"
[ "$(find "$work/alone/home" -type f | wc -l)" -eq 1 ] ||
  fail "the library was unpacked more than once"
echo "consumer: without cgo, the library was found in each place"
