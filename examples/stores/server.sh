#!/usr/bin/env bash
# Runs a command with its own PostgreSQL server with pgvector, and exits with the command's exit
# code.
#
#   examples/stores/server.sh COMMAND [ARGUMENT...]      e.g. examples/stores/server.sh bash
#
# The server is in a temporary folder and listens only on a unix socket there. PGHOST, PGUSER and
# PGDATABASE are set for the command, and psql is in its PATH. PostgreSQL refuses to run as root:
# for root it runs as the user nobody. When the command ends in any way, the server stops and the
# folder is removed. If this script is killed by SIGKILL, the kernel stops the server, and the
# folder stays. Install the server with packaging/bootstrap.sh postgres.
set -euo pipefail
[ $# -gt 0 ] || { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
installed=$("$root/packaging/toolchains/postgres.sh" --path)
server=$installed

folder=$(mktemp -d "${TMPDIR:-/tmp}/postgres-XXXXXX")
postmaster=
die() { printf 'server.sh: %s\n' "$*" >&2; [ ! -e "$folder/log" ] ||
  tail -n 20 "$folder/log" >&2; exit 1; }
stop() {
  local code=$?
  trap - EXIT
  [ -z "$postmaster" ] || { kill -QUIT "$postmaster" 2>/dev/null ||
    true; wait "$postmaster" 2>/dev/null || true; }
  rm -rf "$folder"
  exit "$code"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

as_owner=(setpriv --pdeathsig QUIT)  # the kernel sends it when this script dies
if [ "$(id -u)" -eq 0 ]; then
  as_owner=(setpriv --reuid nobody --regid nogroup --clear-groups --pdeathsig QUIT)
  cp -a "$installed/../.." "$folder/copy"  # the user nobody may have no access to the cache
  server=$folder/copy/${installed#"$(realpath "$installed/../..")"/}
  chown nobody:nogroup "$folder"
fi
cd "$folder"
"${as_owner[@]}" "$server/bin/initdb" --pgdata data --username postgres --auth trust \
  --encoding UTF8 --locale C --no-sync >"$folder/log" 2>&1 || die "initdb failed"
# No TCP, and no fsync: the data of a temporary server need not survive a power failure.
"${as_owner[@]}" "$server/bin/postgres" -D data -c listen_addresses= \
  -c unix_socket_directories="$folder" -c fsync=off -c max_connections=30 \
  </dev/null >"$folder/log" 2>&1 &
postmaster=$!
cd "$OLDPWD"
export PGHOST=$folder PGUSER=postgres PGDATABASE=postgres PATH=$installed/bin:$PATH
unset PGPORT PGPASSWORD PGSERVICE PGOPTIONS
for ((tries = 0; tries < 300; ++tries)); do
  if pg_isready --quiet; then "$@"; exit; fi
  kill -0 "$postmaster" 2>/dev/null || die "the server did not start"
  sleep 0.1
done
die "the server was not ready within 30 s"
