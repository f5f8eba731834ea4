#!/usr/bin/env bash
# mine_test.sh PROGRAM FIXTURES: `contrastive mine` as people use it: forms of the output, exit
# codes, a kill, and training on what it wrote.
model=$(realpath "$2")/models/bert_st
reranker=$(realpath "$2")/rerankers/bert
source "$(dirname "$0")/checks.sh" "$1"

for i in 1 2 3 4 5 6 7 8; do printf 'the cat sat %d\ta cat sits %d\n' $i $i; done >pairs.tsv
printf 'two birds\nA CAT  sits 3\nthe old house\n\nred fish\ntwo birds\n' >corpus.txt
mine=("$contrastive" mine --model "$model" --pairs pairs.tsv)

forms() {
  expect 0 "triplets" "${mine[@]}" --corpus corpus.txt --output t.jsonl --relative-margin none \
    --num-negatives 2
  holds out "wrote 16 rows to t.jsonl: negatives for 8 of 8 anchors, out of 12 texts" \
    "what was written is told"
  holds out "q75" "figures of the scores"
  holds out "  - 0." "a sample"
  holds err "1 lines with an empty text" "empty texts are counted"
  holds err "1 documents of the corpus repeat others" "and repeated ones"
  holds err "1 candidates are a positive" "and those that are a positive but for their case"
  holds t.jsonl '"negative":' "a line is a triplet"
  lacks t.jsonl "A CAT  sits 3\",\"negative\"" "a positive stays as it is"
  [ "$(wc -l <t.jsonl)" -eq 16 ] && pass || complain "16 lines were expected"
  absent "t.jsonl.vectors" "the folder of vectors is removed"
  expect 0 "tuples as columns" "${mine[@]}" --output n.tsv --output-format n-tuple \
    --num-negatives 2 --relative-margin none --json
  holds n.tsv "anchor	positive	negative_1	negative_2" "the columns have names"
  holds out '{"rows":8,"missing_rows":0,"pairs":8' "the report as JSON"
  expect 0 "labelled pairs" "${mine[@]}" --output p.jsonl --output-format labeled-pair \
    --output-scores --relative-margin none
  holds p.jsonl '"sentence2":"a cat sits 1","score":0.' "scores in the place of labels"
  expect 0 "one line of lists" "${mine[@]}" --output l.jsonl --output-format labeled-list \
    --relative-margin none --quiet
  holds l.jsonl '"labels":[1,0,0,0]' "labels of a list"
  [ -s out ] && complain "--quiet prints" || pass
  expect 0 "the same seed" "${mine[@]}" --output r1.jsonl --sampling random --seed 3 \
    --relative-margin none
  expect 0 "the same seed" "${mine[@]}" --output r2.jsonl --sampling random --seed 3 \
    --relative-margin none
  equal r1.jsonl r2.jsonl "a sample is a function of the seed"
  expect 0 "a guide" "${mine[@]}" --output g.jsonl --guide "$model" --relative-margin none
  expect 0 "its own opinion" "${mine[@]}" --output h.jsonl --relative-margin none
  equal g.jsonl h.jsonl "a model that guides itself changes nothing"
  expect 0 "a reranker as the guide" "${mine[@]}" --output q.jsonl --guide "$reranker" \
    --relative-margin none --output-scores
  cmp -s q.jsonl h.jsonl && complain "a reranker has no opinion of its own" || pass
  expect 2 "a guide with several labels" "${mine[@]}" --output never.jsonl \
    --guide "$reranker"_labels --relative-margin none
  holds err "3 labels" "the guide's labels are told"
  printf 'text\tid\ntwo birds\t1\nred fish\t2\n' >table.tsv
  expect 0 "a column of the corpus" "${mine[@]}" --corpus table.tsv --corpus-column text \
    --output c.jsonl --relative-margin none --json
  holds out '"documents":10,' "the texts of the column"
  expect 0 "a corpus of pairs by its column" "${mine[@]}" --corpus pairs.tsv --corpus-column 1 \
    --output v.jsonl --relative-margin none --json
  holds out '"documents":8,' "its texts are the positives"
  { cat pairs.tsv; printf 'no answer\t\n\n'; } >gaps.tsv
  expect 0 "rows without a text" "$contrastive" mine --model "$model" --pairs gaps.tsv \
    --corpus corpus.txt --output e.jsonl --relative-margin none --json
  holds out '"input":{"empty_pairs":2,"empty_documents":1,' \
    "what the files left out is in the report"
  holds err "2 lines with an empty text" "and in the log"
  lacks err "pairs are left out" "which tells of it once"
  expect 0 "a cache" "${mine[@]}" --output k.jsonl --cache kept --relative-margin none --json
  expect 0 "the cache again" "${mine[@]}" --output k.jsonl --force --cache kept --num-negatives 1 \
    --json
  holds out '"embedded":0,' "nothing is embedded twice"
}

