#!/usr/bin/env bash
# Makes a release of the last commit.
#
#   packaging/release.sh VERSION [--dry-run] [--build COMMAND] [--tests COMMAND]
#                        [--packages COMMAND]
#
#   --dry-run    makes all checks that need no build, prints what would be done, and changes nothing
#   --build      builds build/release/libcontrastive-abi.so   (cmake --preset release, and its
#                target contrastive_abi)
#   --tests      must succeed                                 (tests/run.sh)
#   --packages   makes build/dist/packages                    (packaging/package.sh all)
#
# The script first checks that the version is newer than every tag and has no tag, that the tree is
# clean, and that CHANGELOG.md has a section [Unreleased] with contents. It writes the version
# everywhere (packaging/version.py), dates the section, compares the binary interface with that of
# the last release (packaging/abi.sh; VERSIONING.md says what a patch, minor and major version may
# change), records it, and commits. Then it runs the tests, makes the packages and SHA256SUMS, and
# sets the tags vVERSION and bindings/go/vVERSION, which Go requires. It pushes nothing. SHA256SUMS
# lists only the files of this run; files of earlier runs stay.
#
# If a step fails, the script reverts its commit and the files of that commit. It keeps files that
# others changed in the meantime, and commits that others made on top of its own. It prints what you
# still have to do.
set -euo pipefail
cd "$(dirname "$0")/.."
say() { printf 'release: %s\n' "$*"; }
die() { printf 'release: %s\n' "$*" >&2; exit 1; }

version='' dry= \
  build='cmake --preset release && cmake --build --preset release --target contrastive_abi' \
  tests=tests/run.sh packages='packaging/package.sh all'
while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry=yes ;;
    --build | --tests | --packages) [ $# -gt 1 ] || die "$1 wants a command"; declare "${1#--}=$2";
      shift ;;
    -*) die "unknown option '$1'; the head of packaging/release.sh lists them" ;;
    *) [ -z "$version" ] || die "one version, not '$version' and '$1'"; version=$1 ;;
  esac
  shift
done
[ -n "$version" ] || die "name the version: packaging/release.sh MAJOR.MINOR.PATCH"
[[ $version =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$ ]] ||
  die "'$version' is no version: MAJOR.MINOR.PATCH"
major=${BASH_REMATCH[1]} minor=${BASH_REMATCH[2]}

# --- What must be so before anything is changed ---------------------------------------------------
# newer A B: A is a later version than B.
newer() { [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | tail -n 1)" = "$1" ]; }
dirty=$(git status --porcelain)
[ -z "$dirty" ] || die "the tree is not clean: commit or remove what 'git status' lists first:" \
  "$(printf '%s' "$dirty" | head -n 3 | cut -c4- | paste -s -d ' ')"
tags=(v"$version" bindings/go/v"$version")
for tag in "${tags[@]}"; do
  ! git rev-parse --quiet --verify "refs/tags/$tag" >/dev/null ||
    die "the tag $tag exists: choose a newer version"
done
last=$(git tag --list 'v[0-9]*' | sed 's/^v//' | grep -E '^[0-9]+\.[0-9]+\.[0-9]+$' | sort -V \
  | tail -n 1 || true)
[ -z "$last" ] || newer "$version" "$last" ||
  die "$version is not newer than $last, the last release"
present=$(python3 packaging/version.py print)
[ "$version" = "$present" ] || newer "$version" "$present" ||
  die "$version is older than $present, which CMakeLists.txt says"
python3 packaging/version.py check >/dev/null ||
  die "the tree does not agree about its own version: see above"

# section NAME: the lines of CHANGELOG.md under the heading [NAME].
section() { awk -v name="[$1]" '/^## / { inside = ($2 == name); next } inside' CHANGELOG.md; }
! grep -q -F "## [$version]" CHANGELOG.md || die "CHANGELOG.md has a section [$version] already:" \
  "what is to be released stands under [Unreleased]"
grep -q '^## \[Unreleased\]$' CHANGELOG.md ||
  die "CHANGELOG.md has no section [Unreleased]: say there what is new in $version"
grep -q '^- ' <<<"$(section Unreleased)" ||
  die "CHANGELOG.md says nothing under [Unreleased]: say there what is new in $version"

# What kind of release: compared with the last tag, or a first one.
if [ -z "$last" ]; then kind=first
elif [ "${last%%.*}" != "$major" ]; then kind=major
elif [ "$(echo "$last" | cut -d. -f2)" != "$minor" ]; then kind=minor
else kind=patch; fi
say "$version is a $kind release${last:+ after $last}"

header=capi/include/contrastive/contrastive.h
abi_of() { sed -n 's/^#define CS_ABI_VERSION //p' "$1"; }
if [ "$(abi_of $header)" != "$(abi_of packaging/abi/contrastive/contrastive.h)" ]; then
  # A new number of the binary interface: programs have to be built again.
  case $kind in
    patch)
      die "CS_ABI_VERSION has changed, which a patch release may not do: release a minor version" \
        "(VERSIONING.md)"
      ;;
    minor) [ "$major" -eq 0 ] ||
      die "CS_ABI_VERSION has changed, which from 1.0 on takes a major version (VERSIONING.md)" ;;
  esac
