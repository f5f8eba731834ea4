#!/usr/bin/env bash
# contract.sh FOLDER: whether the server does what its OpenAPI document says. openapi-spec-validator
# reads the document, Schemathesis makes requests of it, valid ones and others, and compares status,
# form and headers of each answer with it. Both are installed into a virtual environment in FOLDER
# once; where that cannot be done the test is skipped. Where Prometheus' promtool is installed it
# reads /metrics.
#
#   EXAMPLES=500 tests/program/serve/contract.sh FOLDER
#
# EXAMPLES is the number of requests of each route (default: 15).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
# shellcheck source=tests/program/serve/python_folder.sh
. "$here/python_folder.sh"
python_folder "$folder" openapi-spec-validator==0.9.0 schemathesis==4.32.5

corpus=$folder/corpus.txt
printf 'the cat sat\na dog\nred\n' >"$corpus"
coproc server {
  exec "$CONTRASTIVE_SERVE_PROGRAM" serve --model "$CONTRASTIVE_SERVE_FIXTURES/models/bert_st" \
    --corpus "$corpus" --port 0 --quiet
}
process=$server_PID
trap 'kill "$process" 2>/dev/null || true' EXIT
read -r line <&"${server[0]}"
url=${line##* }

python_get() {
  "$folder/bin/python" -c 'import sys, urllib.request
sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1]).read())' "$1"
}
python_get "$url/openapi.json" >"$folder/openapi.json"
"$folder/bin/openapi-spec-validator" "$folder/openapi.json"
cd "$folder"  # where Schemathesis keeps what it found
"$folder/bin/st" run "$folder/openapi.json" --url "$url" --max-examples "${EXAMPLES:-15}" \
  --seed "${SEED:-1}" --no-color
if command -v promtool >/dev/null; then
  python_get "$url/metrics" | promtool check metrics
  echo "promtool: no complaint"
else
  echo "promtool is not installed: /metrics was not read by it"
fi
kill "$process"
wait "$process"
