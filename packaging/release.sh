#!/usr/bin/env bash
# Makes a release of the tree that stands on the last commit.
#
#   packaging/release.sh VERSION [--dry-run] [--build COMMAND] [--tests COMMAND] [--packages COMMAND]
#
#   --dry-run    looks at everything that can be looked at without building, says what would be done, and changes nothing
#   --build      builds build/release/libcontrastive-abi.so   (cmake --preset release, and its target contrastive_abi)
#   --tests      what must pass                               (tests/run.sh)
#   --packages   what makes build/dist/packages               (packaging/package.sh all)
#
# In this order: the version is newer than every tag and has no tag of its own, the tree is clean, CHANGELOG.md says something under [Unreleased], the
# version is written everywhere (packaging/version.py) and the section dated, the binary interface is compared with the last release's (packaging/abi.sh;
# VERSIONING.md says what a patch, a minor and a major version may change) and recorded anew, and all that is committed. Then tests, packages,
# SHA256SUMS beside them, and the tags vVERSION and bindings/go/vVERSION, as Go wants it. Nothing is pushed. What fails leaves the tree and
# its last commit as they were.
set -euo pipefail
cd "$(dirname "$0")/.."
say() { printf 'release: %s\n' "$*"; }
die() { printf 'release: %s\n' "$*" >&2; exit 1; }

version='' dry= build='cmake --preset release && cmake --build --preset release --target contrastive_abi' tests=tests/run.sh packages='packaging/package.sh all'
while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry=yes ;;
    --build | --tests | --packages) [ $# -gt 1 ] || die "$1 wants a command"; declare "${1#--}=$2"; shift ;;
    -*) die "unknown option '$1'; the head of packaging/release.sh lists them" ;;
    *) [ -z "$version" ] || die "one version, not '$version' and '$1'"; version=$1 ;;
  esac
  shift
done
[ -n "$version" ] || die "name the version: packaging/release.sh MAJOR.MINOR.PATCH"
[[ $version =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$ ]] || die "'$version' is no version: MAJOR.MINOR.PATCH"
major=${BASH_REMATCH[1]} minor=${BASH_REMATCH[2]}

# --- What must be so before anything is changed ----------------------------------------------------------------------------------------------------
# newer A B: A is a later version than B.
newer() { [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | tail -n 1)" = "$1" ]; }
dirty=$(git status --porcelain)
[ -z "$dirty" ] || die "the tree is not clean: commit or remove what 'git status' lists first: $(printf '%s' "$dirty" | head -n 3 | cut -c4- | paste -s -d ' ')"
tags=(v"$version" bindings/go/v"$version")
for tag in "${tags[@]}"; do
  ! git rev-parse --quiet --verify "refs/tags/$tag" >/dev/null || die "the tag $tag exists: choose a newer version"
done
last=$(git tag --list 'v[0-9]*' | sed 's/^v//' | grep -E '^[0-9]+\.[0-9]+\.[0-9]+$' | sort -V | tail -n 1 || true)
[ -z "$last" ] || newer "$version" "$last" || die "$version is not newer than $last, the last release"
present=$(python3 packaging/version.py print)
[ "$version" = "$present" ] || newer "$version" "$present" || die "$version is older than $present, which CMakeLists.txt says"
python3 packaging/version.py check >/dev/null || die "the tree does not agree about its own version: see above"

# section NAME: the lines of CHANGELOG.md under the heading [NAME].
section() { awk -v name="[$1]" '/^## / { inside = ($2 == name); next } inside' CHANGELOG.md; }
! grep -q -F "## [$version]" CHANGELOG.md || die "CHANGELOG.md has a section [$version] already: what is to be released stands under [Unreleased]"
grep -q '^## \[Unreleased\]$' CHANGELOG.md || die "CHANGELOG.md has no section [Unreleased]: say there what is new in $version"
grep -q '^- ' <<<"$(section Unreleased)" || die "CHANGELOG.md says nothing under [Unreleased]: say there what is new in $version"

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
    patch) die "CS_ABI_VERSION has changed, which a patch release may not do: release a minor version (VERSIONING.md)" ;;
    minor) [ "$major" -eq 0 ] || die "CS_ABI_VERSION has changed, which from 1.0 on takes a major version (VERSIONING.md)" ;;
  esac
fi
patch=()
[ "$kind" != patch ] || patch=(--patch)
library=build/release/libcontrastive-abi.so

if [ -n "$dry" ]; then
  if [ -f "$library" ]; then
    packaging/abi.sh check "$library" capi/include "${patch[@]}" || die "the binary interface is not what a $kind release may have: see above"
  else
    say "the binary interface is compared once $library is built"
  fi
  say "would write $version in every place of packaging/version.py, and date CHANGELOG.md's section:"
  section Unreleased | grep -E '^(- |### )' | cut -c-100 | sed 's/^/    /'
  say "would record the binary interface, commit, and run: $tests; $packages"
  say "would write SHA256SUMS, and tag ${tags[*]}"
  exit
fi

# --- From here on a failure goes back to the last commit --------------------------------------------------------------------------------------------
before=$(git rev-parse HEAD)
finished=
trap '[ -n "$finished" ] || { git reset --quiet --hard "$before"; git tag -d "${tags[@]}" >/dev/null 2>&1; say "nothing was released: the tree is as it was" >&2; }' EXIT
date=$(date -u +%F)
python3 packaging/version.py set "$version"
python3 packaging/version.py check
sed -i "s/^## \[Unreleased\]\$/&\n\n## [$version] - $date/" CHANGELOG.md
[ ! -f CITATION.cff ] || sed -i "s/^date-released: .*/date-released: $date/" CITATION.cff

bash -c "$build" || die "the build failed"
packaging/abi.sh check "$library" capi/include "${patch[@]}" ||
  die "the binary interface is not what a $kind release may have, or cannot be compared: see above, and VERSIONING.md"
packaging/abi.sh record "$library" capi/include
git add -u  # what a build leaves beside them is found below
git commit --quiet --allow-empty -m "Version $version" -m "$(section "$version" | grep '^### ' | sed 's/^### //' | paste -s -d ',' | sed 's/,/, /g'): see CHANGELOG.md."

bash -c "$tests" || die "the tests failed"
bash -c "$packages" || die "the packages were not made"
made=${CONTRASTIVE_DIST:-build/dist}/packages
[ -n "$(find "$made" -type f 2>/dev/null | head -n 1)" ] || die "$made holds no packages"
dirty=$(git status --porcelain)
[ -z "$dirty" ] || die "building left files in the tree: $(printf '%s' "$dirty" | head -n 3 | cut -c4- | paste -s -d ' ')"
(cd "$made" && rm -f SHA256SUMS && find . -type f ! -name SHA256SUMS -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum >"$OLDPWD/build/SHA256SUMS" && mv "$OLDPWD/build/SHA256SUMS" .)
for tag in "${tags[@]}"; do git tag -a "$tag" -m "Version $version"; done
finished=yes
say "$version: $(wc -l <"$made/SHA256SUMS") files in $made with SHA256SUMS, tags ${tags[*]}; to publish: git push --follow-tags"
