#!/usr/bin/env bash
# Makes archives in packages/tarball of CONTRASTIVE_DIST. Unpack one anywhere; nothing needs to be
# set.
#
#   contrastive-VERSION-PLATFORM.tar.gz                 The library and the program.
#   contrastive-VERSION-PLATFORM-with-libtorch.tar.gz   The same with LibTorch, for training on the
#                                                       CPU (x86-64 only).
#   contrastive-libtorch-*.tar.gz                       That LibTorch alone, for /opt.
#
#   packaging/packages/tarball.sh
#
# CONTRASTIVE_ARCH names the processor (common.sh). packaging/natives.sh makes the native files.
# LibTorch is the pinned one of packaging/bootstrap.sh, without its CUDA half.
set -euo pipefail
# shellcheck source=packaging/packages/common.sh
. "$(dirname "$0")/common.sh"
one_by_one
# shellcheck source=packaging/wheels.sh
. "$root/packaging/wheels.sh"
native "$library" >/dev/null

# archive FOLDER [NAME]: a folder of the work folder, as an archive that comes out the same from the
# same files.
archive() {
  local name=${2:-$1}
  tar c -C "$work" --sort=name --owner=0 --group=0 --numeric-owner \
    --mtime="@$(git -C "$root" -c safe.directory="$root" log -1 --format=%ct)" "$1" |
    gzip -6n >"$work/new/$name.tar.gz"
}

# Puts what was made into packages/tarball, in the place of what was made there for this processor
# before.
deliver() {
  mkdir -p "$packages/tarball"
  find "$packages/tarball" -type f \( -name "*-$platform*.tar.gz" -o -name 'contrastive-[0-9]*' ! \
    -name "contrastive-$version-*" \) -delete
  mv "$work"/new/*.tar.gz "$packages/tarball/"
  say "made $(cd "$packages/tarball" && du -h -- *"-$platform"*.tar.gz |
    awk '{ printf "%s%s (%s)", sep, $2, $1; sep = ", " }') in $packages/tarball"
}

work_in "$dist/work/tarball-$arch"
name=contrastive-$version-$platform
mkdir -p "$work/$name" "$work/new"
cp -a "$natives"/{bin,include,lib,share} "$work/$name/"
rm -rf "$work/$name"/lib/{jni,csharp}  # other packages carry these
cp "$root"/{LICENSE,NOTICE,THIRD_PARTY_LICENSES,CHANGELOG.md} "$work/$name/"
sed "s/@PROCESSOR@/$in_words/" "$root/packaging/packages/tarball.md" >"$work/$name/README.md"
archive "$name"
if [ "$arch" = arm64 ]; then
  # There libtorch_cpu.so loads NVIDIA's libraries of linear algebra, whose licence is not in the
  # wheel: pip brings them to the user.
  say "LibTorch for arm64 is not packed: pip install" \
    "torch==$(sed -n 's/^torch==\([0-9.]*\) .*/\1/p' "$root/packaging/libtorch.txt") has it"
  deliver
  exit
fi

# --- LibTorch for the CPU: what the training plugin loads, with its dependencies ------------------
# The pinned LibTorch has a CUDA half. Its CPU half is one file of 450 MB, and cannot be loaded
# without the CUDA runtime.
torch_version=$(sed -n 's/^torch==\([0-9.]*\) .*/\1/p' "$root/packaging/libtorch.txt")
fetch_wheels cuda_runtime.txt cuda-licences-13.0 'nvidia_*/*icense*'
brought=$work/libtorch
mkdir -p "$brought/lib" "$brought/licences"
cp -L "$libtorch"/lib/{libc10.so,libtorch_cpu.so,libgomp.so.1} \
  "$libtorch"/../nvidia/cu13/lib/{libcudart.so.13,libcupti.so.13} "$brought/lib/"
echo "$torch_version" >"$brought/build-version"
cp "$libtorch"/../torch-"$torch_version".dist-info/licenses/LICENSE \
  "$brought/licences/LICENSE.libtorch"
cp "$libtorch"/../torch-"$torch_version".dist-info/licenses/NOTICE \
  "$brought/licences/NOTICE.libtorch"
for folder in "$cache"/cuda-licences-13.0/nvidia_*; do
  package=$(basename "$folder")
  cp "$(find "$folder" -iname '*license*' -type f | head -n 1)" \
    "$brought/licences/LICENSE.${package%.dist-info}"
done
mv "$work/$name" "$work/$name-with-libtorch"
cp -al "$brought" "$work/$name-with-libtorch/lib/libtorch"
archive "$name-with-libtorch"
# LibTorch alone, for /opt: it complements the packages of Debian and of the languages.
archive libtorch contrastive-libtorch-$torch_version-$platform
deliver
