#!/usr/bin/env bash
# rerank_test.sh PROGRAM FIXTURES: `contrastive rerank` as people and scripts use it.
fixtures=$(realpath "$2")
source "$(dirname "$0")/checks.sh" "$1"
reranker=$fixtures/rerankers/old
labels=$fixtures/rerankers/bert_labels

printf 'a hare ran!\ntrees\nthe sea\n\n' >texts.txt
for i in 1 2 3 4 5 6 7 8; do printf 'the cat sat %d\ta cat sits %d\n' $i $i; done >pairs.tsv

expect 0 "rerank" "$contrastive" rerank --model "$reranker" --query "no one" "a stone" "trees" "the sea" --top-k 2
[ "$(grep -c '^[12]\. ' out)" -eq 2 ] && pass || complain "rerank printed: $(cat out)"
expect 0 "rerank a file" "$contrastive" rerank --model "$reranker" --query "no one" --input texts.txt --json
holds out '{"rank":1,"id":' "the best comes first"
expect 0 "scores of pairs" "$contrastive" rerank --model "$reranker" --input pairs.tsv
[ "$(wc -l <out)" -eq 8 ] && pass || complain "rerank scored $(wc -l <out) pairs of 8"
expect 0 "pairs of several labels" "$contrastive" rerank --model "$labels" --input pairs.tsv --activation softmax --json
holds out '"score":{"contradiction":' "a score for each label"
expect 2 "an order by several labels" "$contrastive" rerank --model "$labels" --query "no one" "a stone"
expect 2 "documents without a query" "$contrastive" rerank --model "$reranker" "a stone"
expect 2 "an unknown activation" "$contrastive" rerank --model "$reranker" --query "no one" "a stone" --activation sigmiod
holds err "sigmoid" "the nearest activation"
expect 3 "a sentence encoder is no reranker" "$contrastive" rerank --model "$fixtures/models/bert_st" --query "no one" "a stone"
finish
