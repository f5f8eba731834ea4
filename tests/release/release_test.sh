#!/usr/bin/env bash
# release_test.sh ROOT: packaging/release.sh in a copy of this tree: what it refuses, each time
# leaving the tree as it was, and releases made whole. Building is a stub of the header, the tests
# are `true`, and a package is a file.
set -uo pipefail
root=$(cd "$1" && pwd)
for tool in git abidiff python3; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir "$tree"
git -C "$root" -c safe.directory="$root" ls-files -z --cached --others \
  --exclude-standard -- '*.txt' .gitignore CHANGELOG.md LICENSE packaging bindings examples capi \
  tests/abi tests/capi >"$work/files" 2>/dev/null || {
  echo "skipped: $root is not a git repository"; exit 77
}
(cd "$root" && tar c --null --files-from="$work/files" --ignore-failed-read 2>/dev/null) | tar x \
  -C "$tree"
cd "$tree" || exit 1
export GIT_CONFIG_GLOBAL=$work/gitconfig GIT_CONFIG_NOSYSTEM=1
unset CONTRASTIVE_DIST CONTRASTIVE_ABI_RECORD
printf '[user]\n  name = a test\n  email = test@localhost\n' >"$work/gitconfig"
# A history of our own, with the section that this test releases and an interface like that of the
# record, whatever the tree around it is about to change.
git init -q -b main . && git add -A
present=$(python3 packaging/version.py print)
header=capi/include/contrastive/contrastive.h
sed 1d packaging/abi/contrastive/contrastive.h >$header
python3 packaging/version.py set 0.1.0
# As long as a real one, so that who reads only its beginning leaves a writer behind.
{
  printf '# Changelog\n\n## [Unreleased]\n\n### Added\n- A first thing.\n'
  for i in $(seq 2000); do echo "- Thing number $i, at last."; done
} >CHANGELOG.md
git add -A && git commit -q -m "A tree"

failures=0 cases=0
failed() {
  echo "FAILED: $*" >&2; sed 's/^/    /' "$work/out" | tail -n 5 >&2; failures=$((failures + 1))
}
build='mkdir -p build/release && tests/abi/stub.sh capi/include \
  $(sed -n "s/^#define CS_ABI_VERSION //p" capi/include/contrastive/contrastive.h) \
  build/release/libcontrastive-abi.so'
packages='mkdir -p build/dist/packages/go && echo one > build/dist/packages/one.deb &&
  echo two > "build/dist/packages/go/two of them.zip"'
