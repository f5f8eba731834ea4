#!/usr/bin/env bash
# storm.sh net|mono [SECONDS [SEED]]: runs Storm, which bindings/csharp/test.sh has built, for as
# long (default: 20 s).
set -euo pipefail
cd "$(dirname "$0")/../../.."
export LC_ALL=C.UTF-8
programs=$PWD/build/csharp/bin/Storm
[ -e "$programs/netstandard2.0/Storm.dll" ] || { echo "run bindings/csharp/test.sh first" >&2;
  exit 1; }
unset CONTRASTIVE_LIBRARY
model=tests/fixtures/models/bert_st
case ${1:?net or mono} in
  net) exec \
    "${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}/dotnet-3.1.23/run" exec \
    "$programs/netcoreapp3.1/Storm.dll" \
         "$model" "${2:-20}" ${3:+"$3"} ;;
  mono) exec mono "$programs/netstandard2.0/Storm.dll" "$model" "${2:-20}" ${3:+"$3"} ;;
  *) echo "storm.sh: '$1' is neither net nor mono" >&2; exit 2 ;;
esac
