#!/usr/bin/env bash
# Makes the archives that run from any folder: packages/contrastive-VERSION-linux-x64.tar.gz of CONTRASTIVE_DIST, and the same ...-with-libtorch.tar.gz with
# what trains on the CPU. Unpack one anywhere; nothing needs to be set.
#
#   packaging/packages/tarball.sh
#
# The natives are those of packaging/natives.sh (common.sh says where). LibTorch is the pinned one of packaging/bootstrap.sh, without its CUDA half.
set -euo pipefail
# shellcheck source=packaging/packages/common.sh
. "$(dirname "$0")/common.sh"
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-${HOME:?set HOME or CONTRASTIVE_DEPS}/.cache}/libcontrastive}
# shellcheck source=packaging/wheels.sh
. "$root/packaging/wheels.sh"
platform=$(basename "$natives")
libtorch=${CONTRASTIVE_LIBTORCH:-$cache/libtorch-2.11.0/torch}
native libcontrastive.so.0 >/dev/null

# archive NAME: the folder of this name in the work folder, as an archive that comes out the same from the same files.
archive() {
  tar c -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git -C "$root" -c safe.directory="$root" log -1 --format=%ct)" "$1" |
    gzip -9n >"$packages/$1.tar.gz.new"
  mv "$packages/$1.tar.gz.new" "$packages/$1.tar.gz"
  say "made $packages/$1.tar.gz, $(du -h "$packages/$1.tar.gz" | cut -f1)"
}

work=$dist/work/tarball
rm -rf "$work"
name=contrastive-$version-$platform
mkdir -p "$work/$name" "$packages"
cp -a "$natives"/{bin,include,lib,share} "$work/$name/"
rm -rf "$work/$name"/lib/{jni,csharp}  # other packages carry these
cp "$root"/{LICENSE,NOTICE,CHANGELOG.md} "$work/$name/"
cp "$root/packaging/packages/tarball.md" "$work/$name/README.md"
archive "$name"
