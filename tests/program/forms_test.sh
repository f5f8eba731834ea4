#!/usr/bin/env bash
# forms_test.sh PROGRAM FIXTURES: the formats of the files that the program reads, and texts after
# options. The rules are the same for all verbs.
model=$(realpath "$2")/models/bert_st
source "$(dirname "$0")/checks.sh" "$1"

small_files
printf 'A dog\nA dog\n' >dogs.txt
"$contrastive" encode --model "$model" --input dogs.txt --output dogs.f32 --quiet ||
  complain "dogs.txt could not be embedded"

# Each names what it was told twice, and an option with one value leaves the texts behind it alone.
words() {
  expect 0 "a text behind --set" "$contrastive" search --model "$model" --corpus texts.txt \
    --set invalid_utf8=replace "A dog"
  expect 0 "a text behind --column" "$contrastive" search --model "$model" --corpus sts.tsv \
    --column 1 "A dog"
  expect 0 "texts behind --set" "$contrastive" similarity --model "$model" \
    --set invalid_utf8=replace --set pooling=mean a b
  expect 2 "queries given twice" "$contrastive" search --model "$model" --corpus texts.txt \
    --queries texts.txt "A dog"
  holds err "queries are given twice" "both ways are named"
  expect 2 "pairs given twice" "$contrastive" similarity --model "$model" --input sts.tsv a b
  holds err "pairs are given twice" "both ways are named"
}

# One rule for the form of a file, whatever reads it.
forms() {
  printf 'text,label\n"A dog, barks",1\n' >s.csv
  for command in "encode --output none.npy --input" "tokenize --input" "similarity --input" \
    "mine --output none.jsonl --pairs pairs.tsv --corpus" "search word --corpus" \
    "train --method simcse --output none --train"; do
    # shellcheck disable=SC2086
    expect 2 "a CSV file: ${command%% *}" "$contrastive" $command s.csv --model "$model"
    holds err "s.csv: a .csv file is not read" "${command%% *} refuses it"
  done
  printf '{"text": "A dog"}\n\n{"text": "A dog"}\n' >blank.ndjson
  cp blank.ndjson blank
  for file in blank.ndjson blank; do
    expect 0 "a blank line in $file" "$contrastive" encode --model "$model" --input $file \
      --output - --output-format f32 --quiet
    equal out dogs.f32 "it is no row, and the form is known"
  done
  expect 0 "JSON lines from a pipe" sh -c "'$contrastive' tokenize --model '$model' <blank"
  [ "$(wc -l <out)" -eq 2 ] && pass || complain "two lines of ids were expected: $(cat out)"
  printf 'text\tlabel\nA dog\t1\n' >titles.tsv
  expect 0 "a header that is read as a row" "$contrastive" tokenize --model "$model" \
    --input titles.tsv
  holds err "'titles.tsv': the first line looks like a header and is read as a row; --column with" \
    "it is told, and what skips it"
  expect 0 "a header that is named" "$contrastive" tokenize --model "$model" --input titles.tsv \
    --column text
  lacks err "header" "nothing to tell"
  expect 0 "a header in training" "$contrastive" train --method simcse --model "$model" \
    --train titles.tsv --output titled --max-steps 1 --batch-size 2 --set data.columns=0
  holds err "titles.tsv:1: the first line looks like a header and is read as an example;" \
    "file and line"
  holds err "; data.header = true skips it" "the key"
  head -c 3000000 /dev/zero | tr '\0' '\n' | gzip -c >hollow.jsonl.gz
  (printf 'one\n'; head -c 3000000 /dev/zero | tr '\0' '\n') | gzip -c >hollow.txt.gz
  expect 0 "three million empty lines" timeout 20 "$contrastive" encode --model "$model" \
    --input hollow.jsonl.gz --output hollow.npy
  expect 0 "three million empty lines to train on" timeout 20 "$contrastive" train --method simcse \
    --model "$model" --train hollow.txt.gz --output hollowed --max-steps 1
}

# What was downloaded without Git LFS, or not at all.
pointers() {
  cp -r "$model" pointed && chmod -R u+w pointed
  for file in model.safetensors tokenizer.json config.json; do
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0000\nsize 12345\n' \
      >pointed/$file
    expect 3 "$file is a pointer of Git LFS" "$contrastive" encode --model pointed \
      --input texts.txt --output none.npy
    holds err "pointed/$file: a pointer of Git LFS, not the file itself; " "which file"
    holds err "; \`git -C pointed lfs pull\` fetches it" "what fetches it"
    cp "$model/$file" pointed/$file
  done
  printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0000\nsize 12345\n' >pointer.txt
  expect 3 "texts that are a pointer of Git LFS" "$contrastive" tokenize --model "$model" \
    --input pointer.txt
  expect 4 "a model's name" "$contrastive" inspect --model all-MiniLM-L6-v2
  holds err "\`hf download sentence-transformers/all-MiniLM-L6-v2 --local-dir all-MiniLM-L6-v2\`" \
    "how to get it"
  expect 4 "no path to a model" "$contrastive" inspect --model ./no/such/model
  holds err "\`hf download ORGANISATION/NAME --local-dir FOLDER\`" "how to get one"
}

words
forms
pointers
finish
