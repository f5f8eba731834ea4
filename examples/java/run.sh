#!/usr/bin/env bash
# Runs an example after bindings/java/test.sh (or mvn -f bindings/java/pom.xml install) has installed the package into the local Maven repository.
#
#   examples/java/run.sh EmbedAndSearch MODEL CORPUS.txt "a question" ...
#   examples/java/run.sh RetrainOnYourTexts MODEL PAIRS.tsv OUTPUT
#   examples/java/run.sh EmbeddingService MODEL 8080 OUTPUT
#   examples/java/run.sh RetrainFromDatabase MODEL jdbc:sqlite:shop.db "SELECT question, answer FROM tickets" OUTPUT
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
name=$1
shift
arguments=
for argument in "$@"; do arguments+=" '$argument'"; done  # exec:java splits at spaces outside quotes
exec mvn -q -B -ntp -f "$(dirname "$0")/pom.xml" compile exec:java -Dexec.mainClass="examples.$name" -Dexec.args="$arguments"
