#!/usr/bin/env bash
# Builds a program outside the tree that knows the installed Maven package only, and runs it on the
# class path and on the module path.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
model=$(cd "$here/../../../tests/fixtures/models/bert_st" && pwd)
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
cp -r "$here/pom.xml" "$here/src" "$outside"
cd "$outside"
unset CONTRASTIVE_LIBRARY
mvn -B -ntp -q -Dstyle.color=never process-classes
[ "$(find target/dependency -name '*.jar' | wc -l)" -eq 3 ] || {
  echo "the package brings other jars: $(ls target/dependency)" >&2; exit 1; }
libraries=$(find "$PWD/target/dependency" -name '*.jar' | tr '\n' ':')
java -cp "target/classes:$libraries" app.Main "$model"
javac --release 17 -d target/module --module-path "$libraries" src/main/java/app/Main.java \
  src/module/module-info.java
java --module-path "target/module:$libraries" --module app/app.Main "$model"
