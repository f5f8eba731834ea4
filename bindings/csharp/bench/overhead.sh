#!/usr/bin/env bash
# Measures what a call from C# costs above the same call from C, on each runtime, prints the tables,
# and fails where it is more than allowed. bindings/csharp/test.sh runs it, and builds what is
# measured.
set -euo pipefail
cd "$(dirname "$0")/../../.."
export LC_ALL=C OMP_NUM_THREADS=1
eval "$(packaging/toolchains/dotnet.sh --env)"
work=$PWD/build/csharp
programs=$work/bin/Overhead
[ -e "$programs/net8.0/Overhead.dll" ] || { echo "run bindings/csharp/test.sh first" >&2; exit 1; }
mkdir -p "$work/bench"
gcc -O2 -Wall -Wextra -Werror -fPIC -shared -Icapi/include bindings/bench/reference.c \
  -o "$work/bench/libcontrastive_reference.so" "$work/native/libcontrastive.so.0"
export LD_LIBRARY_PATH=$work/bench
failed=0
for program in "$programs"/net*.0/Overhead.dll; do
  dotnet exec "$program" tests/fixtures/models/bert_st || failed=1
done
exit $failed