release() {
  packaging/release.sh "$@" --build "$build" --packages "${fake_packages:-$packages}" \
    --tests "${fake_tests:-true}" >"$work/out" 2>&1
}
state() { git rev-parse HEAD; git tag; git status --porcelain; cat CHANGELOG.md; }
# refuses NAME SENTENCE ARGUMENT...: it says so, ends with 1, and nothing has changed.
refuses() {
  local name=$1 sentence=$2 got=0
  shift 2
  cases=$((cases + 1))
  state >"$work/before"
  release "$@" || got=$?
  state >"$work/after"
  [ "$got" -eq 1 ] || { failed "$name: ended with $got"; return; }
  grep -q -F -- "$sentence" "$work/out" || failed "$name: does not say: $sentence"
  cmp -s "$work/before" "$work/after" || {
    diff "$work/before" "$work/after" >"$work/out"; failed "$name: the tree has changed"
  }
}
# leaves NAME SENTENCE VERSION FILE...: the release fails, says so, and what the steps wrote at the
# end of those files is still there.
leaves() {
  local name=$1 sentence=$2 file
  cases=$((cases + 1))
  ! release "$3" || failed "$name: was released"
  grep -q -F -- "$sentence" "$work/out" || failed "$name: does not say: $sentence"
  [ -z "$(git tag --list "v$3")" ] || failed "$name: is tagged"
  shift 3
  for file in "$@"; do
    tail -n 1 "$file" | grep -qx 'more\|mine' ||
      failed "$name: $file has lost what was written into it"
  done
}
holds() {  # holds NAME COMMAND...
  local name=$1
  shift
  cases=$((cases + 1))
  "$@" >"$work/out" 2>&1 || failed "$name: $*"
}
releases() {  # releases VERSION
  cases=$((cases + 1))
  release "$1" || { failed "release $1"; return; }
  holds "$1 is written" test "$(python3 packaging/version.py print)" = "$1"
  holds "$1 is written everywhere" python3 packaging/version.py check
  holds "$1 leaves a clean tree" test -z "$(git status --porcelain)"
  holds "v$1 is a tag of its own, of the last commit" test \
    "$(git cat-file -t "v$1") $(git rev-parse "v$1^{commit}")" = "tag $(git rev-parse HEAD)"
  holds "Go's tag" test "$(git rev-parse "bindings/go/v$1^{commit}")" = "$(git rev-parse HEAD)"
  holds "the section is dated" grep -q "^## \[$1\] - $(date -u +%F)\$" CHANGELOG.md
  holds "and a new one begins" grep -q '^## \[Unreleased\]$' CHANGELOG.md
  holds "checksums" sh -c \
    'cd build/dist/packages && sha256sum --check --quiet SHA256SUMS &&
    [ "$(wc -l <SHA256SUMS)" -eq 2 ] && ! grep -q old.deb SHA256SUMS && [ -f old.deb ]'
  holds "the record is of $1" grep \
    -q "as version $1 published" packaging/abi/contrastive/contrastive.h
}
news() {
  sed -i "s/^## \[Unreleased\]\$/&\n\n### Changed\n- $1/" CHANGELOG.md; git commit -q -a -m "$1"
}
undo() { git reset -q --hard "$1"; }
edit() { sed -i "$1" $header && git commit -q -a -m "The header"; }

# --- arguments ------------------------------------------------------------------------------------
refuses "no version" "name the version"
refuses "a version of two numbers" "'1.0' is no version" 1.0
refuses "a version with a letter" "'v0.1.0' is no version" v0.1.0
refuses "two versions" "one version" 0.1.0 0.2.0
refuses "an unknown option" "unknown option '--fast'" 0.1.0 --fast
refuses "an older version than the tree's" "0.0.9 is older than 0.1.0" 0.0.9

# --- The tree -------------------------------------------------------------------------------------
start=$(git rev-parse HEAD)
echo more >>LICENSE
refuses "a changed file" "the tree is not clean" 0.1.0
git checkout -q LICENSE
touch left-over
refuses "a file that git does not know" "left-over" 0.1.0
rm left-over
sed -i '0,/0\.1\.0/s//0.1.7/' bindings/java/pom.xml
git commit -q -a -m "Another version"
refuses "a manifest of another version" "bindings/java/pom.xml" 0.1.0
undo "$start"
git tag v0.1.0
refuses "a tag that exists" "the tag v0.1.0 exists" 0.1.0
git tag -d v0.1.0 >/dev/null
git tag bindings/go/v0.1.0
refuses "Go's tag exists" "the tag bindings/go/v0.1.0 exists" 0.1.0
git tag -d bindings/go/v0.1.0 >/dev/null

# --- CHANGELOG.md ---------------------------------------------------------------------------------
sed -i '/^- /d' CHANGELOG.md && git commit -q -a -m "Nothing new"
refuses "an empty section" "says nothing under [Unreleased]" 0.1.0
undo "$start"
sed -i 's/^## \[Unreleased\]/## [Soon]/' CHANGELOG.md && git commit -q -a -m "No section"
refuses "no section" "has no section [Unreleased]" 0.1.0
undo "$start"
printf '\n## [0.1.0] - 2020-01-01\n- old\n' >>CHANGELOG.md && git commit -q -a -m "Two sections"
refuses "a section of that version" "has a section [0.1.0] already" 0.1.0
undo "$start"

