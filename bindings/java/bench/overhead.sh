#!/usr/bin/env bash
# Measures what a call from Java costs above the same call from C, prints the table, and fails where
# it is more than allowed. bindings/java/test.sh runs it, and builds what is measured.
set -euo pipefail
cd "$(dirname "$0")/../../.."
export LC_ALL=C OMP_NUM_THREADS=1
work=$PWD/build/java/bench
natives=$PWD/build/java/jni/natives/io/contrastive/native/linux-$(uname -m)
classes=build/java/contrastive/classes
[ -e "$natives/libcontrastive.so.0" ] && [ -d "$classes" ] || {
  echo "run bindings/java/test.sh first" >&2; exit 1; }
java=$(dirname "$(dirname "$(realpath "$(command -v javac)")")")
mkdir -p "$work"
gcc -O2 -Wall -Wextra -Werror -fPIC -shared -Icapi/include -I"$java/include" \
  -I"$java/include/linux" bindings/bench/reference.c \
  bindings/java/bench/reference_jni.c -o "$work/libreference.so" "$natives/libcontrastive.so.0"
javac -d "$work" -cp "$classes" bindings/java/bench/Overhead.java
exec java -Dcontrastive.library="$natives" -cp "$classes:$work" Overhead \
  tests/fixtures/models/bert_st "$work/libreference.so"
