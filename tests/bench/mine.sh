#!/usr/bin/env bash
# mine.sh [--texts FILE] PROGRAM MODEL WORK [DOCUMENTS...]: measures `contrastive mine` with 10,000
# pairs and these numbers of documents (default: 10000 100000 1000000), once without a cache and
# once with all vectors cached. Prints a JSON line for each: seconds, CPU seconds and peak memory.
#
#   tests/bench/mine.sh build/release/contrastive MODEL build/mine 1000000
#   tests/bench/mine.sh --texts build/data/wiki/wiki_en_400k.txt build/release/contrastive MODEL \
#     build/mine 1000000
#
# Documents are generated sentences of 8 to 24 words, or 20 consecutive words of FILE, from evenly
# spaced positions. A pair is such a text, and every second word of it. The peak is that of the
# process, including the model and the mapped part of the vectors' file. The run "positives" has no
# corpus.
set -euo pipefail
texts=
if [ "${1:-}" = --texts ]; then
  texts=$(realpath "$2")
  shift 2
fi
program=$(realpath "$1") model=$(realpath "$2") work=$3
shift 3
[ $# -gt 0 ] || set -- 10000 100000 1000000
mkdir -p "$work"
python3 - "$work" "$(printf '%s\n' "$@" | sort -n | tail -1)" "$texts" <<'PY'
import random, sys
work, count, texts = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rng = random.Random(1)
if texts:
    running = open(texts, encoding="utf-8").read().split()
    places = iter([k * (len(running) - 20) // (count + 10000) for k in rng.sample(range(count + 10000), count + 10000)])
    def sentence():
        place = next(places)
        return " ".join(running[place:place + 20])
else:
    words = ["".join(rng.choice("bcdfglmnprst") + rng.choice("aeiou") for _ in range(rng.randint(1, 4))) for _ in range(5000)]
    sentence = lambda: " ".join(rng.choices(words, k=rng.randint(8, 24)))
with open(f"{work}/pairs.tsv", "w") as pairs:
    for _ in range(10000):
        text = sentence()
        pairs.write(" ".join(text.split()[::2]) + "\t" + text + "\n")
with open(f"{work}/all.txt", "w") as documents:
    for _ in range(count):
        documents.write(sentence() + "\n")
PY
run() {  # run NAME OPTIONS...: a JSON line
  local name=$1
  shift
  python3 - "$name" "$program" mine --model "$model" --pairs "$work/pairs.tsv" --output \
    "$work/mined.jsonl" --force --json --no-progress --quiet --relative-margin none "$@" <<'PY'
import json, os, subprocess, sys, time
begin = time.time()
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE)
report = json.loads(child.stdout.read())
_, status, usage = os.wait4(child.pid, 0)
child.returncode = status
print(json.dumps({"bench": "mine", "run": sys.argv[1], "seconds": round(time.time() - begin, 1),
                  "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1), "peak_mb": round(usage.ru_maxrss / 1024),
                  "documents": report["documents"], "embedded": report["embedded"], "rows": report["rows"]}))
PY
}
run positives
for documents in "$@"; do
  head -n "$documents" "$work/all.txt" >"$work/corpus.txt"
  rm -rf "$work/cache"
  run embedding --corpus "$work/corpus.txt" --cache "$work/cache"
  run cached --corpus "$work/corpus.txt" --cache "$work/cache"
done
