#!/usr/bin/env bash
# install_test.sh BUILD SOURCE: installs the library into an empty folder, and once more over
# itself; looks that what other builds read names no place; moves the folder, hides the tree that it
# was built from, and has install_consumers.sh build and run programs against it there. Then a
# prefix that cannot be written and one whose library is missing: each answers with a sentence.
set -uo pipefail
build=$(realpath "$1") source=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset CONTRASTIVE_LIBTORCH LD_LIBRARY_PATH LD_PRELOAD PKG_CONFIG_PATH CMAKE_PREFIX_PATH || true
fail() { echo "FAILED: $*" >&2; [ ! -s log ] || tail -n 30 log >&2; exit 1; }
version=$(sed -n 's/^project(contrastive VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt")

# --- Installed, and installed twice. --------------------------------------------------------------
content() { find first -type l -printf '%p -> %l\n' -o -type f -printf '%p %m ' -exec sha256sum {} \
  \; | LC_ALL=C sort; }
cmake --install "$build" --prefix "$work/first" >log 2>&1 || fail "cmake --install"
content >once
[ "$(grep -c . once)" -ge 10 ] || fail "only $(grep -c . once) files were installed"
cmake --install "$build" --prefix "$work/first" >log 2>&1 ||
  fail "cmake --install over an installation"
content >twice
cmp -s once twice || { diff once twice >log; fail "installed twice the folder holds something else";
  }

# --- What other builds read holds no place: neither where it was built nor where it was installed. 
mapfile -t read_by_builds < <(find first -name '*.cmake' -o -name '*.pc' -o -name '*.h' | sort)
[ "${#read_by_builds[@]}" -ge 5 ] ||
  fail "only ${#read_by_builds[@]} of the files that builds read are there"
grep -n -F -e "$work" -e "$build" -e "$source" "${read_by_builds[@]}" >log &&
  fail "a path of this machine is installed"
# A path that begins at the root, in code: not behind a variable, a name or a dot, and no comment.
grep -n -E "(^|[ \"'=;(])/[A-Za-z]" $(find first -name '*.cmake' -o -name '*.pc') |
  grep -v -E ':[0-9]+: *#' >log && fail "a path is not relative to the package"
for shipped in first/lib*/libcontrastive.so."$version" first/bin/contrastive; do
  [ -f "$shipped" ] || fail "$shipped is not there"
  LC_ALL=C grep -a -o -F -e "$source/" "$shipped" >log && fail "$shipped names a folder of the tree"
done

# --- Moved, with the tree gone. A space in the name is what some build scripts do not quote. ------
mkdir empty 'another place'
mv first 'another place/prefix'
prefix="$work/another place/prefix"
cp -r "$source/tests/fixtures/models/bert_st" model
cp "$source/tests/capi/install_consumers.sh" .
hidden() {
  unshare --mount --map-root-user sh -c \
    'mount --bind "$0" "$1" && mount --bind "$0" "$2" && shift 2 && exec "$@"' "$work/empty" \
    "$build" "$source" "$@"
}
gone="with the tree gone"
if hidden test ! -e "$source/CMakeLists.txt" -a ! -e "$build/CMakeCache.txt" 2>/dev/null; then
  hidden bash install_consumers.sh "$prefix" "$version" "$work/model" || exit 1
else
  gone="with the tree in place: this machine does not let a test hide it (unshare --mount)"
  bash install_consumers.sh "$prefix" "$version" "$work/model" || exit 1
fi

# --- A prefix that cannot be written. -------------------------------------------------------------
program="$prefix/bin/contrastive"
read_only() {
  unshare --mount --map-root-user sh -c \
    'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"' "$prefix" "$@"
}
echo "a text" >texts
says() {  # says STATUS TEXT WHAT COMMAND...: this exit status, and one line that holds the text
  local status=$1 text=$2 what=$3 got=0
  shift 3
  "$@" >log 2>&1 || got=$?
  [ "$got" -eq "$status" ] || fail "$what: ended with $got, not $status"
  [ "$(grep -c -F -- "$text" log)" -ge 1 ] || fail "$what: does not say: $text"
}
if read_only true 2>/dev/null; then
  read_only touch "$prefix/file" 2>/dev/null && fail "the prefix can be written"
  says 0 "" "embedding from a prefix that cannot be written" read_only "$program" encode \
    --model model --input texts --output vectors.npy
  says 4 "Read-only file system" "writing into a prefix that cannot be written" read_only \
    "$program" encode --model model --input texts --output "$prefix/vectors.npy"
  [ "$(grep -c . log)" -eq 1 ] ||
    fail "more than one sentence about a prefix that cannot be written"
  says 1 "Read-only file system" "installing into a prefix that cannot be written" read_only cmake \
    --install "$build" --prefix "$prefix"
else
  gone="$gone; prefixes that cannot be written: skipped"
fi

# --- A library that is missing. -------------------------------------------------------------------
library=$(find "$prefix" -name libcontrastive.so.0)
mv "$library" hidden.so
says 127 "libcontrastive.so.0: cannot open shared object file" "a program without its library" \
  "$program" version
[ "$(grep -c . log)" -eq 1 ] || fail "more than one sentence about a library that is missing"
mv hidden.so "$library"
rm "$(find "$prefix" -name "libcontrastive.so.$version")"
cmake -G Ninja -S consumer -B missing -DCMAKE_PREFIX_PATH="$prefix" -DLANGUAGE=C -DEXTENSION=c \
  >log 2>&1 && fail "find_package accepted a package without its library"
tr -s ' \n' ' ' <log | grep -q -F "libcontrastive.so.$version\" but this file does not exist" ||
  fail "find_package does not say which file is missing"
echo "installed twice, moved, found, linked, run in C and C++ $gone"
