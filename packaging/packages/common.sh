# Sourced by the scripts of this folder: where they take from, where they write to, and what they check of what they made.
#
#   CONTRASTIVE_DIST      where packages are made (default: build/dist): the results lie in its folder packages
#   CONTRASTIVE_NATIVES   the built libraries and their glue (default: what packaging/natives.sh made: $CONTRASTIVE_DIST/natives/linux-x64)

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dist=$(realpath -m "${CONTRASTIVE_DIST:-$root/build/dist}")
natives=$(realpath -m "${CONTRASTIVE_NATIVES:-$dist/natives/linux-x64}")
packages=$dist/packages
export LC_ALL=C.UTF-8 TZ=UTC

# The one place where the version stands; tests/guards/version.sh holds every other mention to it.
version=$(sed -n 's/^project(contrastive VERSION \([0-9][0-9.]*\) .*/\1/p' "$root/CMakeLists.txt")
[ -n "$version" ] || die "CMakeLists.txt names no version"

# alone FOLDER: this run has the folder for itself until it ends; another one waits for it. The lock is a file beside the folder.
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
  found=$(find -L "$natives" -type f -name "$1" 2>/dev/null | sort | head -n 1)  # a link that leads nowhere is none
  [ -n "$found" ] || die "$1 is not in $natives: run packaging/natives.sh, or name the folder that holds it in CONTRASTIVE_NATIVES"
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

# carries ARCHIVE FOLDER FILE...: these files of the repository lie in this folder of the archive ("" is its root), byte for byte. LICENSE goes into every
# package, NOTICE and THIRD_PARTY_LICENSES into those that hold what we built.
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
