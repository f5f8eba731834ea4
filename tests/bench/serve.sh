#!/usr/bin/env bash
# What `contrastive serve` answers under load: wrk asks for the embedding of one text at 1, 16 and
# 256 connections, and for 32 texts at 16. Beside it, where PYTHON names one with
# sentence-transformers, fastapi and uvicorn, the same model behind uvicorn (serve_peer.py), on the
# same number of threads.
#
#   tests/bench/serve.sh MODEL [PYTHON]        MODEL: a folder, such as the one that
#                                              packaging/bootstrap.sh minilm fetches
#
#   SECONDS_EACH=20 THREADS=2 ROUNDS=3 CONTRASTIVE=build/release/contrastive
#
# Prints a Markdown table: requests and texts a second, latency at the median and at 99 %, and
# answers that were not 200; medians of ROUNDS runs, which alternate between the servers.
set -euo pipefail
cd "$(dirname "$0")/../.."
model=${1:?MODEL is missing: see the head of this file} python=${2:-}
seconds=${SECONDS_EACH:-20} threads=${THREADS:-$(nproc)} rounds=${ROUNDS:-3} \
  contrastive=${CONTRASTIVE:-build/release/contrastive}
command -v wrk >/dev/null || { echo "serve.sh: wrk is missing: apt-get install wrk" >&2; exit 2; }
work=$(mktemp -d)
processes=()
trap 'kill "${processes[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT

text="A man is playing a guitar on the stage while the audience sings along with him."
cat >"$work/ask.lua" <<LUA
wrk.method, wrk.path = "POST", "/v1/embeddings"
wrk.headers["Content-Type"] = "application/json"
local texts = {}
for i = 1, tonumber(os.getenv("TEXTS")) do texts[i] = string.format('"%d: $text"', i) end
wrk.body = '{"model": "m", "encoding_format": "base64", "input": [' .. table.concat(texts, ",") .. "]}"
function done(summary, latency, requests)
  local bad = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format("RESULT %.2f %.2f %.2f %d\n", summary.requests / summary.duration * 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, bad))
end
LUA

declare -A url
"$contrastive" serve --model "$model" --port 0 --threads "$threads" --quiet >"$work/ours" \
  2>"$work/ours.log" &
processes+=($!)
for _ in $(seq 100); do [ -s "$work/ours" ] && break || sleep 0.2; done
url[contrastive]=$(awk '{print $NF}' "$work/ours")
names=(contrastive)
if [ -n "$python" ]; then
  port=$("$python" -c \
    'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  OMP_NUM_THREADS=$threads "$python" tests/bench/serve_peer.py "$model" "$port" "$threads" \
    >"$work/peer.log" 2>&1 &
  processes+=($!)
  url[sentence-transformers]=http://127.0.0.1:$port
  names+=(sentence-transformers)
  for _ in $(seq 300); do curl -sf "${url[sentence-transformers]}/health" >/dev/null && break ||
    sleep 0.2; done
fi

echo "| server | connections | texts a request | requests/s | texts/s | p50 ms | p99 ms | not 200 |"
echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
for shape in "1 1" "16 1" "256 1" "16 32"; do
  read -r connections texts <<<"$shape"
  for round in $(seq "$rounds"); do
    for name in "${names[@]}"; do
      # warm
      TEXTS=$texts wrk -t 1 -c "$connections" -d 2s --timeout 60s -s "$work/ask.lua" \
        "${url[$name]}" >/dev/null
      TEXTS=$texts wrk -t 1 -c "$connections" -d "${seconds}s" --timeout 60s -s "$work/ask.lua" \
        "${url[$name]}" |
        sed -n 's/^RESULT //p' >>"$work/$name.$connections.$texts"
    done
  done
  for name in "${names[@]}"; do
    median() { sort -n -k "$1" "$work/$name.$connections.$texts" |
      awk -v at=$(((rounds + 1) / 2)) -v k="$1" 'NR == at { print $k }'; }
    rate=$(median 1)
    echo "| $name | $connections | $texts | $rate |" \
      "$(awk -v r="$rate" -v t="$texts" 'BEGIN { printf "%.1f", r * t }') | $(median 2) |" \
      "$(median 3) | $(awk '{ n += $4 } END { print n }' "$work/$name.$connections.$texts") |"
  done
done
