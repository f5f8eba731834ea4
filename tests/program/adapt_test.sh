#!/usr/bin/env bash
# adapt_test.sh PROGRAM FIXTURES: `contrastive adapt` as people use it: a model that ships, one that
# does not, a kill, and mistakes.
tokenizer=$(realpath "$2")/models/bert_st
check=$(realpath "$(dirname "$0")")/check_page.py
source "$(dirname "$0")/checks.sh" "$1"

# A fresh model, and pairs of which the second text has three of the first one's four words.
"$contrastive" create --tokenizer "$tokenizer" --pooling mean --layers 1 --hidden-size 32 \
  --attention-heads 2 --max-length 32 --output fresh --quiet
awk 'BEGIN {
  srand(7)
  words = "the an and in on over of to is are was cat dog bird house mat sat two old new fly run"
  n = split(words " open cafe water tree green red blue small large man", w, " ")
  for (i = 0; i < 160; ++i) {
    for (j = 1; j <= 6; ++j) { k = j + int(rand() * (n - j + 1)); t = w[j]; w[j] = w[k]; w[k] = t }
    print w[1], w[2], w[3], w[4] "\t" w[3], w[1], w[4], w[5], w[6]
  }
}' >pairs.tsv
printf 'the old house\n\nthe large tree\nthe old house\n' >corpus.txt
head -n 1 pairs.tsv | cut -f 2 | sed 's/$/ !/' >>corpus.txt
adapt=("$contrastive" adapt --model fresh --pairs pairs.tsv --set lr=0.002 --set \
  mining.relative_margin=-1e9 --set near_duplicate=0.9)

ships() {
  expect 0 "a better model" "${adapt[@]}" --corpus corpus.txt --output better
  holds out "pairs to train on, 16 to choose by, 32 held out" "the parts are told"
  holds out "ndcg@10" "the figures"
  holds out "wrote better: ndcg@10 went from" "and what was written"
  holds err "1 documents of the corpus repeat others" "what was left out is counted"
  holds better.report/adapt.json '"corpus": 5,' "the rows of the corpus"
  holds better.report/adapt.json '"corpus_empty": 1,' "an empty one among them"
  holds better.report/adapt.json '"what": "empty documents of the corpus are left out"' \
    "and a warning"
  lacks err "empty documents" "which the log gave when the file was opened"
  holds err "1 documents of the corpus are nearly the same as an answer" \
    "an answer that is there twice"
  absent "better.adapting" "the folder of the work is removed"
  holds better.report/adapt.json '"shipped": true' "the report as JSON"
  holds better.report/adapt.html "The model is better, and was written" "and as a page"
  expect 0 "which loads nothing" python3 "$check" better.report/adapt.html
  expect 0 "the model is one" "$contrastive" eval --model better --task retrieval --data pairs.tsv
  expect 2 "an output that is there" "${adapt[@]}" --output better
  holds err "--force" "what to do"
  expect 0 "it may be replaced" "${adapt[@]}" --output better --force --json --report elsewhere
  holds out '{"shipped":true' "the report on standard output"
  holds elsewhere/adapt.html "Hard negatives" "the page where it was wanted"
}

refuses() {
  expect 10 "not better enough" "${adapt[@]}" --output worse --min-gain 0.99
  holds err "no model was written: ndcg@10 went from" "the reason"
  holds err "below min_gain" "and the bound"
  absent "worse" "no model"
  absent "worse.adapting" "and no folder of the work"
  holds worse.report/adapt.json '"shipped": false' "but a report"
  expect 10 "the same as JSON" "${adapt[@]}" --output worse --min-gain 0.99 --json
  holds out '"shipped":false' "the report"
  holds err '"code":"NOT_BETTER"' "and the error"
}

# After a kill during the training, the same command resumes, with the result of an uninterrupted
# run.
interruption() {
  local long=(--set epochs=400 --set patience=0 --set save_every=5 --set eval_every=1000)
  expect 0 "in one go" "${adapt[@]}" "${long[@]}" --output whole
  local seen
  for signal in KILL TERM; do
    seen=$(cat cut.adapting/course.jsonl 2>/dev/null | wc -l)
    "${adapt[@]}" "${long[@]}" --output cut --quiet &
    local run=$!
    for _ in $(seq 600); do
      [ -s cut.adapting/course.jsonl ] && [ "$(wc -l <cut.adapting/course.jsonl)" -gt \
        $((seen + 20)) ] && break
      sleep 0.02
    done
    kill -$signal $run
    wait $run
    [ $? -ne 0 ] && pass || complain "the run was to be stopped by SIG$signal"
    absent "cut" "a stopped run writes no model"
  done
  expect 3 "another rate than it began with" "${adapt[@]}" "${long[@]}" --output cut --set lr=0.1
  holds err "was begun with another lr" "is named"
  expect 0 "it goes on" "${adapt[@]}" "${long[@]}" --output cut -v
  holds err "step split was done before" "with what was done"
  holds err "the training resumes after update" "and where the training stood"
  equal whole/model.safetensors cut/model.safetensors "the weights"
}

mistakes() {
  head -n 30 pairs.tsv >few.tsv
  : >empty.txt
  cut -f 1 pairs.tsv >one.txt
  expect 2 "too few pairs" "$contrastive" adapt --model fresh --pairs few.tsv --output m
  holds err "at least 100 are needed" "how many are needed"
  expect 2 "pairs with one column" "$contrastive" adapt --model fresh --pairs one.txt --output m
  holds err "one.txt:1: a text without a second one" "with file and line"
  expect 3 "an empty corpus" "$contrastive" adapt --model fresh --pairs pairs.tsv --corpus \
    empty.txt --output m
  expect 2 "a corpus of pairs" "$contrastive" adapt --model fresh --pairs pairs.tsv --corpus \
    pairs.tsv --output m
  holds err "--corpus-column" "what to do about it"
  expect 2 "a reranker, before the pairs are opened" "$contrastive" adapt --model fresh --pairs \
    none.tsv --output m --method reranker
  holds err "contrastive train --method reranker" "what trains one"
  expect 2 "a dev file of the pairs themselves" "${adapt[@]}" --output m --dev pairs.tsv
  holds err "Give a dev file of other pairs" "what to do about it"
  expect 2 "no negative left" "${adapt[@]}" --output m --set mining.absolute_margin=3
  holds err "went by absolute_margin" "the filter is named"
  rm -rf m.adapting m.report
  expect 2 "the output is the model" "${adapt[@]}" --output fresh --force
  expect 2 "an unknown key" "${adapt[@]}" --output m --set min_gian=1
  holds err "min_gain" "the nearest key is named"
  expect 2 "a key that adapt decides" "${adapt[@]}" --output m --set checkpoints=x
  expect 2 "a report in the output" "${adapt[@]}" --output m --report m/report
  holds err "'report': m/report is in m" "both places"
  expect 2 "an unknown metric" "${adapt[@]}" --output m --metric map
  expect 4 "no such pairs" "$contrastive" adapt --model fresh --pairs none.tsv --output m
  expect 4 "no such dev file" "${adapt[@]}" --output m --dev none.tsv
  mkdir -p full && touch full/notes
  expect 2 "an output that is no model" "${adapt[@]}" --output full --force
  absent "m" "nothing is written"
  absent "m.*" "and nothing left behind"
  expect 0 "keys" "$contrastive" config adapt
  lacks out "reranker.loss" "a method that gives no vectors is not offered"
  holds out "min_gain" "adapt is a topic"
}

ships
refuses
interruption
mistakes
finish
