#!/usr/bin/env bash
# Builds the native files of the packages: the library, the program and the native halves of the
# bindings. They also run on older systems than this one.
#
#   packaging/natives.sh [ARCH]          amd64 (default), arm64
#
# The compiler is GCC 12 of Debian 12, in a separate root. It compiles and links against the C and
# C++ library of Debian 11. So the results need only what Debian 11 has, and compute the same as a
# build on Debian 12. Debian 11's own GCC 10 has no AVX-VNNI, its C++ headers cannot parse
# floating-point numbers (std::from_chars), and its code would round differently from the tested
# code.
#
# The results are in ${CONTRASTIVE_DIST:-build/dist}/natives/PLATFORM (packaging/README.md lists
# them). The root, the compiler's cache and the build are kept in
# ${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}/natives for the next run. The
# script needs Debian or Ubuntu on x86-64, and root or sudo (debootstrap and chroot).
set -euo pipefail
# shellcheck source=packaging/packages/common.sh
. "$(dirname "$0")/packages/common.sh"  # root, dist, say, die
of_arch "${1:-amd64}"
# shellcheck source=packaging/apt.sh
. "$root/packaging/apt.sh"
# shellcheck source=packaging/wheels.sh
. "$root/packaging/wheels.sh"  # other_libtorchs
# shellcheck source=packaging/debian_root.sh
. "$root/packaging/debian_root.sh"

[ -e "$libtorch/lib/libtorch_cpu.so" ] ||
  die "no LibTorch in $libtorch: run packaging/bootstrap.sh $extra"
place=$cache/natives
alone "$place"  # the root, its libraries, the build
make_root "$place/debian-12" bookworm cmake ninja-build ccache swig make g++ \
  openjdk-17-jdk-headless dpkg-dev xz-utils

# What is under version control or will be: never what an earlier build left in the tree.
work=$place/$arch
mkdir -p "$work/build" "$place/ccache" "$dist/natives"
rm -rf "$work/source" "$work/out"
mkdir "$work/source" "$work/out"
# newer than any object: what another tree left is compiled again, or found in the cache
git -C "$root" -c safe.directory="$root" ls-files -z --cached --others --exclude-standard |
  (cd "$root" && tar c --null --files-from=- --ignore-failed-read) | tar xm -C "$work/source"

in_root "$place/debian-12" "$root/packaging:/packaging:ro" -- /packaging/natives/sysroot.sh \
  "$arch" "$(debian_mirror bullseye)" "$(debian_mirror bookworm)" "${compilers[@]}" \
  >"$work/sysroot.log" 2>&1 ||
  { tail -n 20 "$work/sysroot.log" >&2; die \
    "the libraries of Debian 11 could not be put together: $work/sysroot.log"; }
others=()
for version in "${other_libtorchs[@]}"; do
  other=$cache/libtorch-$version-$machine/torch
  if [ -e "$other/lib/libtorch_cpu.so" ]; then
    others+=("$other:/libtorch-$version:ro")
  else
    say "no training plugin for LibTorch $version: run packaging/bootstrap.sh libtorchs $extra"
  fi
done
say "building for $platform; the log is $work/build.log"
in_root "$place/debian-12" USER="$(id -u):$(id -g)" "$work/source:/source:ro" "$work/build:/build" \
  "$work/out:/out" "$place/ccache:/ccache" "$libtorch:/libtorch:ro" "${others[@]}" -- \
  /source/packaging/natives/build.sh "$arch" >"$work/build.log" 2>&1 || {
    grep -m 20 -A 10 -E 'error|FAILED' "$work/build.log" >&2 ||
    tail -n 30 "$work/build.log" >&2; die "the build failed: $work/build.log"; }

# What packages promise is read from the binaries, before anything is packed.
users=("$work"/out/bin/contrastive "$work"/out/lib/jni/libcontrastive_java.so \
  "$work"/out/lib/csharp/libcontrastive_csharp.so)
(cd "$root" && tests/capi/platform.sh --packages packaging/README.md "$work/out/lib/$library" \
  "$work/out/lib/$part" "${users[@]}" >&2) ||
  die "packaging/README.md and the binaries differ"
"$root/tests/capi/symbols.sh" "$work/out/lib/$library" \
  "$root/capi/include/contrastive/contrastive.h" \
  "$work/out/lib/$part" >&2 || die "the binaries export or need what they should not"
# symbols.sh has read what the two libraries are linked with; what uses them is linked with them and
# with no more than they are.
for file in "${users[@]}"; do
  needed=$(objdump -p "$file" | awk '$1 == "NEEDED" { print $2 }')
  grep -qxF "$library" <<<"$needed" || die "$file is not linked with $library"
  strange=$(comm -23 <(sort <<<"$needed") <({ echo "$library"; objdump -p "$work/out/lib/$library" \
    | awk '$1 == "NEEDED" { print $2 }'; } | sort))
  [ -z "$strange" ] || die "$file needs what $library does not:" $strange
done
rm -rf "$dist/natives/$platform"
mv -T "$work/out" "$dist/natives/$platform"
say "$dist/natives/$platform is ready"
