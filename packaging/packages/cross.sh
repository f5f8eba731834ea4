#!/usr/bin/env bash
# Makes archives of what packaging/cross.sh built, in packages/tarball of CONTRASTIVE_DIST. Unpack
# one anywhere.
#
#   contrastive-VERSION-PLATFORM.tar.gz     the library, for musl and macOS
#   contrastive-VERSION-PLATFORM.zip        the library, for Windows
#
#   packaging/packages/cross.sh
#
# CONTRASTIVE_PLATFORMS names the platforms, separated by blanks (default: those that are in
# $CONTRASTIVE_DIST/natives).
set -euo pipefail
# shellcheck source=packaging/packages/common.sh
. "$(dirname "$0")/common.sh"

read -r -a platforms <<<"${CONTRASTIVE_PLATFORMS:-$(cross_platforms | while read -r platform; do
  [ ! -d "$dist/natives/$platform" ] || echo "$platform"; done | tr '\n' ' ')}"
[ ${#platforms[@]} -gt 0 ] || die "nothing in $dist/natives: run packaging/cross.sh"
work_in "$dist/work/cross"
mkdir -p "$work/new"
made=$(git -C "$root" -c safe.directory="$root" log -1 --format=%ct)

# archive NAME: the folder as an archive that comes out the same from the same files.
archive() {
  case $1 in
    *-win-*)
      (cd "$work" && python3 - "$1" "$made" <<'PYTHON'
import pathlib, sys, time, zipfile

folder, made = pathlib.Path(sys.argv[1]), time.gmtime(int(sys.argv[2]))[:6]
with zipfile.ZipFile(f"new/{folder}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        entry = zipfile.ZipInfo(path.as_posix(), made)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        out.writestr(entry, path.read_bytes())
PYTHON
      ) ;;
    *)
      tar c -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$made" "$1" |
        gzip -6n >"$work/new/$1.tar.gz" ;;
  esac
}

for platform in "${platforms[@]}"; do
  natives=$dist/natives/$platform
  [ -n "$(find "$natives" -name 'libcontrastive.*' -o -name contrastive.dll 2>/dev/null)" ] ||
    die "$natives has no library: run packaging/cross.sh $platform"
  case $platform in
    win-x64) system='Windows on x86-64' needs='Windows 10 or newer, and no C++ run time' ;;
    linux-musl-x64) system='Linux with musl on x86-64' needs="Alpine Linux or another Linux with \
musl, and no C++ run time" ;;
    linux-musl-arm64) system='Linux with musl on arm64' needs="Alpine Linux or another Linux with \
musl, and no C++ run time" ;;
    osx-*) system="macOS on ${platform#osx-}" needs="macOS 12 or newer. It was linked and never \
run: please report what you see" ;;
    *) die "unknown platform '$platform'" ;;
  esac
  name=contrastive-$version-$platform
  mkdir "$work/$name"
  cp -a "$natives"/. "$work/$name/"
  rm -rf "$work/$name"/lib/csharp  # another package carries it
  cp "$root"/{LICENSE,NOTICE,THIRD_PARTY_LICENSES,CHANGELOG.md} "$work/$name/"
  sed "s/@SYSTEM@/$system/; s/@NEEDS@/$needs/" "$root/packaging/packages/cross.md" \
    >"$work/$name/README.md"
  archive "$name"
done
mkdir -p "$packages/tarball"
for platform in "${platforms[@]}"; do
  rm -f "$packages/tarball"/contrastive-*-"$platform".{zip,tar.gz}
  mv "$work/new/contrastive-$version-$platform".* "$packages/tarball/"
done
say "made $(cd "$packages/tarball" && for platform in "${platforms[@]}"; do
  du -h "contrastive-$version-$platform".*; done |
  awk '{ printf "%s%s (%s)", sep, $2, $1; sep = ", " }') in $packages/tarball"
