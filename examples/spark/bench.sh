#!/usr/bin/env bash
# bench.sh MODEL TEXTS.txt [TEXTS [ROUNDS]]: measures how long a Spark job takes for the first TEXTS
# lines of a file (default: 20000), and how long one process of the command line program takes for
# the same on the same cores. They alternate ROUNDS times (default: 3), after a round that is not
# counted.
#
#   examples/spark/bench.sh MODEL "$CONTRASTIVE_DATA/wiki/wiki_en_400k.txt"
#
# Spark is timed from Parquet to Parquet in local[cores], including counting, shuffling and writing,
# but without the start of its session. The program is timed from lines to .npy, including its start
# and the loading of the model. Run test.sh and build the program first.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build/java/contrastive-spark
program=$root/build/release/contrastive
for file in "$program" "$build/test-classes/examples/spark/Throughput.class"; do
  [ -e "$file" ] || { echo "$file is missing: build the program, and run examples/spark/test.sh" \
    >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'load of the machine before: %s on %s processors\n' "$(cut -d' ' -f1 /proc/loadavg)" \
  "$(nproc)"
"$(dirname "$0")/spark.sh" submit --master "local[$(nproc)]" \
  --driver-memory 2g --conf spark.ui.enabled=false \
  --conf spark.driver.bindAddress=127.0.0.1 --conf spark.driver.host=127.0.0.1 \
  --driver-class-path "$build/test-classes:$build/classes:$(<"$build/package.classpath")" \
  --class examples.spark.Throughput JOB "$program" "$1" "$2" "${3:-20000}" "${4:-3}" "$work" \
  2>"$work/log" || {
    tail -n 30 "$work/log" >&2; exit 1; }
printf 'load of the machine after: %s\n' "$(cut -d' ' -f1 /proc/loadavg)"
