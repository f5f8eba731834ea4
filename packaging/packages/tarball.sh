#!/usr/bin/env bash
# Makes the archives, in packages/tarball of CONTRASTIVE_DIST, that run from any folder: contrastive-VERSION-linux-x64.tar.gz, and the same
# ...-with-libtorch.tar.gz with what trains on the CPU. Unpack one anywhere; nothing needs to be set. contrastive-libtorch-*.tar.gz is that LibTorch alone,
# for /opt.
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

# archive FOLDER [NAME]: a folder of the work folder, as an archive that comes out the same from the same files.
archive() {
  local name=${2:-$1}
  tar c -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git -C "$root" -c safe.directory="$root" log -1 --format=%ct)" "$1" |
    gzip -6n >"$work/new/$name.tar.gz"
}

work_in "$dist/work/tarball"
name=contrastive-$version-$platform
mkdir -p "$work/$name" "$work/new"
cp -a "$natives"/{bin,include,lib,share} "$work/$name/"
rm -rf "$work/$name"/lib/{jni,csharp}  # other packages carry these
cp "$root"/{LICENSE,NOTICE,THIRD_PARTY_LICENSES,CHANGELOG.md} "$work/$name/"
cp "$root/packaging/packages/tarball.md" "$work/$name/README.md"
archive "$name"

# --- LibTorch for the CPU: what the part that trains loads, and what that needs -----------------------------------------------------
# The pinned LibTorch is one with a CUDA half. Its CPU half alone is 450 MB of one file, and cannot be loaded without CUDA's run time.
torch_version=$(sed -n 's/^torch==\([0-9.]*\) .*/\1/p' "$root/packaging/libtorch.txt")
fetch_wheels cuda_runtime.txt cuda-licences-13.0 'nvidia_*/*icense*'
brought=$work/libtorch
mkdir -p "$brought/lib" "$brought/licences"
cp -L "$libtorch"/lib/{libc10.so,libtorch_cpu.so,libgomp.so.1} "$libtorch"/../nvidia/cu13/lib/{libcudart.so.13,libcupti.so.13} "$brought/lib/"
echo "$torch_version" >"$brought/build-version"
cp "$libtorch"/../torch-"$torch_version".dist-info/licenses/LICENSE "$brought/licences/LICENSE.libtorch"
cp "$libtorch"/../torch-"$torch_version".dist-info/licenses/NOTICE "$brought/licences/NOTICE.libtorch"
for folder in "$cache"/cuda-licences-13.0/nvidia_*; do
  package=$(basename "$folder")
  cp "$(find "$folder" -iname '*license*' -type f | head -n 1)" "$brought/licences/LICENSE.${package%.dist-info}"
done
mv "$work/$name" "$work/$name-with-libtorch"
cp -al "$brought" "$work/$name-with-libtorch/lib/libtorch"
archive "$name-with-libtorch"
# Alone, for /opt: beside the packages of Debian and of the languages.
archive libtorch contrastive-libtorch-$torch_version-$platform
mkdir -p "$packages"
rm -rf "$packages/tarball"
mv "$work/new" "$packages/tarball"
say "made $(cd "$packages/tarball" && du -h -- * | awk '{ printf "%s%s (%s)", sep, $2, $1; sep = ", " }') in $packages/tarball"
