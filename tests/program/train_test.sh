#!/usr/bin/env bash
# train_test.sh PROGRAM FIXTURES: `contrastive train` as people and scripts use it: what is refused
# before the weights are read, results, checkpoints, records, runs in stages.
models=$(realpath "$2")/models
model=$models/bert_st
source "$(dirname "$0")/checks.sh" "$1"

small_files

# What a config, the examples and the files that it names show to be wrong is said although the
# weights could not be read.
contradictions() {
  rm -rf broken && cp -r "$model" broken && chmod -R u+w broken &&
    echo garbage >broken/model.safetensors
  for i in 1 2 3 4 5 6 7 8; do
    printf 'the cat sat %d\ta cat sits %d\t%d\n' $i $i $((i % 3))
  done >labelled.tsv
  local command=("$contrastive" train --model broken --output none)
  expect 2 "a warm-up longer than the examples make the run" "${command[@]}" --method simcse \
    --train texts.txt --epochs 1 --set warmup_steps=1000
  holds err "'warmup_steps' requests a warm-up of 1000 updates" "the key is named, not the weights"
  for file in texts.txt pairs.tsv; do
    expect 2 "an adversarial view without labels, $file" "${command[@]}" --method consert \
      --train $file --set consert.mode=joint --set consert.view2=adversarial
    holds err "'consert.mode' is joint and 'consert.view2' adversarial" \
      "the keys are named, not the weights"
  done
  for device in "--device cpu" ""; do
    # the default may be that device
    [ -n "$device" ] || ! "$contrastive" doctor | grep -q "^ok *CUDA" || continue
    expect 2 "float16 without CUDA $device" "${command[@]}" $device --method simcse \
      --train texts.txt --set amp=float16
    holds err "'amp' is float16" "the key is named, not the weights"
  done
  expect 2 "weights that cannot be trained" "${command[@]}" --method simcse --train texts.txt \
    --precision bfloat16
  holds err "'precision' is bfloat16" "the key is named, not the weights"
  expect 4 "no second dataset" "${command[@]}" --method consert --train labelled.tsv \
    --set consert.mode=sup-unsup --set stage2.dataset=nofile
  holds err "'stage2.dataset': nofile" "the key is named, not the weights"
  expect 4 "no dev file" "${command[@]}" --method simcse --train texts.txt --set dev=nofile
  holds err "'dev': nofile" "the key is named, not the weights"
  command=("$contrastive" train --model nowhere --train nofile --output none --method simcse
    --dry-run)
  expect 0 "--dry-run needs no files" "${command[@]}" --json --set batch_size=7
  holds out '"batch_size":7' "the config"
  [ ! -e none ] && pass || complain "--dry-run wrote an output"
  expect 2 "--dry-run of a key that is not known" "${command[@]}" --set bach_size=7
  holds err "batch_size" "the nearest key is named"
  expect 2 "--dry-run of weights that cannot be trained" "${command[@]}" --precision bfloat16
  command=("$contrastive" train --model broken --output none)
  expect 3 "nothing but the weights is wrong" "${command[@]}" --method simcse --train texts.txt
  holds err "model.safetensors" "the file is named"
}

