#!/usr/bin/env bash
# generated.sh ROOT: the committed files that are generated from contrastive.h and from the config
# keys of core are up to date, the typemaps of each language know every type in the header, and the
# wrappers compile. To write the files: generated.sh ROOT --write
#
#   bindings/rust/contrastive-sys/src/declarations.rs     by bindings/rust/generate.py
#   bindings/go/internal/swig/contrastive{.go,_wrap.cxx}  by bindings/go/internal/swig/generate.sh
#   TrainOptions, AdaptOptions of the four languages      by bindings/options.py
set -euo pipefail
cd "${1:?usage: generated.sh ROOT [--write]}"
rust=bindings/rust/contrastive-sys/src go=bindings/go/internal/swig
if bin=$(packaging/toolchains/go.sh --path 2>/dev/null); then PATH=$bin:$PATH; fi
missing=
for tool in swig gofmt; do command -v $tool >/dev/null || missing+=" $tool"; done
if [ "${2:-}" = --write ]; then
  bindings/rust/generate.py
  bindings/options.py
  [ -z "$missing" ] || { echo "missing:$missing (packaging/toolchains/go.sh)" >&2; exit 1; }
  $go/generate.sh
  exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
complain() { echo "$*" >&2; failures=$((failures + 1)); }
# same FILE: the committed file is what was generated into the work folder. Another version of SWIG
# writes other words, so then only the declarations are compared.
same() {
  local fresh=$work/${1##*/} versions declared
  versions=$(grep -hm 1 "^ \* Version [0-9.]*$" "$1" "$fresh" | sort -u | wc -l) || true
  if [ "$versions" -gt 1 ]; then
    declared='^(func|type) .*|_wrap_\w+\('
    diff <(grep -oE "$declared" "$1") <(grep -oE "$declared" "$fresh")
  else
    diff "$1" "$fresh"
  fi >"$work/difference" && return
  head -n 20 "$work/difference" >&2
  complain "$1 is out of date: run tests/guards/generated.sh . --write"
}

bindings/rust/generate.py "$work/declarations.rs" || exit 1
same $rust/declarations.rs
bindings/options.py "$work/options" || exit 1
for file in $(bindings/options.py --files); do
  cp "$work/options/$file" "$work"
  same "$file"
done
if [ -z "$missing" ]; then
  $go/generate.sh "$work"
  for file in $go/contrastive.go $go/contrastive_wrap.cxx; do same $file; done
  ! grep -E '^type Swigcptr' "$work/contrastive.go" || complain "go_types.swg lacks a typemap"
  if ! "${CXX:-c++}" -std=c++17 -w -fsyntax-only -I capi/include "$work/contrastive_wrap.cxx" \
    2>"$work/errors"; then
    grep -m 5 error "$work/errors" >&2 || cat "$work/errors" >&2
    complain "contrastive.i or go_types.swg does not fit contrastive.h"
  fi
  for language in java csharp; do
    mkdir "$work/$language"
    (cd bindings/swig && swig -c++ -$language -Wall -Werror -outdir "$work/$language" \
      -o "$work/$language/wrapper.cpp" contrastive.i) || complain "SWIG fails for $language"
    strays=$(find "$work/$language" -name 'SWIGTYPE_*' -o -name '*Constants.java')
    [ -z "$strays" ] ||
      complain "${language}_types.swg has no typemap for" ${strays//"$work/$language/"/}
  done
fi
[ "$failures" -eq 0 ] || exit 1
[ -z "$missing" ] || { echo "skipped: the files that SWIG writes; missing:$missing"; exit 77; }
echo "the files that are generated from contrastive.h and the config keys are up to date"
