#!/usr/bin/env bash
# storm.sh [SECONDS [SEED]]: runs Storm, which bindings/csharp/test.sh has built, for as long
# (default: 20 s), on the newest runtime that it was built for.
set -euo pipefail
cd "$(dirname "$0")/../../.."
export LC_ALL=C.UTF-8
eval "$(packaging/toolchains/dotnet.sh --env)"
program=$(find build/csharp/bin/Storm -name Storm.dll 2>/dev/null | sort -V | tail -n 1)
[ -n "$program" ] || { echo "run bindings/csharp/test.sh first" >&2; exit 1; }
unset CONTRASTIVE_LIBRARY
exec dotnet exec "$program" tests/fixtures/models/bert_st "${1:-20}" ${2:+"$2"}
