#!/usr/bin/env bash
# Installs packages into clean systems, as their users do, and uses them there as an ordinary user,
# with no build tree and only the compiler of such a user.
#
#   tests/packages/run.sh [KIND...]     KIND: the files KIND.sh of this folder (default: all)
#
# CONTRASTIVE_ARCH=arm64 tests the packages for that processor, in systems that qemu-user runs: deb,
# tarball, and arm64, which runs programs in two languages. The other kinds start compilers and
# virtual machines, which take too long there.
#
# The packages are those of packaging/package.sh, in ${CONTRASTIVE_DIST:-build/dist}/packages. The
# model is that of packaging/bootstrap.sh minilm. debootstrap makes the clean systems once; they are
# kept in the cache. The script needs Debian or Ubuntu, and root or sudo. tests/run.sh does not run
# it, because it takes minutes and needs the network. README.md has the last results.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=packaging/packages/common.sh
. "$here/../../packaging/packages/common.sh"  # root, dist, packages, version, say, die
# shellcheck source=packaging/apt.sh
. "$root/packaging/apt.sh"
# shellcheck source=packaging/debian_root.sh
. "$root/packaging/debian_root.sh"
[ ${#architectures[@]} -eq 1 ] || die "one processor at a time, not ${architectures[*]}"
model=$(find "$cache"/all-MiniLM-L6-v2-* -name modules.json -printf '%h\n' 2>/dev/null | head -n 1)
[ -n "$model" ] || die "no model to try the packages with: run packaging/bootstrap.sh minilm"
export LC_ALL=C.UTF-8

# --one KIND: tests that kind in a separate process. An error ends that process, and the other kinds
# continue.
if [ "${1:-}" = --one ]; then
  kind=$2
  work=$(mktemp -d "${TMPDIR:-/tmp}/packages-XXXXXX")
  trap 'as_root rm -rf --one-file-system "$work"' EXIT
  chmod 755 "$work"
  mkdir "$work/reader"
  # shellcheck source=tests/packages/root.sh
  . "$here/root.sh"
  chmod 777 "$work/reader"
  # shellcheck source=/dev/null
  . "$here/$kind.sh"
  [ "$failures" -eq 0 ] || { echo "$kind: $failures of $cases cases failed" >&2; exit 1; }
  [ "$cases" -gt 0 ] || die "$kind tried nothing"
  echo "$kind: $cases cases passed in $SECONDS s"
  exit
fi

[ $# -gt 0 ] || [ "$arch" != arm64 ] || set -- deb tarball arm64
[ $# -gt 0 ] || set -- $(cd "$here" && printf '%s\n' *.sh | sed -n 's/\.sh$//p' | grep -v -x -e \
  run -e root -e arm64)
for kind in "$@"; do
  [ -e "$here/$kind.sh" ] || die "no tests of '$kind'; there are:" \
    "$(cd "$here" && echo *.sh | sed 's/\.sh//g; s/\broot\b//; s/\brun\b//')"
done
status=0
for kind in "$@"; do "$here/run.sh" --one "$kind" || { status=1; say "$kind: FAILED"; }; done
exit $status
