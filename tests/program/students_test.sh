#!/usr/bin/env bash
# students_test.sh PROGRAM FIXTURES: students out of a teacher, `train --method distill` and vectors
# that may be cut, as people use them.
model=$(realpath "$2")/models/bert_st
source "$(dirname "$0")/checks.sh" "$1"

small_files
cut -f 1 pairs.tsv >student-texts.txt && cut -f 2 pairs.tsv >>student-texts.txt

making() {
  expect 0 "a student with fewer layers" "$contrastive" create --set student.encoder="$model" \
    --set student.layers=1 --output half
  expect 0 "inspect the student" "$contrastive" inspect --model half --json
  holds out '"layers":1' "it has one layer"
  expect 0 "a student with fewer dimensions" "$contrastive" create --set student.encoder="$model" \
    --set student.dimension=6 --set student.texts=student-texts.txt --output narrow
  holds out "6 dimensions" "its vectors have six"
  gzip -c student-texts.txt >zipped
  expect 0 "a student by texts in gzip" "$contrastive" create --set student.encoder="$model" \
    --set student.dimension=6 --set student.texts=zipped --output zipped-narrow
  equal zipped-narrow/2_Dense/model.safetensors narrow/2_Dense/model.safetensors "the same texts"
  expect 2 "more layers than the teacher has" "$contrastive" create --set student.encoder="$model" \
    --set student.layers=12 --output none
  holds err "config key 'student.layers' is 12, but the teacher has 2 layers" "how many there are"
  expect 2 "a shape that the teacher decides" "$contrastive" create --set student.encoder="$model" \
    --set student.dimension=6 --set student.texts=student-texts.txt --layers 1 --output none
  holds err "config key 'layers' has no effect together with 'student.encoder'" "the key"
  expect 0 "the environment means other models" env CONTRASTIVE_MAX_LENGTH=32 CONTRASTIVE_LAYERS=7 \
    CONTRASTIVE_DROPOUT=0.3 CONTRASTIVE_SEED=7 "$contrastive" create \
    --set student.encoder="$model" --set student.layers=1 --output half --force
  expect 4 "a name of digits" "$contrastive" create --set student.encoder=2024 \
    --set student.layers=1 --output none
  expect 2 "the output is the teacher" "$contrastive" create --set student.encoder=half \
    --set student.layers=1 --output half --force
  holds err "is where student.encoder 'half' lies" "which model it is"
  expect 4 "a teacher that is not there" "$contrastive" create --set student.encoder=absent \
    --set student.layers=1 --output none
  holds err "config key 'student.encoder': absent" "the key of the folder"
}

teaching() {
  expect 0 "a student is taught" "$contrastive" train --method distill --model half \
    --train student-texts.txt --output taught --set distill.teacher="$model" --max-steps 3 \
    --batch-size 4
  expect 0 "the taught student embeds" "$contrastive" encode --model taught --input texts.txt \
    --output taught.npy
  expect 2 "a teacher of another dimension" "$contrastive" train --method distill --model narrow \
    --train student-texts.txt --output none --set distill.teacher="$model" --max-steps 3
  holds err \
    "the teacher's vectors have 32 dimensions, the student's 6: set distill.projection = linear" \
    "both dimensions, and a way out"
  expect 4 "a missing teacher" "$contrastive" train --method distill --model half \
    --train student-texts.txt --output none --set distill.teacher=absent --max-steps 3
  holds err "config key 'distill.teacher': absent" "the key of the teacher"
  "$contrastive" mine --model "$model" --pairs pairs.tsv --corpus student-texts.txt \
    --num-negatives 2 --set output_format=n-tuple --set output_scores=true --relative-margin none \
    --output scored.jsonl >mined 2>&1
  holds scored.jsonl '"scores":' "mined rows with their scores"
  expect 0 "margins of the rows" "$contrastive" train --method distill --model half \
    --train scored.jsonl --output by-margins --max-steps 3 --batch-size 4 \
    --set distill.loss=margin_mse --set data.scores=scores
  expect 0 "and their distribution" "$contrastive" train --method distill --model half \
    --train scored.jsonl --output by-scores --max-steps 3 --batch-size 4 --set distill.loss=scores \
    --set distill.similarity=cosine --set data.scores=scores
  expect 2 "scores for a method that reads none" "$contrastive" train --method mnrl --model half \
    --train scored.jsonl --output none --max-steps 3 --set data.columns=anchor,positive \
    --set data.scores=scores
  holds err "method 'mnrl' reads no scores of a teacher" "what is wrong"
}

cutting() {
  expect 0 "vectors that may be cut" "$contrastive" train --method mnrl --model "$model" \
    --train pairs.tsv --output cut --max-steps 3 --batch-size 4 --dev sts.tsv \
    --set matryoshka.dims=32,16,8 --set metrics_file=cut.jsonl
  holds cut.jsonl '"dev.8":' "the dev file at a dimension"
  holds cut/README.md "trained at 32, 16, 8 dimensions" "the card says where"
  expect 2 "a dimension above the model's" "$contrastive" train --method mnrl --model "$model" \
    --train pairs.tsv --output none --max-steps 3 --set matryoshka.dims=64
  holds err "config key 'matryoshka.dims' has 64, but the model's vectors have 32 dimensions" \
    "both numbers"
  expect 2 "vectors that cannot be cut" "$contrastive" train --method clear --model "$model" \
    --train student-texts.txt --output none --max-steps 3 --set matryoshka.dims=16
  holds err "method 'clear'" "the method"
  expect 0 "the keys of all this" "$contrastive" config distill
  holds out "matryoshka.dims_per_step" "are listed with those of a method"
}

making
teaching
cutting
finish