training() {
  local common=(--method clsr --model "$model" --train pairs.tsv)
  expect 0 "train, stable form" "$contrastive" train "${common[@]}" --output run --max-steps 3 \
    --batch-size 4 --set lr=0.01 --set optimizer=adamw
  for file in run/run.json run/modules.json run/training_state; do
    [ -e $file ] && pass || complain "train: $file is missing"
  done
  holds err "(the last weights, as no dev set chooses better ones)" \
    "what was kept for want of a dev set"
  holds run/run.json '"batch_size": 4' "the config in force lies beside the model"
  expect 0 "the result is a model" "$contrastive" tokenize --model run hello
  expect 2 "an existing output is kept" "$contrastive" train "${common[@]}" --output run \
    --max-steps 3 --batch-size 4
  expect 2 "the output is no input" "$contrastive" train "${common[@]}" --output "$model" \
    --max-steps 3 --force
  echo kept >a_file
  expect 2 "the output is a file" "$contrastive" train "${common[@]}" --output a_file \
    --max-steps 1000000000 --force
  holds err "is a file" "the file is named before the training"
  holds a_file kept "the file is untouched"
  mkdir precious && echo kept >precious/run.json
  expect 2 "the output is no model folder" "$contrastive" train "${common[@]}" --output precious \
    --max-steps 1000000000 --force
  holds err "run.json" "what stands in the way is named before the training"
  holds precious/run.json kept "the folder is untouched"
  expect 2 "a misspelt key" "$contrastive" train "${common[@]}" --output none --max-steps 3 \
    --set bach_size=4
  holds err "batch_size" "the nearest key is named"
  expect 0 "a finished run" "$contrastive" train "${common[@]}" --output done --max-steps 2 \
    --batch-size 4
  expect 0 "a finished run, resumed" "$contrastive" train --resume done --output done \
    --model "$model" --train pairs.tsv
  holds err "the run in 'done' was finished already: there is nothing to do" "it is told"
  printf 'a cat\tthe cat\t1\na dog\tthe dog\t1\n' >constant.tsv
  expect 0 "equal scores" "$contrastive" train --method scored --model "$model" \
    --train constant.tsv --output constant --max-steps 1
  holds err "warning: all 2 pairs have the score 1" "nothing can be learnt of them"
  printf 'one\ttwo\nthree\n' >uneven.tsv
  expect 3 "an uneven training file" "$contrastive" train --method clsr --model "$model" \
    --train uneven.tsv --output none --max-steps 3 --json
  holds err '"file":"uneven.tsv","line":2' "file and line of the library's message"
  expect 2 "a batch of one" "$contrastive" train "${common[@]}" --output none --max-steps 3 \
    --batch-size 1
  expect 0 "again from run.json" "$contrastive" train --config run/run.json --model "$model" \
    --train pairs.tsv --output again --json
  holds out '"step":3' "as many steps"
  holds out '"weights":"last","last_because":"no dev set chooses better ones"' \
    "what was kept for want of a dev set, for scripts"
  equal run/modules.json again/modules.json "the same layout"
  printf 'a cat sits\tthe cat sat\ntwo birds fly\tbirds in the air\n' >dev.tsv
  expect 0 "with a dev set" "$contrastive" train "${common[@]}" --dev dev.tsv --output best \
    --max-steps 4 --batch-size 4 --eval-every 2 --json
  holds out '"best_dev":' "the best score"
  holds out '"weights":"best","metrics"' "what the dev set chose"
  expect 2 "a contradiction is said before the model is loaded" "$contrastive" train --method clsr \
    --model absent --train absent.tsv --output none --set keep=2
  holds err "'keep' needs a folder" "the key is named, not the missing files"
  expect 2 "a warm-up behind the end" "$contrastive" train --method simcse --model absent \
    --train absent.tsv --output none --set epochs=2 --set warmup_epochs=5
  holds err "'warmup_epochs' requests a warm-up of 5 epochs" \
    "the key is named, not the missing files"
  expect 2 "a layer that the model does not have" "$contrastive" train --method sgopt \
    --model "$model" --train absent.tsv --output none --set sgopt.lmax=99
  holds err "'sgopt.lmax' is 99" "the key is named, before the weights and the texts are read"
  contradictions
  expect 4 "a missing training file" "$contrastive" train --method clsr --model "$model" \
    --train absent.tsv --output none --max-steps 3
  holds err "absent.tsv" "the file is named"
  gzip -k pairs.tsv
  expect 0 "checkpoints, a table, a gzip file" "$contrastive" train --method clsr --model "$model" \
    --train pairs.tsv.gz --output packed --max-steps 4 --batch-size 4 --checkpoints kept \
    --save-every 2 --set keep=1 --set metrics_csv=table.csv --set data_threads=2
  for file in kept/step-0000000004/training_state packed/modules.json table.csv; do
    [ -e $file ] && pass || complain "train: $file is missing"
  done
  absent kept/step-0000000002 "one checkpoint is kept"
  expect 0 "a checkpoint goes on, by the plain file" "$contrastive" train \
    --resume kept/step-0000000004 --output on --model "$model" --train pairs.tsv --max-steps 5 \
    --json
  holds out '"step":5' "one step more"
  expect 2 "another run's checkpoints" "$contrastive" train "${common[@]}" --output none \
    --max-steps 2 --batch-size 4 --checkpoints kept --seed 2
  holds err "checkpoints of another run" "the key is named, and why"
  [ -e kept/step-0000000005/training_state ] && pass ||
    complain "train: the other run's checkpoint is gone"
  expect 6 "a run that diverges" "$contrastive" train "${common[@]}" --output diverged \
    --max-steps 500 --batch-size 4 --set lr=1000 --set optimizer=sgd --set momentum=0.99 \
    --set weight_decay=0.01 --set warmup_steps=0 --set schedule=constant
  holds err "the run is saved" "what it had learnt is not lost"
  holds err "--resume diverged" "and where it lies"
  expect 0 "goes on, the bad updates left out" "$contrastive" train --resume diverged \
    --output diverged --model "$model" --train pairs.tsv --set on_nan=skip --json
  holds out '"step":500' "to its end"
  expect 0 "a metrics file that takes nothing" "$contrastive" train "${common[@]}" \
    --output recordless --max-steps 3 --batch-size 4 --metrics-file /dev/full --json
  holds out '"failed_lines":3' "is counted, and ends nothing"
  expect 4 "a metrics file that cannot be opened" "$contrastive" train "${common[@]}" \
    --output none --max-steps 3 --metrics-file absent/m.jsonl
  cp pairs.tsv kept.tsv
  expect 2 "a metrics file that holds examples" "$contrastive" train "${common[@]}" --output none \
    --max-steps 3 --metrics-file pairs.tsv
  holds err "config key 'metrics_file': pairs.tsv exists and has no records" "why it is refused"
  equal pairs.tsv kept.tsv "the examples"
  for key in cache checkpoints metrics_file metrics_csv; do
    expect 2 "$key in the output" "$contrastive" train "${common[@]}" --output none --max-steps 3 \
      --set $key=none/x --save-every 1
    holds err "$key 'none/x' is in the output 'none'" "before the training, with both places"
  done
  expect 0 "records in a log that has lines" sh -c \
    'echo begun >log.txt; "$@" >>log.txt' sh "$contrastive" train "${common[@]}" --output logged \
    --max-steps 2 --batch-size 4 --metrics-file /dev/stdout
  holds log.txt '"step":2' "behind them"
  expect 0 "a name of digits" "$contrastive" train "${common[@]}" --output digits --max-steps 2 \
    --batch-size 4 --metrics-file 2024
  holds 2024 '"step":2' "is a file"
  expect 0 "a name that looks like a number" "$contrastive" train "${common[@]}" --output number \
    --max-steps 2 --batch-size 4 --metrics-file 1.10
  holds 1.10 '"step":2' "is the file of that name"
  expect 0 "a run in stages" "$contrastive" train --method consert --model "$model" \
    --train labelled.tsv --output staged --set consert.mode=sup-unsup \
    --set stage2.dataset=texts.txt --batch-size 2 --max-steps 3 --set stage2.max_steps=2 --json
  holds out '"stage":2' "ends in its second stage"
  holds out '"step":2' "after that one's updates"
  awk -F '\t' '{ print $1 "\t" $2 "\tother " NR }' pairs.tsv >wide.tsv
  expect 0 "a run on two of three columns" "$contrastive" train --method mnrl --model "$model" \
    --train wide.tsv --set data.columns=0,2 --output wide --max-steps 1 --batch-size 4
  expect 3 "--resume with other columns" "$contrastive" train --resume wide --model "$model" \
    --train wide.tsv --set data.columns=0,1 --output wide --max-steps 2
  holds err "data" "the field that differs"
  cp -r "$model" pieces && printf 'as it came' >pieces/sentencepiece.bpe.model
  expect 0 "a folder with SentencePiece's model is saved many times" "$contrastive" train \
    --method clsr --model pieces --train pairs.tsv --output pieced --max-steps 4 --batch-size 4 \
    --save-every 1
  cp -r "$model" mine && printf 'years of work' >mine/thesis.tex
  expect 2 "a folder with something else in it" "$contrastive" train "${common[@]}" --output mine \
    --force --max-steps 2 --batch-size 4
  holds err "'thesis.tex' in it is not part of a model" "why it is not replaced"
  holds err "the model is saved in mine.unsaved" "and where the model is"
  holds mine/thesis.tex "years of work" "it is as it was"
  expect 0 "what was trained can be used" "$contrastive" encode --model mine.unsaved \
    --input texts.txt --output unsaved.npy
  expect 3 "--resume with other settings" "$contrastive" train "${common[@]}" --resume run \
    --output run2 --batch-size 8
  holds err "batch_size" "the field that differs"
  absent none "a failed run leaves nothing"
}

training
finish