fi
patch=()
[ "$kind" != patch ] || patch=(--patch)
library=build/release/libcontrastive-abi.so

if [ -n "$dry" ]; then
  if [ -f "$library" ]; then
    packaging/abi.sh check "$library" capi/include "${patch[@]}" ||
      die "the binary interface is not what a $kind release may have: see above"
  else
    say "the binary interface is compared once $library is built"
  fi
  say "would write $version in every place of packaging/version.py, and date CHANGELOG.md's" \
    "section:"
  section Unreleased | grep -E '^(- |### )' | cut -c-100 | sed 's/^/    /'
  say "would record the binary interface, commit, and run: $tests; $packages"
  say "would write SHA256SUMS, and tag ${tags[*]}"
  exit
fi

# --- From here on a failure reverts what was written ----------------------------------------------
# Building and testing take half an hour, and others may edit the tree meanwhile. Only files that
# are written here are committed or reverted.
before=$(git rev-parse HEAD)
commit='' finished='' tagged=()
declare -A wrote=()  # FILE: the digest of what this script made of it
note() { local file; for file in "$@"; do wrote[$file]=$(git hash-object -- "$file"); done; }
take_back() {
  [ -z "$finished" ] || return 0
  local file kept=()
  [ ${#tagged[@]} -eq 0 ] || git tag -d "${tagged[@]}" >/dev/null
  if [ "$(git rev-parse HEAD)" != "${commit:-$before}" ]; then
    say "nothing was released. There is a commit on top of ${commit:-$before}, so nothing was" \
      "taken back: 'git log' and 'git status' show what is there" >&2
    return
  fi
  [ -z "$commit" ] || git update-ref -m "release.sh goes back" HEAD "$before" "$commit"
  for file in "${!wrote[@]}"; do
    if [ "$(git hash-object -- "$file" 2>/dev/null)" = "${wrote[$file]}" ]; then
      git restore --source="$before" --staged --worktree -- "$file"
    else
      git reset --quiet -- "$file"
      kept+=("$file")
    fi
  done
  if [ ${#kept[@]} -eq 0 ]; then
    say "nothing was released: what was written is taken back" >&2
  else
    say "nothing was released. Somebody has changed these files meanwhile, and they hold what was" \
      "written for $version as well: ${kept[*]}" >&2
  fi
}
trap take_back EXIT
date=$(date -u +%F)
python3 packaging/version.py set "$version"
sed -i "s/^## \[Unreleased\]\$/&\n\n## [$version] - $date/" CHANGELOG.md
[ ! -f CITATION.cff ] || sed -i "s/^date-released: .*/date-released: $date/" CITATION.cff
readarray -d '' -t changed < <(git diff --name-only -z)
note "${changed[@]}"
python3 packaging/version.py check

bash -c "$build" || die "the build failed"
packaging/abi.sh check "$library" capi/include "${patch[@]}" || die "the binary interface is not" \
  "what a $kind release may have, or cannot be compared: see above, and VERSIONING.md"
packaging/abi.sh record "$library" capi/include
note packaging/abi/contrastive.abi packaging/abi/contrastive/contrastive.h \
  packaging/abi/appended.abignore
git commit --quiet --allow-empty -m "Version $version" -m "$(section "$version" | grep '^### ' |
  sed 's/^### //' | paste -s -d ',' | sed 's/,/, /g'): see CHANGELOG.md." --only -- "${!wrote[@]}"
commit=$(git rev-parse HEAD)

bash -c "$tests" || die "the tests failed"
made=${CONTRASTIVE_DIST:-build/dist}/packages
# Each file with what changes when it is written again, whatever time it is given.
files_made() { [ ! -d "$made" ] || (cd "$made" && find . -type f ! -path ./SHA256SUMS -printf \
  '%i %C@ %P\0' | LC_ALL=C sort -z); }
mkdir -p build
files_made >build/files-before
bash -c "$packages" || die "the packages were not made"
files_made >build/files-after
LC_ALL=C comm -z -13 build/files-before build/files-after | cut -z -d ' ' -f 3- |
  LC_ALL=C sort -z >build/files-made
left=$(($(tr -cd '\0' <build/files-after | wc -c) - $(tr -cd '\0' <build/files-made | wc -c)))
rm build/files-before build/files-after
[ -s build/files-made ] || die "$made holds no packages of this run"
dirty=$(git status --porcelain)
[ -z "$dirty" ] || die "building left files in the tree:" \
  "$(printf '%s' "$dirty" | head -n 3 | cut -c4- | paste -s -d ' ')"
(cd "$made" && xargs -0 sha256sum -- >"$OLDPWD/build/SHA256SUMS" <"$OLDPWD/build/files-made" &&
  mv "$OLDPWD/build/SHA256SUMS" .)
rm build/files-made
[ "$left" -eq 0 ] || say "$left files in $made are of an earlier run: SHA256SUMS does not name them"
for tag in "${tags[@]}"; do
  git tag -a "$tag" -m "Version $version" "$commit"
  tagged+=("$tag")
done
finished=yes
say "$version: $(wc -l <"$made/SHA256SUMS") files in $made with SHA256SUMS, tags ${tags[*]}; to" \
  "publish: git push --follow-tags"
