#!/usr/bin/env bash
# tasks_test.sh PROGRAM FIXTURES: runs on several data sets, through the program: that they train,
# resume after a signal, and what is refused before the weights are read.
fixtures=$(realpath "$2")
source "$(dirname "$0")/checks.sh" "$1"
model=$fixtures/models/bert_st
printf '%b\n' '5\tthe cat sat\tthe cat sat' '1\tthe cat sat\ttwo birds fly' '3\ta dog\tthe dog' \
  '0\tred\tclosed house' >sts.tsv
printf 'the cat\na dog and a bird\ntwo birds fly over the old house\n' >texts.txt
for i in 1 2 3 4 5 6 7 8; do printf 'the cat sat %d\ta cat sits %d\n' $i $i; done >pairs.tsv
weights() { sha256sum "$1/model.safetensors" | cut -d ' ' -f 1; }
two=(--method mnrl --train pairs.tsv --batch-size 4 --set task2.dataset=sts.tsv
  --set task2.method=scored --set task2.data.columns=1,2,0
  --set task2.batch_size=2)
train=("$contrastive" train --model "$model" --quiet --force)

# --- runs ---
expect 0 "pairs and scores" "${train[@]}" "${two[@]}" --output run --max-steps 4 \
  --set tasks.sampling=round_robin --json
holds out '"loss.task1":' "the first task's loss"
holds out '"loss.task2":' "the second one's"
holds run/README.md "sts.tsv" "the card names the second file"
expect 0 "again from run.json" "${train[@]}" --config run/run.json --train pairs.tsv --output again
[ "$(weights run)" = "$(weights again)" ] && pass ||
  complain "the config of a run on two data sets is another run"
expect 0 "the first half" "${train[@]}" "${two[@]}" --output half --max-steps 2 \
  --set tasks.sampling=round_robin --set schedule=constant --set warmup_steps=0
expect 0 "the whole" "${train[@]}" "${two[@]}" --output whole --max-steps 4 \
  --set tasks.sampling=round_robin --set schedule=constant --set warmup_steps=0
expect 0 "the second half" "$contrastive" train --resume half --output half --model "$model" \
  --train pairs.tsv --max-steps 4 --quiet
[ "$(weights half)" = "$(weights whole)" ] && pass ||
  complain "a resumed run on two data sets is another run"
expect 0 "texts beside pairs" "${train[@]}" "${two[@]}" --output third --max-steps 6 \
  --set task3.dataset=texts.txt --set task3.method=tsdae --set task3.weight=0.1 --json
holds out '"loss.task3":' "the third task's loss"

# --- refusals, with a model that cannot be read ---
cp -r "$model" broken && chmod -R u+w broken && echo garbage >broken/model.safetensors
refused() {  # CODE WHAT PART SETTINGS...
  local code=$1 what=$2 part=$3
  shift 3
  expect "$code" "$what" "$contrastive" train --model broken --output none "${two[@]}" "$@"
  holds err "$part" "$what: the key is named, not the weights"
}
refused 4 "no second file" "'task2.dataset': nofile" --set task2.dataset=nofile
refused 2 "a key that is the run's" "'task2.lr'" --set task2.lr=1
refused 2 "a gap" "'task3.dataset' is missing" --set task4.dataset=sts.tsv
refused 2 "an unknown method" "did you mean 'triplet'" --set task2.method=triplett
refused 2 "a method that cannot share" "'clsr' cannot share" --set task2.method=clsr
refused 2 "no scores" "no label" --set task2.data.columns=1,2
refused 3 "nothing but the weights is wrong" "model.safetensors"
finish
