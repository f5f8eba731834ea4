#!/usr/bin/env bash
# Measures what a call from C# costs above the same call from C, and prints the table. Run bindings/csharp/test.sh first: it builds what is measured.
#
#   bindings/csharp/bench/overhead.sh [RUNS]     the three programs in turn, RUNS times (3); the best of each counts
set -euo pipefail
cd "$(dirname "$0")/../../.."
export LC_ALL=C OMP_NUM_THREADS=1
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}
work=build/csharp
programs=$work/bin/Overhead
[ -e "$programs/netstandard2.0/Overhead.dll" ] || { echo "run bindings/csharp/test.sh first" >&2; exit 1; }
torch=${CONTRASTIVE_LIBTORCH:-$(echo "$cache"/libtorch-*/torch)}
gcc -O2 -Icapi/include bindings/java/bench/overhead.c -o "$work/overhead" "$work/native/libcontrastive.so.0" \
  -Wl,-rpath,"$PWD/$work/native" -Wl,--allow-shlib-undefined

model=tests/fixtures/models/bert_st
rm -f "$work/figures"
in_c() { LD_LIBRARY_PATH=$torch/lib "$work/overhead" "$model" | sed 's/^\([a-z_]*\) /C \1 any /' >>"$work/figures"; }
for ((run = 0; run < ${1:-3}; run++)); do
  in_c
  "$cache/dotnet-3.1.23/run" exec "$programs/netcoreapp3.1/Overhead.dll" "$model" | sed 's/^/clr /' >>"$work/figures"
  in_c  # it is short, and has as many quiet moments as the others this way
  mono "$programs/netstandard2.0/Overhead.dll" "$model" | sed 's/^/mono /' >>"$work/figures"
done
awk '
  { key = $1 " " $2 " " $3; if (!(key in best) || $4 < best[key]) best[key] = $4 }
  function row(name, call, form,    base, clr, mono) {
    base = best["C " call " any"] / 1000
    clr = best["clr " call " " form] / 1000
    mono = best["mono " call " " form] / 1000
    printf "| %s | %.3f | %.3f | %+.3f | %.3f | %+.3f |\n", name, base, clr, clr - base, mono, mono - base
  }
  END {
    print "| | C, us | CoreCLR, us | above C, us | mono, us | above C, us |"
    print "| --- | --- | --- | --- | --- | --- |"
    row("a call that does nothing", "bare_call", "call")
    row("1 text, into a Span<float>", "one_text", "place")
    row("1 text, with a CancellationToken", "one_text", "token")
    row("ReadOnlySpan<string> of 1 text, into a Span<float>", "one_text", "span")
    row("1 text, fresh float[]", "one_text", "fresh")
    row("1,000 x 384 floats out, into a Span<float>", "floats_out", "place")
    row("1,000 x 384 floats out, fresh float[,]", "floats_out", "fresh")
    row("1,000 x 384 floats in, from a ReadOnlySpan<float>", "floats_in", "place")
  }' "$work/figures"
