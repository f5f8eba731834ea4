#!/usr/bin/env bash
# langchain4j.sh FOLDER: LangChain4j's OpenAI client for Java against `contrastive serve`
# (langchain4j/). Maven fetches it; where there is no Java, no Maven, or it cannot be fetched, the
# test is skipped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
skip() { echo "skipped: $*"; exit 77; }

for tool in javac mvn; do
  command -v "$tool" >/dev/null || skip "$tool is missing: packaging/toolchains/java.sh installs it"
done
mkdir -p "$folder"
cp -r "$here/langchain4j/." "$folder"
mvn -B -ntp -q -f "$folder/pom.xml" dependency:copy-dependencies \
  -DoutputDirectory="$folder/jars" >"$folder/maven.log" 2>&1 ||
  skip "LangChain4j cannot be fetched: $(grep -m 1 ERROR "$folder/maven.log" | cut -c 1-300)"
javac -cp "$folder/jars/*" -d "$folder/classes" "$folder/Client.java"

# A separate server, whose first line is its address.
coproc server {
  exec "$CONTRASTIVE_SERVE_PROGRAM" serve --model "$CONTRASTIVE_SERVE_FIXTURES/models/bert_st" \
    --port 0 --quiet
}
process=$server_PID
trap 'kill "$process" 2>/dev/null || true' EXIT
read -r line <&"${server[0]}"
printf '{"text": "A dog"}\n{"text": "the cat sat"}\n' >"$folder/texts.jsonl"
"$CONTRASTIVE_SERVE_PROGRAM" encode --model "$CONTRASTIVE_SERVE_FIXTURES/models/bert_st" \
  --input "$folder/texts.jsonl" --output "$folder/vectors.f32" --force --quiet
java -cp "$folder/jars/*:$folder/classes" Client "${line##* }/v1" "$folder/vectors.f32"
kill "$process"
wait "$process"
