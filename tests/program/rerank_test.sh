#!/usr/bin/env bash
# rerank_test.sh PROGRAM FIXTURES: `contrastive rerank` as people and scripts use it.
fixtures=$(realpath "$2")
source "$(dirname "$0")/checks.sh" "$1"
reranker=$fixtures/rerankers/old
labels=$fixtures/rerankers/bert_labels

printf 'a hare ran!\ntrees\nthe sea\n\n' >texts.txt
for i in 1 2 3 4 5 6 7 8; do printf 'the cat sat %d\ta cat sits %d\n' $i $i; done >pairs.tsv

expect 0 "rerank" "$contrastive" rerank --model "$reranker" \
  --query "no one" "a stone" "trees" "the sea" --top-k 2
[ "$(grep -c '^[12]\. ' out)" -eq 2 ] && pass || complain "rerank printed: $(cat out)"
expect 0 "rerank a file" "$contrastive" rerank --model "$reranker" --query "no one" \
  --input texts.txt --json
holds out '{"rank":1,"id":' "the best comes first"
expect 0 "scores of pairs" "$contrastive" rerank --model "$reranker" --input pairs.tsv
[ "$(wc -l <out)" -eq 8 ] && pass || complain "rerank scored $(wc -l <out) pairs of 8"
expect 0 "pairs of several labels" "$contrastive" rerank --model "$labels" --input pairs.tsv \
  --activation softmax --json
holds out '"score":{"contradiction":' "a score for each label"
expect 2 "an order by several labels" "$contrastive" rerank --model "$labels" \
  --query "no one" "a stone"
expect 0 "an empty query is one" "$contrastive" rerank --model "$reranker" --query "" \
  --input texts.txt --json
holds out '"score":' "it is scored"
expect 2 "documents given twice" "$contrastive" rerank --model "$reranker" --query "no one" \
  --input texts.txt "a stone"
holds err "documents are given twice" "both ways are named"
expect 2 "documents without a query" "$contrastive" rerank --model "$reranker" "a stone"
expect 2 "an unknown activation" "$contrastive" rerank --model "$reranker" \
  --query "no one" "a stone" --activation sigmiod
holds err "sigmoid" "the nearest activation"
expect 2 "softmax over one label" "$contrastive" rerank --model "$reranker" \
  --query "no one" "a stone" "trees" --activation softmax
holds err "has one label: use sigmoid" "what to use instead"
for length in 1 3 4; do
  expect 2 "no room for text in $length tokens" "$contrastive" rerank --model "$reranker" \
    --query "no one" "a stone" "trees" --max-length $length
  holds err "max_length is $length, which leaves no room for a token of each text: the" \
    "$length tokens are refused"
  holds err ": the special tokens of a pair alone are 3" "the least that is needed"
done
expect 0 "a token of each text" "$contrastive" rerank --model "$reranker" \
  --query "no one" "a stone" "trees" --max-length 5
: >empty.tsv
expect 3 "no documents" "$contrastive" rerank --model "$reranker" --query "no one" --input empty.tsv
holds err "empty.tsv: the input has no documents" "the file is named"
expect 3 "no pairs" "$contrastive" rerank --model "$reranker" --input empty.tsv
holds err "empty.tsv: the input has no pairs" "the file is named"
expect 3 "nothing from standard input" "$contrastive" rerank --model "$reranker" --query "no one" \
  --input - </dev/null
expect 0 "an empty line is a text, as for search" "$contrastive" rerank --model "$reranker" \
  --query "no one" --input - --json < <(printf 'a\n\nb\n')
[ "$(wc -l <out)" -eq 3 ] && pass || complain "rerank ordered $(wc -l <out) texts of 3"
expect 3 "a sentence encoder is no reranker" "$contrastive" rerank \
  --model "$fixtures/models/bert_st" --query "no one" "a stone"

# One model handle: what other verbs do with a reranker.
expect 0 "inspect a reranker" "$contrastive" inspect --model "$reranker"
holds out "kind: reranker" "the kind is told"
expect 0 "inspect a sentence encoder" "$contrastive" inspect --model "$fixtures/models/bert_st"
holds out "kind: encoder" "the kind is told"
expect 0 "tokenize with a reranker" "$contrastive" tokenize --model "$reranker" "a stone"
expect 0 "doctor of a reranker" "$contrastive" doctor --model "$labels"
holds out "scores pairs of texts for 3 label(s)" "what it does is told"
expect 2 "a reranker embeds no texts" "$contrastive" encode --model "$reranker" --input texts.txt \
  --output never.npy
