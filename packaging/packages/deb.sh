#!/usr/bin/env bash
# Makes the Debian packages in packages/deb of CONTRASTIVE_DIST, for Debian 11, Ubuntu 20.04 and
# newer releases.
#
#   packaging/packages/deb.sh
#
#   libcontrastiveN         The library, which embeds, searches and measures.
#   libcontrastive-torchN   The training plugin. Debian has no package of LibTorch; the description
#                           says where to install it.
#   libcontrastive-dev      The header, and the files of CMake and pkg-config.
#   contrastive             The program, its manual, and the service contrastive.service.
#
# N is the number of the binary interface. CONTRASTIVE_ARCH names the processor (common.sh).
# packaging/natives.sh makes the native libraries. debhelper packs them in a root of Debian 11 that
# has that processor's libraries, so that the packages depend on the versions that they need.
# lintian of Debian 12 checks the packages. An error or a warning of it ends the script.
set -euo pipefail
# shellcheck source=packaging/packages/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=packaging/apt.sh
. "$root/packaging/apt.sh"
# shellcheck source=packaging/debian_root.sh
. "$root/packaging/debian_root.sh"
one_by_one
header=$root/capi/include/contrastive/contrastive.h
native contrastive.pc >/dev/null

work_in "$dist/work/deb-$arch"
source=$work/contrastive-$version
mkdir -p "$source"
cp -a "$root/packaging/packages/debian" "$source/debian"
debian=$source/debian
for file in "$debian"/libcontrastive{,-torch}.{install,docs}; do
  mv "$file" "${file%.*}$abi.${file##*.}"
done
sed -i "s/@ABI@/$abi/g" "$debian"/{control,rules,contrastive.README.Debian}

# --- what is divided: the folders as Debian has them ----------------------------------------------
triple=$(basename "$(dirname "$(find "$natives/debian" -name libcontrastive.so)")")
cp -a "$natives/debian" "$source/staged"  # header, link, CMake, pkg-config
cp -a "$natives"/lib/libcontrastive*.so.* "$source/staged/usr/lib/$triple/"
mkdir -p "$source/staged/usr/share"
cp -a "$natives/bin" "$source/staged/usr/"
cp -a "$natives"/share/{man,bash-completion,zsh,fish} "$source/staged/usr/share/"
cp "$root/packaging/systemd/contrastive.service" "$debian/contrastive.service"
cp "$root"/{CHANGELOG.md,NOTICE,THIRD_PARTY_LICENSES} "$source/"  # debian/*.docs name them

# --- what is written from what the tree knows already ---------------------------------------------
date=$(git -C "$root" -c safe.directory="$root" log -1 --format=%cD)
cat >"$debian/changelog" <<CHANGELOG
contrastive ($version) unstable; urgency=medium

  * What is new in $version is listed in
    /usr/share/doc/libcontrastive$abi/CHANGELOG.md.gz.

 -- The authors of libcontrastive <packages@contrastive.io>  $date
CHANGELOG
{
  cat "$debian/copyright.in"
  # terms ENTRY LICENSE BEGIN: the terms of an entry of THIRD_PARTY_LICENSES, from the line that
  # begins so.
  terms() {
    printf '\nLicense: %s\n' "$2"
    awk -v entry="$1" -v begin="$3" '
      begun && /^----/ { exit }
      inside && index($0, begin) == 1 { begun = 1 }
      begun {
        sub(/[[:space:]]+$/, "")
        if ($0 == "") blank = blank " .\n"
        else { printf "%s %s\n", blank, $0; blank = "" }
      }
      ruled && $0 == entry { inside = 1 }
      { ruled = /^-+$/ }' "$root/THIRD_PARTY_LICENSES"
  }
  terms ICU Unicode Permission
  terms nlohmann/json Expat Permission
  terms CLI11 BSD-3-clause Redistribution
} >"$debian/copyright"
rm "$debian/copyright.in"
# Since when a function is there is what its text in the header says.
{
  echo "$library libcontrastive$abi #MINVER#"
  echo " CONTRASTIVE_$abi@CONTRASTIVE_$abi 0.1"
  echo ' (optional|regex)"@CONTRASTIVE_PARTS_[0-9a-f]+$" '"$version"
  awk -v node="@CONTRASTIVE_$abi " '
    match($0, /@since [0-9.]+/) {
      since = substr($0, RSTART + 7, RLENGTH - 7)
      sub(/\.$/, "", since)
    }
    /^CS_API/ {
      match($0, /cs_[a-z0-9_]+\(/)
      print " " substr($0, RSTART, RLENGTH - 1) node since
    }' "$header" | LC_ALL=C sort
} >"$debian/libcontrastive$abi.symbols"

# --- packages -------------------------------------------------------------------------------------
builder=$cache/natives/debian-11-debhelper linter=$cache/natives/debian-12-lintian foreign=()
if [ "$arch" != "$(dpkg --print-architecture)" ]; then
  builder+=-$arch
  # what reads the natives, and what they need
  foreign=("binutils-${triple/_/-}" {libc6,libgcc-s1,libstdc++6}:"$arch")
fi
make_root "$builder" bullseye debhelper dpkg-dev fakeroot chrpath ${foreign[@]+"${foreign[@]}"}
make_root "$linter" bookworm lintian
say "version $version, natives from $natives"
in_root "$builder" USER="$(id -u):$(id -g)" "$work:/deb" "$libtorch:/libtorch:ro" -- sh -c \
  'cd /deb/contrastive-*/ && dpkg-architecture -a "$1" -c fakeroot debian/rules binary' build \
  "$arch" >"$work/build.log" 2>&1 || {
    tail -n 30 "$work/build.log" >&2; die "debhelper failed; the whole log is $work/build.log"
  }
mkdir "$work/new"
mv "$work"/*.deb "$work/new/"
in_root "$linter" "$work/new:/packages:ro" -- sh -c \
  'lintian --fail-on error,warning --info --tag-display-limit 0 /packages/*.deb' \
  >"$work/lintian.log" 2>&1 || {
    cat "$work/lintian.log" >&2; die "lintian finds fault: $work/lintian.log"
  }
mkdir -p "$packages"
mkdir -p "$packages/deb"
# made before; of another processor this version stays
find "$packages/deb" \( -name "*_$arch.deb" -o ! -name "*_${version}_*.deb" \) -type f -delete
mv "$work"/new/*.deb "$packages/deb/"
say "made $(cd "$packages/deb" && du -h -- *"_$arch.deb" |
  awk '{ printf "%s%s (%s)", sep, $2, $1; sep = ", " }') in $packages/deb; lintian: no errors, no" \
  "warnings"
