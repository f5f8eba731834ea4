#!/usr/bin/env bash
# Makes packages from this tree.
#
#   packaging/package.sh [--arch ARCH[,ARCH...]] KIND...      KIND: deb, tarball, cross, maven,
#                                                             nuget, go, crates, or all of them
#
# ARCH is amd64, arm64 or both (default: CONTRASTIVE_ARCH, else amd64). deb and tarball are made for
# each; maven and nuget carry the natives of all; go and crates are sources, which are the same for
# every processor. cross is the archives for Windows, musl and macOS, built by packaging/cross.sh.
#
# Each kind is a script of packaging/packages. Its results are in
# ${CONTRASTIVE_DIST:-build/dist}/packages. packaging/natives.sh builds the native files first, and
# does little if nothing changed. CONTRASTIVE_NATIVES names a folder of existing native files.
#
# Run packaging/bootstrap.sh once before, and packaging/bootstrap.sh java, csharp, go or rust for
# maven, nuget, go and crates. On Ubuntu CONTRASTIVE_DEBIAN_MIRROR must name a mirror of Debian
# (packaging/debian_root.sh).
set -euo pipefail
if [ "${1:-}" = --arch ] && [ $# -gt 1 ]; then
  export CONTRASTIVE_ARCH=${2//,/ }
  shift 2
fi
# shellcheck source=packaging/packages/common.sh
. "$(dirname "$0")/packages/common.sh"
kinds=(deb tarball cross maven nuget go crates)
[ $# -gt 0 ] || { sed -n '2,/^set/p' "$0" | sed -n 's/^# \{0,1\}//p' >&2; exit 2; }
[ "$*" != all ] || set -- "${kinds[@]}"
for kind in "$@"; do
  [[ " ${kinds[*]} " = *" $kind "* ]] || die "unknown kind '$kind'; known: ${kinds[*]}, all"
done
built=${CONTRASTIVE_NATIVES:-}
for kind in "$@"; do
  case $kind in
    go) continue ;;  # sources, which nothing is built from
    cross) "$root/packaging/cross.sh"; continue ;;
  esac
  for arch in "${architectures[@]}"; do
    [ -n "$built" ] || "$root/packaging/natives.sh" "$arch"
  done
  built=yes
done
for kind in "$@"; do "$root/packaging/packages/$kind.sh"; done