# --- Steps that fail go back ----------------------------------------------------------------------
fake_tests=false refuses "tests that fail" "the tests failed" 0.1.0
fake_packages=false refuses "packages that fail" "the packages were not made" 0.1.0
# Edits made while tests and packages run stay, in files that the release writes and in others, and
# are not in its commit.
fake_packages='echo more >>LICENSE; mkdir -p build/dist/packages && touch build/dist/packages/a' \
  leaves "packages that change files" "building left files in the tree: LICENSE" 0.1.0 LICENSE
git checkout -q LICENSE
rm -r build/dist
fake_tests='echo more >>LICENSE; echo mine >>CHANGELOG.md; false' leaves "work during tests" \
  "hold what was written for 0.1.0 as well: CHANGELOG.md" 0.1.0 LICENSE CHANGELOG.md
holds "the other files are as they were" test "$(git status --porcelain)" = " M CHANGELOG.md
 M LICENSE"
holds "the last commit is the same" test "$(git rev-parse HEAD)" = "$start"
git checkout -q LICENSE CHANGELOG.md
fake_tests='echo more >>LICENSE; git commit -q -m "Work of somebody" LICENSE; false' leaves \
  "a commit during tests" "There is a commit on top" 0.1.0 LICENSE
holds "the commit is there" test "$(git log -1 --format=%s)" = "Work of somebody"
undo "$start"
mkdir -p build/dist/packages && echo old >build/dist/packages/old.deb
fake_packages=true refuses "no packages" "holds no packages of this run" 0.1.0

# --- A first release, dry and then whole ----------------------------------------------------------
state >"$work/before"
rm -rf build
holds "a dry run" packaging/release.sh 0.1.0 --dry-run
cp "$work/out" "$work/dry"
for sentence in "0.1.0 is a first release" "the binary interface is compared once" \
  "A first thing." "tests/run.sh" "packaging/package.sh all" "bindings/go/v0.1.0"; do
  grep -q -F "$sentence" "$work/dry" || failed "the dry run does not say: $sentence"
done
state | cmp -s - "$work/before" || failed "the dry run has changed the tree"
mkdir -p build/dist/packages && echo old >build/dist/packages/old.deb
releases 0.1.0
refuses "the same again" "the tag v0.1.0 exists" 0.1.0

# --- What a patch and a minor version may change --------------------------------------------------
refuses "nothing to say" "says nothing under [Unreleased]" 0.1.1
news "A mend."
releases 0.1.1
news "A function."
edit 's/^CS_API const char \*cs_version/CS_API void cs_more(void);\n&/'
refuses "a new function in a patch" "not what a patch release may have" 0.1.2
releases 0.2.0
refuses "an older version than the last" "is not newer than 0.2.0" 0.1.2
news "A break."
good=$(git rev-parse HEAD)
edit 's/int64_t n_texts, const cs_encode_options/int32_t n_texts, const cs_encode_options/'
refuses "a break in a patch" "not what a patch release may have" 0.2.1
refuses "a break in a minor" "not what a minor release may have" 0.3.0
edit 's/^#define CS_ABI_VERSION .*/#define CS_ABI_VERSION 99/'
refuses "a new number in a patch" "CS_ABI_VERSION has changed" 0.2.1
releases 0.3.0
holds "the record has the number" grep \
  -q '^#define CS_ABI_VERSION 99' packaging/abi/contrastive/contrastive.h
undo "$good" && git tag -d v0.3.0 bindings/go/v0.3.0 >/dev/null
edit '/^CS_API void cs_cancel_free/d'
refuses "a function that is gone, in a patch" "not what a patch release may have" 0.2.1
undo "$good"
edit 's/^} cs_encode_options;/int64_t more;\n&/'
refuses "a field that nobody reviewed" "not what a minor release may have" 0.3.0
printf '[suppress_type]\n  name = cs_encode_options\n  has_data_member_inserted_at = end\n' \
  >packaging/abi/appended.abignore
git commit -q -a -m "Reviewed"
refuses "a field in a patch" "not what a patch release may have" 0.2.1
releases 0.3.0
holds "the review is over" test ! -s packaging/abi/appended.abignore

[ "$failures" -eq 0 ] || { echo "$failures of $cases cases failed" >&2; exit 1; }
echo "$cases cases passed, with the version $present"
