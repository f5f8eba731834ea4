#!/usr/bin/env bash
# site.sh ROOT: Doxygen makes the site of the C API without a warning. Every function and constant
# of contrastive.h has an entry there, and an undocumented parameter is an error. (The tests of the
# bindings make the sites of the bindings.)
set -euo pipefail
cd "$1"
header=capi/include/contrastive/contrastive.h
command -v doxygen >/dev/null || {
  echo "skipped: the site of the C API (packaging/bootstrap.sh docs)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
site() { CONTRASTIVE_VERSION=0 CONTRASTIVE_DOCS=$work/$1 doxygen "$2" 2>&1; }
mkdir "$work/site" "$work/broken"
site site packaging/docs/Doxyfile || { echo "Doxygen warns" >&2; exit 1; }

names=0
while read -r name; do
  names=$((names + 1))
  # The name needs its own entry; a mention in another entry does not count.
  grep -rqE -e "class=\"memname\">[^<]*(<a[^>]*>[^<]*</a>[^<]*)*\\b$name\\b" \
    -e "class=\"fieldname\">(<a[^>]*></a>)?$name\\b" "$work"/site/group__section*.html ||
    { echo "$name has no entry on the site" >&2; exit 1; }
done < <(
  grep -oE '^CS_API [^(]*\bcs_[a-z0-9_]+\(' $header | sed 's/.*\b\(cs_.*\)(/\1/'
  grep -oE '\bCS_(ERROR|METRIC|PRECISION|LOG)_[A-Z0-9_]+\b' $header | sort -u
)
[ "$names" -gt 70 ] || { echo "only $names names were found" >&2; exit 1; }

sed 's/@param message/@param massage/; s/@param threads /@param thread /' $header \
  >"$work/contrastive.h"
sed "s|^INPUT  .*|INPUT = $work/contrastive.h|" packaging/docs/Doxyfile >"$work/Doxyfile"
if site broken "$work/Doxyfile" >"$work/log"; then
  echo "a parameter under another name went unnoticed" >&2; exit 1; fi
grep -q 'not found in the argument list' "$work/log" || {
  echo "Doxygen failed for another reason: $(tail -n 3 "$work/log")" >&2; exit 1; }
echo "$names names of contrastive.h are on the site, which Doxygen makes without a warning"
