# The archives for Linux, used in systems that hold nothing but the libraries they may need: the C
# library, libm, libgcc_s and libstdc++ of Debian 11, and musl's loader alone. Base images of
# containers (.NET's, distroless ones) have no more.
# shellcheck shell=bash disable=SC2154
made tarball
vectors=()

# bare PLATFORM LIBRARY...: unpacks the platform's archive into a new root with those files, and
# embeds there.
bare() {
  local platform=$1 library place archive=$packages/tarball/contrastive-$version-$1.tar.gz
  shift
  if [ ! -e "$archive" ]; then
    say "$platform is not tested: $archive is missing"
    return
  fi
  place=$work/bare-$platform
  for library in "$@"; do
    mkdir -p "$place$(dirname "${library#*:}")"
    as_root cp -L "${library%%:*}" "$place${library#*:}"
  done
  mkdir -p "$place/out" "$place/proc"
  tar xzf "$archive" -C "$place"
  cp -rL "$model" "$place/model"
  cp "$work/reader/texts.txt" "$place/texts.txt"
  expect "$platform: it holds these libraries and no others" 0 "" test "$(find "$place" -path \
    "$place/contrastive-*" -prune -o -name '*.so*' -print | wc -l)" -eq $#
  expect "$platform: embeds" 0 "" as_root unshare --mount --pid --fork sh -c \
    'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$place" \
    "/contrastive-$version-$platform/bin/contrastive" encode --model /model --input /texts.txt \
    --output /out/vectors.npy
  expect "$platform: four vectors" 0 "" test -s "$place/out/vectors.npy"
  vectors+=("$place/out/vectors.npy")
}

make_root "$cache/packages/bullseye" bullseye
debian=$cache/packages/bullseye triple=x86_64-linux-gnu
libraries=()
for name in libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libgcc_s.so.1; do
  libraries+=("$debian/lib/$triple/$name:/lib/$triple/$name")
done
bare linux-x64 "$debian/lib64/ld-linux-x86-64.so.2:/lib64/ld-linux-x86-64.so.2" \
  "${libraries[@]}" "$debian/usr/lib/$triple/libstdc++.so.6:/usr/lib/$triple/libstdc++.so.6"
[ -e /lib/ld-musl-x86_64.so.1 ] || apt_install musl
bare linux-musl-x64 /lib/ld-musl-x86_64.so.1:/lib/ld-musl-x86_64.so.1
emulate arm64
bare linux-musl-arm64 \
  "$cache/cross/musl-arm64/lib/ld-musl-aarch64.so.1:/lib/ld-musl-aarch64.so.1"
[ ${#vectors[@]} -gt 0 ] || die "no archive for Linux is in $packages/tarball"
