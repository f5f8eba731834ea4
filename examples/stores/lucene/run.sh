#!/usr/bin/env bash
# Runs the example. First install the package into the local Maven repository with
# bindings/java/test.sh (or mvn install in bindings/java).
#
#   examples/stores/lucene/run.sh index  MODEL TEXTS.txt FOLDER
#   examples/stores/lucene/run.sh search MODEL QUESTIONS.txt FOLDER
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../../build/java/contrastive-stores-lucene
if [ ! -e "$build/classpath" ] ||
  [ -n "$(find "$here/pom.xml" "$here/src" -newer "$build/classpath" -print -quit)" ]; then
  mvn -q -B -ntp -f "$here/pom.xml" compile dependency:build-classpath \
    -Dmdep.outputFile="$build/classpath" >&2
fi
exec java -cp "$build/classes:$(<"$build/classpath")" examples.LuceneStore "$@"
