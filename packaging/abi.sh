#!/usr/bin/env bash
# The binary interface of the last release, and whether this tree keeps it. VERSIONING.md is the
# policy.
#
#   packaging/abi.sh check  LIBRARY INCLUDE [--patch]    compares with packaging/abi; --patch: new
#                           functions and fields are differences too
#   packaging/abi.sh record LIBRARY INCLUDE              writes packaging/abi again:
#                                                        packaging/release.sh does so with each
#                                                        release
#
# LIBRARY is build/PRESET/libcontrastive-abi.so: all of capi/src, compiled with debug information
# (tests/abi/CMakeLists.txt), since the library that is shipped has none. INCLUDE is capi/include.
# CONTRASTIVE_ABI_RECORD names another folder in place of packaging/abi. Three things are compared:
#
#   header     each constant, offset of a field, initialiser and signature of the recorded header: a
#              program prints them, compiled with it and with today's
#   SONAME     of the library, with CS_ABI_VERSION of the header
#   abidiff    symbols, signatures, and the types that they lead to, with the recorded XML of abidw
#
# Ends with 77 where abidiff is not installed (packaging/bootstrap.sh abi).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
record=${CONTRASTIVE_ABI_RECORD:-$root/packaging/abi}
say() { printf 'abi: %s\n' "$*"; }
die() { printf 'abi: %s\n' "$*" >&2; exit 1; }

[ $# -ge 3 ] || die "say: abi.sh check|record LIBRARY INCLUDE [--patch]"
verb=$1 library=$2 include=$3 patch=${4:-}
header=$include/contrastive/contrastive.h
[ -z "$patch" ] || [ "$patch" = --patch ] || die "unknown option '$patch': the only one is --patch"
[ -f "$header" ] || die "$header is not there"
[ -f "$library" ] || die "$library is not there: build the target contrastive_abi first"
# abidiff finds any library without debug information equal to any other.
grep -q ' \.debug_info ' <<<"$(readelf -S --wide "$library")" ||
  die "$library has no debug information, so its types cannot be compared"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number() { sed -n "s/^#define $2 \([0-9]*\)\$/\1/p" "$1"; }  # number HEADER MACRO
version() {
  echo "$(number "$1" CS_VERSION_MAJOR).$(number "$1" CS_VERSION_MINOR).$(number "$1" \
    CS_VERSION_PATCH)"
}

if [ "$verb" = record ]; then
  command -v abidw >/dev/null || die "abidw is not installed: packaging/bootstrap.sh abi"
  mkdir -p "$record/contrastive"
  abidw --headers-dir "$include" --drop-private-types --exported-interfaces-only \
    --drop-undefined-syms \
    --no-comp-dir-path --no-corpus-path --no-elf-needed --out-file "$record/contrastive.abi" \
      "$library"
  ! grep -n "filepath='/[^']*contrastive" "$record/contrastive.abi" ||
    die "the record holds a path of this machine"
  {
    echo "/* The declarations of contrastive.h as version $(version "$header") published them." \
      "Written by packaging/abi.sh record. */"
    "${CC:-cc}" -w -fpreprocessed -dD -E -P "$header"
  } >"$record/contrastive/contrastive.h"
  : >"$record/appended.abignore"
  say "recorded version $(version "$header"), binary interface $(number "$header" CS_ABI_VERSION)"
  exit
fi
[ "$verb" = check ] || die "unknown verb '$verb': check or record"

old=$record/contrastive/contrastive.h
[ -f "$old" ] && [ -f "$record/contrastive.abi" ] ||
  die "$record holds no record: packaging/abi.sh record"
last="version $(version "$old")"
broken() {
  printf 'abi: %s differs from that of %s; VERSIONING.md says what a release may change\n' "$1" \
  "$last" >"$work/broken"; cat "$work/broken"; }

values() {  # values INCLUDE FILE: what the recorded header's names are worth with this one
  "${CC:-cc}" -std=c11 -w -I "$1" "$work/values.c" -o "$work/values" 2>"$work/errors" &&
    "$work/values" >"$2" ||
    { grep -m 5 'error' "$work/errors" | sed "s|^$work/||"; return 1; }
}
python3 "$root/packaging/abi/values.py" "$old" >"$work/values.c"
values "$record" "$work/before" || die "$old cannot be compiled"
if ! values "$include" "$work/after"; then
  broken "the header"
elif ! cmp -s "$work/before" "$work/after"; then
  diff "$work/before" "$work/after" | grep '^[<>]' || true
  broken "a value"
fi

abi=$(number "$header" CS_ABI_VERSION) before=$(number "$old" CS_ABI_VERSION)
soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ "$soname" = "libcontrastive.so.$abi" ] ||
  die "the SONAME is $soname, and CS_ABI_VERSION is $abi: build $library again"

if ! command -v abidiff >/dev/null; then
  [ ! -f "$work/broken" ] || exit 1
  say "skipped: abidiff is not installed (packaging/bootstrap.sh abi); the header keeps what that" \
    "of $last says"
  exit 77
fi
options=(--harmless --headers-dir2 "$include" --suppressions "$record/appended.abignore")
[ -n "$patch" ] && options=(--harmless --headers-dir2 "$include") || options+=(--no-added-syms)
rc=0
abidiff "${options[@]}" "$record/contrastive.abi" "$library" >"$work/report" || rc=$?
[ $((rc & 3)) -eq 0 ] || { cat "$work/report" >&2; die "abidiff ended with $rc"; }
if [ "$rc" -ne 0 ]; then
  cat "$work/report"
  if [ -z "$patch" ] && grep -q 'data member insertion' "$work/report"; then
    say "where a field was appended on purpose, $record/appended.abignore takes these lines, with" \
      "the struct's name:"
    printf '[suppress_type]\n  name = cs_encode_options\n  has_data_member_inserted_at = end\n'
  fi
  broken "the binary interface (abidiff)"
fi

if [ ! -f "$work/broken" ]; then
  say "$(grep -c '<elf-symbol ' "$record/contrastive.abi") functions and $(wc -l <"$work/before")" \
    "values are those of $last"
elif [ "$abi" -gt "$before" ] && [ -z "$patch" ]; then
  say "CS_ABI_VERSION $abi begins: programs of $last, built for $before, do not load this library"
else
  exit 1
fi
