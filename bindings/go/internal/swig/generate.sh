#!/bin/sh
# Generates the raw layer from bindings/swig/contrastive.i into this folder, or into the folder named: the drift test compares the two.
# SWIG 4.1.0, as the version in the first lines of the results says.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
cd "$here/../../../swig"
swig -c++ -go -cgo -intgosize 64 -package swig -outdir "$out" -o "$out/contrastive_wrap.cxx" contrastive.i
# gofmt does not touch generated files in anybody's editor, so they are formatted here.
gofmt -w "$out/contrastive.go"
