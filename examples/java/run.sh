#!/usr/bin/env bash
# Runs an example. First install the package into the local Maven repository with
# bindings/java/test.sh (or mvn install in bindings/java).
#
#   examples/java/run.sh EmbedAndSearch MODEL CORPUS.txt "a question" ...
#   examples/java/run.sh RetrainOnYourTexts MODEL PAIRS.tsv OUTPUT
#   examples/java/run.sh EmbeddingService MODEL 8080 OUTPUT
#   examples/java/run.sh ScheduledAdaptation MODELS START 8080 24 CANARY.tsv
#   examples/java/run.sh RetrainFromDatabase MODEL jdbc:sqlite:shop.db \
#     "SELECT question, answer FROM tickets" OUTPUT
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build/java/contrastive-examples
mvn -q -B -ntp -f "$here/pom.xml" compile dependency:build-classpath \
  -Dmdep.outputFile="$build/classpath"
exec java -cp "$build/classes:$(<"$build/classpath")" "examples.$1" "${@:2}"
