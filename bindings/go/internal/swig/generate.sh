#!/bin/sh
# Generates the raw layer from bindings/swig/contrastive.i, which reads contrastive.h, into this
# folder or the one that is named (tests/guards/generated.sh compares the two). The committed files
# are SWIG 4.1.0's.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
cd "$here/../../../swig"
swig -c++ -go -cgo -intgosize 64 -package swig -outdir "$out" -o "$out/contrastive_wrap.cxx" \
  contrastive.i
# SWIG makes its names unique by a hash of the .i file, comments included; this package's path is
# unique already.
sed -i -E 's/_swig_[0-9a-f]{16}\b/_contrastive_go/g' "$out/contrastive.go" \
  "$out/contrastive_wrap.cxx"
gofmt -w "$out/contrastive.go"