holds err "use contrastive rerank, or --pooling" "what to do is told"
expect 0 "its encoder does" "$contrastive" encode --model "$reranker" --pooling mean \
  --input texts.txt --output texts.npy
expect 2 "a reranker has no pooling" "$contrastive" rerank --model "$reranker" --set pooling=mean \
  --query "no one" "a stone"
holds err "kind = encoder" "what to do is told"
printf 'q\tright\twrong\nr\twrong\tright\n' >lists.tsv
for model in "$reranker" "$fixtures/models/bert_st"; do
  expect 0 "evaluate the order of candidates" "$contrastive" eval --model "$model" \
    --task reranking --data lists.tsv --json --min mrr@1=0
  holds out '"queries":2' "both queries are measured"
done
printf '5\ta cat\tthe cat\n1\ta cat\tred fish\n0\ttwo birds\ta stone\n' >sts.tsv
expect 0 "sts by the scores of a reranker" "$contrastive" eval --model "$reranker" --task sts \
  --data sts.tsv --json
holds out '"spearman"' "a correlation"
expect 2 "a task of embeddings" "$contrastive" eval --model "$reranker" --task geometry \
  --data sts.tsv
holds err "the tasks for rerankers are sts, reranking" "the others are told"
expect 2 "several labels give no order" "$contrastive" eval --model "$labels" --task reranking \
  --data lists.tsv
holds err "3 labels" "the labels are told"

# Training, from a reranker and from a sentence encoder.
for i in 1 2 3 4 5 6 7 8; do
  printf '{"anchor":"the cat sat %d","positive":"a cat sits %d","negative":"red fish %d"}\n' $i $i \
    $i
done >triplets.jsonl
train=("$contrastive" train --method reranker --train triplets.jsonl --batch-size 4 --lr 0.01
  --quiet)
expect 0 "train a reranker" "${train[@]}" --model "$reranker" --max-steps 6 --dev triplets.jsonl \
  --eval-every 2 --output tuned --set reranker.loss=listwise
holds tuned/config.json "BertForSequenceClassification" "the folder of a reranker"
holds tuned/README.md "ndcg@10" "the figure of the dev file stands in the card"
expect 0 "rerank with it" "$contrastive" rerank --model tuned \
  --query "the cat sat 1" "a cat sits 1" "red fish 1" --json
holds out '"rank":1,"id":0' "what it has learnt"
expect 0 "a sentence encoder becomes one" "${train[@]}" --model "$fixtures/models/bert_st" \
  --max-steps 2 --output fresh
expect 0 "rerank with that" "$contrastive" rerank --model fresh \
  --query "the cat sat 1" "a cat sits 1"
expect 0 "half of a run" "${train[@]}" --model "$reranker" --max-steps 2 --output half
expect 0 "the whole of it" "${train[@]}" --model "$reranker" --max-steps 4 --output whole
expect 0 "its other half" "$contrastive" train --model "$reranker" --train triplets.jsonl \
  --resume half --max-steps 4 --output half --quiet
[ -d half/training_state ] && pass || complain "half has no training_state"
expect 2 "a reranker is no start for a sentence encoder" "$contrastive" train --method simcse \
  --train triplets.jsonl --model "$fixtures/rerankers/saved" --output never
holds err "trains sentence encoders" "what the method trains is told"
expect 2 "tasks measure no rerankers" "${train[@]}" --model "$reranker" --output never \
  --set evaluate.sts.data=pairs.tsv
holds err "measure it with 'dev'" "what measures them is told"
expect 2 "a loss of one label for a reranker of three" "${train[@]}" --model "$labels" \
  --output never
holds err "'reranker.loss' is binary, which trains a reranker of one label: take classes" \
  "what fits is told"
expect 2 "a reranker is no guide" "$contrastive" train --method mnrl --train triplets.jsonl \
  --model "$fixtures/models/bert_st" --output never --set mnrl.guide="$reranker"
holds err "'mnrl.guide': $reranker is a reranker" "the key and the folder are told"
printf 'the cat\ta cat\t3\n' >labels.tsv
expect 2 "labels above 1" "$contrastive" train --method reranker --train labels.tsv \
  --model "$reranker" --output never --batch-size 1
holds err "labels.tsv:1: the label is 3" "file and line are told"
finish
