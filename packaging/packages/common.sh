# Sourced by the scripts of this folder: their inputs, their outputs, and the checks of their
# results.
#
#   CONTRASTIVE_DIST      The output folder (default: build/dist). Packages are in its folder
#                         packages.
#   CONTRASTIVE_ARCH      The processors, separated by blanks: amd64 (default), arm64.
#                         packaging/natives/ARCH.sh lists their differences.
#   CONTRASTIVE_NATIVES   The built libraries and their glue (default: the output of
#                         packaging/natives.sh, $CONTRASTIVE_DIST/natives/PLATFORM).

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dist=$(realpath -m "${CONTRASTIVE_DIST:-$root/build/dist}")
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-${HOME:?set CONTRASTIVE_DEPS}/.cache}/libcontrastive}
packages=$dist/packages
export LC_ALL=C.UTF-8 TZ=UTC

# The one place where the version stands; tests/guards/version.sh holds every other mention to it.
version=$(sed -n 's/^project(contrastive VERSION \([0-9][0-9.]*\) .*/\1/p' "$root/CMakeLists.txt")
[ -n "$version" ] || die "CMakeLists.txt names no version"
# The one place where the number of the binary interface stands, in which the names of the libraries
# end.
abi=$(sed -n 's/^#define CS_ABI_VERSION //p' "$root/capi/include/contrastive/contrastive.h")
[ -n "$abi" ] || die "contrastive.h names no CS_ABI_VERSION"
library=libcontrastive.so.$abi part=libcontrastive-torch.so.$abi

# of_arch ARCH: from here on it is about that processor: $arch, $platform, $maven, $in_words,
# $libtorch, $natives.
of_arch() {
  arch=$1
  [ -e "$root/packaging/natives/$arch.sh" ] || die "unknown processor '$arch'; known:" \
    "$(cd "$root/packaging/natives" && echo *64.sh | sed 's/\.sh//g')"
  # shellcheck source=packaging/natives/amd64.sh
  . "$root/packaging/natives/$arch.sh"
  natives=$(realpath -m "${CONTRASTIVE_NATIVES:-$dist/natives/$platform}")
}
read -r -a architectures <<<"${CONTRASTIVE_ARCH:-amd64}"
[ ${#architectures[@]} -eq 1 ] || [ -z "${CONTRASTIVE_NATIVES:-}" ] ||
  die "CONTRASTIVE_NATIVES holds what was built for one processor, not for ${architectures[*]}"
of_arch "${architectures[0]}"

# cross_platforms: prints the platforms that packaging/cross.sh builds for.
cross_platforms() {
  sed -n 's/^ *"\([a-z0-9-]*\):[A-Za-z]*:.*/\1/p' "$root/packaging/cmake/zig.cmake"
}

# one_by_one: runs a script once for each requested processor if its packages are for one processor.
one_by_one() {
  [ ${#architectures[@]} -gt 1 ] || return 0
  for arch in "${architectures[@]}"; do CONTRASTIVE_ARCH=$arch "$0"; done
  exit
}

# alone FOLDER: locks the folder until this run ends, and waits for other runs. The lock is a file
# next to the folder.
alone() {
  mkdir -p "$(dirname "$1")"
  exec {lock}>"$1.lock"
  flock -n "$lock" || { say "waiting for another run, which works in $1"; flock "$lock"; }
}

# work_in FOLDER: an empty folder to work in, $work, for this run alone.
work_in() {
  work=$1
  alone "$work"
  rm -rf "$work"
  mkdir -p "$work"
}

# native FILE: prints the place of one of the built libraries.
native() {
  local found
  # A dangling link does not count.
  found=$(find -L "$natives" -type f -name "$1" 2>/dev/null | sort | head -n 1)
  [ -n "$found" ] || die "$1 is not in $natives: run packaging/natives.sh, or name the folder" \
    "that holds it in CONTRASTIVE_NATIVES"
  printf '%s\n' "$found"
}

# need TOOL HOW: the tool is there, or the script ends and says how to get it.
need() { command -v "$1" >/dev/null || die "$1 is missing: run $2"; }

# entries ARCHIVE: the names of the files that a jar, nupkg, module zip or crate holds.
entries() {
  case $1 in
    *.crate) tar tzf "$1" ;;
    *) unzip -Z1 "$1" ;;
  esac
}

# carries ARCHIVE FOLDER FILE...: checks that these files of the repository are in this folder of
# the archive ("" is its root), byte for byte. LICENSE goes into every package, NOTICE and
# THIRD_PARTY_LICENSES into the packages that contain compiled code.
carries() {
  local archive=$1 folder=$2 file
  shift 2
  for file in "$@"; do
    case $archive in
      *.crate) tar xzOf "$archive" "$folder$file" 2>/dev/null ;;
      *) unzip -p "$archive" "$folder$file" 2>/dev/null ;;
    esac | cmp -s - "$root/$file" || die "$archive has not the repository's $file as $folder$file"
  done
}
