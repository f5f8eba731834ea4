#!/usr/bin/env bash
# storm.sh [SECONDS [SEED]]: compiles the storm against what bindings/java/test.sh has built, and
# runs it for as long (default: 20 s).
set -euo pipefail
cd "$(dirname "$0")/../../.."
export LC_ALL=C.UTF-8
work=$PWD/build/java/storm
natives=$PWD/build/java/jni/natives/io/contrastive/native/linux-$(uname -m)
classes=build/java/contrastive/classes
[ -e "$natives/libcontrastive.so.0" ] && [ -d "$classes" ] || {
  echo "run bindings/java/test.sh first" >&2; exit 1; }
mkdir -p "$work"
javac -Xlint:all -Werror -d "$work" -cp "$classes" bindings/java/storm/Storm.java \
  bindings/java/storm/Worker.java
# A heap that is there whole from the start: what grows afterwards is native memory.
exec java -Xms256m -Xmx256m -XX:+AlwaysPreTouch -Dcontrastive.library="$natives" \
  -cp "$classes:$work" Storm tests/fixtures/models/bert_st "${1:-20}" ${2:+"$2"}
