#!/usr/bin/env bash
# debian_mirror_test.sh ROOT: where packaging/debian_root.sh takes each release of Debian from. What
# apt knows here is what this test says it knows.
set -uo pipefail
root=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#!/bin/sh\ncat "%s/known"\n' "$work" >"$work/apt-get"
chmod +x "$work/apt-get"
unset CONTRASTIVE_DEBIAN_MIRROR CONTRASTIVE_DEBIAN_MIRROR_BULLSEYE \
  CONTRASTIVE_DEBIAN_MIRROR_BOOKWORM
failures=0 cases=0
# gives NAME WANTED SUITE [VARIABLE=VALUE...]
gives() {
  local name=$1 wanted=$2 suite=$3 got
  shift 3
  cases=$((cases + 1))
  got=$(env PATH="$work:$PATH" "$@" bash -c \
    'say() { :; }; die() { echo "refused: $*"; exit 1; }
    . "$1/packaging/debian_root.sh"; debian_mirror "$2"' \
    mirror "$root" "$suite")
  [[ $got = $wanted ]] || {
    echo "FAILED: $name: $got, and not $wanted" >&2; failures=$((failures + 1))
  }
}
printf 'Ubuntu|Ubuntu|main|noble|ubuntu:/\n' >"$work/known"
gives "no Debian mirror" "refused: *CONTRASTIVE_DEBIAN_MIRROR*" bookworm
gives "a mirror by name" named:/ bookworm CONTRASTIVE_DEBIAN_MIRROR=named:/
printf '%s\n' 'Debian|Debian|contrib|bookworm|contrib:/' 'Debian|Debian|main|bookworm|twelve:/' \
  'Debian|Debian|main|bullseye|eleven:/' >"$work/known"
gives "apt's own for 12" twelve:/ bookworm
gives "apt's own for 11" eleven:/ bullseye
gives "apt's first for what it does not have" twelve:/ trixie
gives "a name before apt's" named:/ bullseye CONTRASTIVE_DEBIAN_MIRROR=named:/
gives "one release elsewhere" old:/ bullseye CONTRASTIVE_DEBIAN_MIRROR=named:/ \
  CONTRASTIVE_DEBIAN_MIRROR_BULLSEYE=old:/
gives "and the other where it was" named:/ bookworm CONTRASTIVE_DEBIAN_MIRROR=named:/ \
  CONTRASTIVE_DEBIAN_MIRROR_BULLSEYE=old:/
[ "$failures" -eq 0 ] || { echo "$failures of $cases cases failed" >&2; exit 1; }
echo "$cases cases passed"