mistakes() {
  expect 2 "an output that is there" "${mine[@]}" --output t.jsonl
  holds err "--force" "what to do"
  expect 2 "an output that is an input" "${mine[@]}" --output pairs.tsv --force
  expect 2 "another ending" "${mine[@]}" --output m.csv
  expect 2 "no negative left" "${mine[@]}" --output m.jsonl --absolute-margin 3
  holds err "went by absolute_margin" "the filter is named"
  expect 2 "a number that is none" "${mine[@]}" --output m.jsonl --max-score much
  expect 2 "unknown key" "${mine[@]}" --output m.jsonl --set range_mix=3
  holds err "range_min" "the nearest key is named"
  expect 2 "texts in the place of pairs" "$contrastive" mine --model "$model" --pairs corpus.txt \
    --output m.jsonl
  expect 2 "a corpus of pairs" "${mine[@]}" --corpus pairs.tsv --output m.jsonl
  holds err "--corpus-column" "what to do about it"
  expect 4 "no such corpus" "${mine[@]}" --corpus nothing.txt --output m.jsonl
  absent "m.jsonl" "nothing is written"
  expect 0 "keys" "$contrastive" config mining
  holds out "relative_margin" "mining is a topic"
}

# A run that is stopped while it embeds resumes with its vectors, and writes the same file as an
# uninterrupted run.
interruption() {
  seq -f 'the old house and the cat number %.0f' 60000 >large.txt
  "${mine[@]}" --corpus large.txt --output stopped.jsonl --relative-margin none --threads 1 \
    --quiet &
  local run=$!
  for _ in $(seq 3000); do
    [ "$(cat stopped.jsonl.vectors/*/index 2>/dev/null | wc -c)" -gt 0 ] && break
    sleep 0.01
  done
  kill -TERM $run
  wait $run
  local code=$?
  [ $code -ne 0 ] && pass || complain "the run was to be stopped"
  absent "stopped.jsonl" "a stopped run writes nothing"
  local kept
  kept=$(($(cat stopped.jsonl.vectors/*/index | wc -c) / 32))
  expect 0 "it goes on" "${mine[@]}" --corpus large.txt --output stopped.jsonl \
    --relative-margin none --json
  holds out "\"embedded\":$((60016 - kept))," "with the $kept vectors that it had"
  expect 0 "in one go" "${mine[@]}" --corpus large.txt --output whole.jsonl --relative-margin none
  equal stopped.jsonl whole.jsonl "the result"
}

training() {
  expect 0 "training on triplets" "$contrastive" train --method mnrl --model "$model" \
    --train t.jsonl --output trained --max-steps 2 --batch-size 4
  expect 0 "training on tuples" "$contrastive" train --method mnrl --model "$model" --train n.tsv \
    --set data.header=true --output tuples --max-steps 2 --batch-size 4
}

forms
mistakes
interruption
training
finish
