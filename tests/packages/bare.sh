# The archive for Linux, used in a system that holds nothing but the libraries it may need: the C
# library, libm, libgcc_s and libstdc++ of Debian 11. Base images of containers (.NET's, distroless
# ones) have no more. tests/cross/run.sh does the same with musl's loader alone.
# shellcheck shell=bash disable=SC2154
made tarball
make_root "$cache/packages/bullseye" bullseye
debian=$cache/packages/bullseye place=$work/bare triple=x86_64-linux-gnu
[ "$arch" = amd64 ] || die "this test is for amd64"
mkdir -p "$place"/{lib64,lib/$triple,out,proc}
as_root cp -L "$debian/lib64/ld-linux-x86-64.so.2" "$place/lib64/"
as_root cp -L "$debian/lib/$triple"/{libc,libm}.so.6 "$debian/lib/$triple/libgcc_s.so.1" \
  "$debian/lib/$triple"/{libpthread.so.0,libdl.so.2,librt.so.1} \
  "$debian/usr/lib/$triple/libstdc++.so.6" "$place/lib/$triple/"
tar xzf "$packages/tarball/contrastive-$version-$platform.tar.gz" -C "$place"
cp -rL "$model" "$place/model"
cp "$work/reader/texts.txt" "$place/texts.txt"
in_bare() {
  as_root unshare --mount --pid --fork sh -c \
    'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$place" \
    "/contrastive-$version-$platform/bin/contrastive" "$@"
}
expect "bare: embed" 0 "" in_bare encode --model /model --input /texts.txt --output /out/vectors.npy
expect "bare: there are vectors" 0 "" test -s "$place/out/vectors.npy"
expect "bare: search" 0 "A man is eating a piece of bread." in_bare search --model /model \
  --corpus /texts.txt --top-k 2 "somebody eats bread"
