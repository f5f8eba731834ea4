#!/usr/bin/env bash
# lora_memory.sh CONTRASTIVE MINILM PAIRS WORK: what training needs when all weights train, and when
# low-rank adapters do in their place.
#
#   tests/bench/lora_memory.sh build/release/contrastive MODEL build/quickstart/pairs.tsv
#   build/lora_memory
#
# Prints a table in Markdown: the most memory that the process held through three updates of 32
# pairs, of up to 64 ids a text, and the saving of the model; and the seconds of an update, the
# third. The second model has 12 layers of 768, random weights and MiniLM's tokenizer. PAIRS is a
# tsv of two columns.
set -euo pipefail
export LC_ALL=C
contrastive=$1 minilm=$2 pairs=$3 work=$4
mkdir -p "$work"
head -n 400 "$pairs" >"$work/train.tsv"
[ -e "$work/base" ] || "$contrastive" create --tokenizer "$minilm" --pooling mean \
  --output "$work/base" >/dev/null

printf '| model | what trains | parameters | peak, MB | s |\n| --- | --- | --- | --- | --- |\n'
for model in MiniLM 12x768; do
  folder=$minilm
  [ $model = MiniLM ] || folder=$work/base
  for rank in 0 8 64; do
    for targets in query,value all; do
      what="rank $rank, $targets" more=(--set mnrl.lora_rank="$rank" --set \
        mnrl.lora_targets="$targets")
      [ "$rank" != 0 ] || { [ "$targets" = all ] || continue; what='all weights' more=(); }
      rm -rf "$work/trained" "$work/metrics.jsonl"
      peak=$(python3 - "$contrastive" train --method mnrl --model "$folder" --train \
        "$work/train.tsv" --output "$work/trained" --batch-size 32 \
        --max-steps 3 --set mnrl.max_length=64 --set metrics_file="$work/metrics.jsonl" \
          "${more[@]}" <<'PY'
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
if done.returncode:
    sys.exit(done.stderr)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PY
      )
      read -r parameters seconds < <(python3 - "$work" <<'PY'
import json, math, os, struct, sys
def numbers(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    return sum(math.prod(entry["shape"]) for name, entry in header.items() if name != "__metadata__")
trained = sys.argv[1] + "/trained/"
adapter = trained + "adapter/adapter_model.safetensors"
last = [json.loads(line) for line in open(sys.argv[1] + "/metrics.jsonl")][-1]
print(numbers(adapter if os.path.exists(adapter) else trained + "model.safetensors"), 32 / last["samples_per_second"])
PY
      )
      printf '| %s | %s | %s | %s | %.2f |\n' "$model" "$what" "$parameters" "$peak" "$seconds"
    done
  done
done
