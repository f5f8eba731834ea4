#!/usr/bin/env bash
# Measures what a call from Java costs above the same call from C, and prints the table. Run bindings/java/test.sh first: it builds what is measured.
#
#   bindings/java/bench/overhead.sh [RUNS]     both programs in turn, RUNS times (3); the best of each counts
set -euo pipefail
cd "$(dirname "$0")/../../.."
export LC_ALL=C OMP_NUM_THREADS=1
work=build/java/bench
natives=$PWD/build/java/jni/natives/io/contrastive/native/linux-$(uname -m)
classes=build/java/contrastive/classes
[ -e "$natives/libcontrastive.so.0" ] && [ -d "$classes" ] || { echo "run bindings/java/test.sh first" >&2; exit 1; }
torch=${CONTRASTIVE_LIBTORCH:-$(echo "${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}"/libtorch-*/torch)}
mkdir -p "$work"
gcc -O2 -Icapi/include bindings/java/bench/overhead.c -o "$work/overhead" "$natives/libcontrastive.so.0" \
  -Wl,-rpath,"$natives" -Wl,--allow-shlib-undefined
javac -d "$work" -cp "$classes" bindings/java/bench/Overhead.java

model=tests/fixtures/models/bert_st
rm -f "$work/figures"
for ((run = 0; run < ${1:-3}; run++)); do
  LD_LIBRARY_PATH=$torch/lib "$work/overhead" "$model" | sed 's/^\([a-z_]*\) /\1 C /' >>"$work/figures"
  java -Dcontrastive.library="$natives" -cp "$classes:$work" Overhead "$model" | sed 's/^bare_call /bare_call call /' >>"$work/figures"
done
awk '
  { key = $1 " " $2; if (!(key in best) || $3 < best[key]) best[key] = $3 }
  function row(name, first, second,    base) {
    base = best[first " C"]
    printf "| %s | %.3f | %.3f | %+.3f |\n", name, base / 1000, best[first " " second] / 1000, (best[first " " second] - base) / 1000
  }
  END {
    print "| | C, us | Java, us | above C, us |"
    print "| --- | --- | --- | --- |"
    row("a call that does nothing", "bare_call", "call")
    row("1 text, into a direct buffer", "one_text", "direct")
    row("1 text, into a float[]", "one_text", "array")
    row("1 text, fresh float[][]", "one_text", "fresh")
    row("1,000 x 384 floats out, direct buffer", "floats_out", "direct")
    row("1,000 x 384 floats out, fresh float[][]", "floats_out", "fresh")
    row("1,000 x 384 floats in, direct buffer", "floats_in", "direct")
    row("1,000 x 384 floats in, float[][]", "floats_in", "rows")
  }' "$work/figures"
