#!/usr/bin/env bash
# bench_test.sh PROGRAM FIXTURES: `contrastive bench` measures what it says: that the counts are
# those of the files, and times and memory are there.
models=$(realpath "$2")/models
source "$(dirname "$0")/checks.sh" "$1"

for i in $(seq 50); do echo "the cat sat on the mat and saw bird $i"; done >texts.txt
expect 0 "everything" "$contrastive" bench --model "$models/bert_st" --model "$models/bert_st_old" \
  --method simcse,consert --train texts.txt --texts texts.txt \
  --batch-size 10 --rounds 3 --steps 4 --warm-up 2 --latency 20 --json
python3 - <<'PY' && pass || complain "the measurements"
import json
rows = json.load(open("out"))
assert [(r["model"].split("/")[-1], r["what"], r.get("method")) for r in rows] == [
    (m, w, x) for m in ("bert_st", "bert_st_old") for w, x in (("load", None), ("encode", None), ("train", "simcse"), ("train", "consert"))]
for r in rows:
    assert 0 < r["seconds_min"] <= r["seconds"] <= r["seconds_max"] < 60 and r["peak_mb"] > 10, r
    if r["what"] == "load": assert r["measured"] == 3
    if r["what"] == "encode":
        assert r["texts"] == 50 and r["measured"] == 3 and r["tokens"] > 50 * 9 and 0 < r["text_ms_p50"] <= r["text_ms_p99"]
        assert abs(r["texts_per_second"] * r["seconds"] - 50) < 1e-6 and abs(r["tokens_per_second"] * r["seconds"] - r["tokens"]) < 1e-3
    if r["what"] == "train":
        assert r["measured"] == 12 and r["examples"] == 50 and r["steps_per_epoch"] == 5 and r["first_seconds"] > 0
        assert abs(r["epoch_seconds"] - 5 * r["seconds"]) < 1e-9 and r["tokens_per_second"] > 0
PY
expect 0 "a table" "$contrastive" bench --model "$models/bert_st" --texts texts.txt --rounds 1 \
  --quiet
holds out "| model | what | method |" "its head"
[ "$(grep -c "bert_st" out)" -eq 2 ] && pass ||
  complain "load and encode, and no training without --train, were expected: $(cat out)"
expect 2 "no method" "$contrastive" bench --model "$models/bert_st" --train texts.txt
holds err "--method" "what is missing"
expect 2 "no texts" "$contrastive" bench --model "$models/bert_st" --what encode
holds err "--texts" "what is missing"
expect 2 "no such method" "$contrastive" bench --model "$models/bert_st" --train texts.txt \
  --method simsce
holds err "simcse" "the nearest method"
expect 2 "no such measurement" "$contrastive" bench --model "$models/bert_st" --what decode
expect 4 "no such model" "$contrastive" bench --model nothing
: >empty.txt
expect 3 "no text" "$contrastive" bench --model "$models/bert_st" --texts empty.txt
expect 2 "a run that is too short to measure" "$contrastive" bench --model "$models/bert_st" \
  --train texts.txt --method simcse --batch-size 10 --set epochs=1 --what train
finish
