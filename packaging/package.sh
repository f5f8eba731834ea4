#!/usr/bin/env bash
# Makes packages from this tree.
#
#   packaging/package.sh KIND...      KIND: deb, tarball, maven, nuget, go, crates, or all of them
#
# Each kind is a script of packaging/packages, and its results lie in ${CONTRASTIVE_DIST:-build/dist}/packages. What they carry is built first by
# packaging/natives.sh, which has little to do where nothing changed; CONTRASTIVE_NATIVES names a folder of natives that exist already.
set -euo pipefail
# shellcheck source=packaging/packages/common.sh
. "$(dirname "$0")/packages/common.sh"
kinds=(deb tarball maven nuget go crates)
[ $# -gt 0 ] || { sed -n '2,/^set/p' "$0" | sed -n 's/^# \{0,1\}//p' >&2; exit 2; }
[ "$*" != all ] || set -- "${kinds[@]}"
for kind in "$@"; do
  [[ " ${kinds[*]} " = *" $kind "* ]] || die "unknown kind '$kind'; known: ${kinds[*]}, all"
done
built=${CONTRASTIVE_NATIVES:-}
for kind in "$@"; do
  [ "$kind" != go ] || continue  # sources, which nothing is built from
  [ -n "$built" ] || "$root/packaging/natives.sh"
  built=yes
done
for kind in "$@"; do "$root/packaging/packages/$kind.sh"; done
