#!/usr/bin/env bash
# shards_test.sh PROGRAM FIXTURES: bulk encoding in shards (capi/program/shards): what is written,
# restarts after kill -9, two writers, a corpus that changes, and
# that --verify finds each planted damage.
models=$(realpath "$2")/models
model=$models/bert_st
source "$(dirname "$0")/checks.sh" "$1"

for i in $(seq 0 22); do printf 'the cat sat on mat %d\n' "$i"; done >texts.txt
awk 'BEGIN {
  for (i = 0; i < 180000; ++i)
    printf "the cat sat on the mat and a dog went by the old house, number %d\n", i
}' >large.txt
shard() { "$contrastive" encode --model "$model" --quiet "$@"; }
verify() { "$contrastive" encode --verify "$@"; }
# all_shards FOLDER N OPTIONS...: of texts.txt
all_shards() {
  local folder=$1 n=$2 i
  shift 2
  for i in $(seq 0 $((n - 1))); do
    shard --input texts.txt --output "$folder" --shard "$i/$n" "$@" || return 1
  done
}
# sign FOLDER/FILE: its receipt vouches for what it holds now, so that
# only its contents can give it away
sign() {
  local name receipt old
  name=$(basename "$1")
  receipt=$(dirname "$1")/_${name%%.*}.json
  old=$(grep -A2 "\"$name\"" "$receipt" | sed -n 's/.*"sha256": "\(.*\)".*/\1/p')
  sed -i "s/$old/$(sha256sum <"$1" | cut -d' ' -f1)/" "$receipt"
}
# wait_for PATTERN PROCESS: until a file of that name is there; fails where the process ends before
wait_for() {
  until ls -A $1 >/dev/null 2>&1; do
    kill -0 "$2" 2>/dev/null || return 1
    sleep 0.01
  done
}

shapes() {
  shard --input texts.txt --output whole.jsonl --batch-tokens 1 2>err ||
    complain "encoding without shards: $(cat err)"
  expect 0 "three shards as npy" all_shards npy 3
  expect 0 "three shards as jsonl" all_shards jsonl 3 --output-format jsonl --batch-tokens 1
  expect 0 "the npy shards are whole" verify npy
  holds err "3 shards, 23 rows: all are complete" "the sentence"
  expect 0 "the jsonl shards are whole" verify jsonl --json
  holds out '"shards":3,"of":3,"rows":23' "the report as JSON"
  # row r is row r / 3 of shard r modulo 3, and holds what encoding without shards gives
  cat jsonl/part-0000?-of-00003.jsonl | sed 's/"text_hash":"[0-9a-f]*",//' | sort >rows_of_shards
  sed 's/,"n_tokens":\([0-9]*\),"truncated":\([a-z]*\),\(.*\)}/,\3,"n_tokens":\1,"truncated":\2}/' \
    whole.jsonl | sort >rows_of_whole
  equal rows_of_shards rows_of_whole "all rows are there, with the embeddings of one file"
  holds jsonl/part-00001-of-00003.jsonl '{"id":1,"text_hash":"'"$(printf 'the cat sat on mat 1' |
    sha256sum | head -c 32)"'","embedding":[' "the second row"
  holds npy/part-00001-of-00003.npy "'shape': (8, 32)" "the shape of a shard"
  holds npy/part-00002-of-00003.columns.jsonl '{"id":5,"text_hash":"' "the columns beside"
  lacks npy/part-00002-of-00003.columns.jsonl embedding "the columns beside"
  holds npy/_part-00000-of-00003.json \
    '"input_hash": "'"$(sha256sum <texts.txt | cut -d' ' -f1)"'"' "the corpus' hash"
  holds npy/_part-00000-of-00003.json '"input_rows": "23"' "the corpus' rows"
  for key in contract library_version model_fingerprint precision pooling normalized dimension \
    prompt max_length shard shards; do
    holds npy/_part-00000-of-00003.json "\"$key\": \"" "a key of the contract"
  done
  "$contrastive" inspect --model "$model" --json >info 2>/dev/null
  holds info "$(grep -o '"model_fingerprint": "[0-9a-f]*"' npy/_part-00000-of-00003.json |
    tr -d ' ' | sed s/model_//)" "the model's fingerprint"
  expect 0 "more shards than rows" all_shards sparse 25
  holds sparse/part-00024-of-00025.npy "'shape': (0, 32)" "a shard without rows"
  expect 0 "shards without rows are whole" verify sparse
  printf '{"key": 7, "text": "A dog"}\n{"key": "b", "text": "two birds"}\n' >keyed.jsonl
  expect 0 "ids of a column" shard --input keyed.jsonl --id-column key --output keyed --shard 0/1
  printf '"7"\n"b"\n' >ids
  grep -o '^{"id":[^,]*' keyed/part-00000-of-00001.columns.jsonl | cut -d: -f2 >found
  equal ids found "numbers and strings are ids"
  expect 0 "they are compared" verify keyed --input keyed.jsonl --id-column key
  printf 'a\xff\tA dog\n' >malformed.tsv
  expect 3 "an id that is not UTF-8" shard --input malformed.tsv --column 1 --id-column 0 \
    --output malformed --shard 0/1
  holds err "the id of row 0" "which one"
  expect 0 "a text that is not" shard --input malformed.tsv --column 0 --output malformed \
    --shard 0/1
  holds malformed/part-00000-of-00001.columns.jsonl "$(printf 'a\xff' | sha256sum | head -c 32)" \
    "the hash is that of its bytes"
  expect 0 "two devices" shard --input texts.txt --output devices --shard 0/1 --set devices=cpu,cpu
  expect 0 "one device" shard --input texts.txt --output device --shard 0/1
  equal devices/part-00000-of-00001.npy device/part-00000-of-00001.npy \
    "several devices give what one gives"
}

refusals() {
  for wrong in 3/3 4/3 0/0 -1/3 1 1/ /3 1/3/4 a/b 0/9999999; do
    expect 2 "--shard $wrong" shard --input texts.txt --output none --shard "$wrong"
  done
  holds err "--shard" "the option is named"
  absent none "nothing is made for wrong arguments"
  expect 2 "standard input" sh -c \
    "'$contrastive' encode --model '$model' --input - --output none --shard 0/1 <texts.txt"
  holds err "cannot be read twice" "why"
  mkfifo pipe
  expect 2 "a pipe" timeout 20 "$contrastive" encode --model "$model" --input pipe --output none \
    --shard 0/1
  holds err "'pipe' cannot be read twice" "why"
  expect 2 "raw floats" shard --input texts.txt --output none --shard 0/1 --output-format f32
  expect 2 "parquet without shards" shard --input texts.txt --output none.parquet
  holds err "--shard 0/1" "what to do"
  expect 2 "a sample alone" verify npy --sample 3
  expect 2 "a sample of nothing" verify npy --sample 0 --model "$model" --input texts.txt
  mkdir own && cp texts.txt own/part-00000-of-00001.jsonl && mkdir own/part-00000-of-00001.notes
  expect 2 "a corpus that is called like a file of its own shard" shard \
    --input own/part-00000-of-00001.jsonl --format txt --output own --shard 0/1
  holds err "is the input" "why"
  equal own/part-00000-of-00001.jsonl texts.txt "the corpus is there"
  mv own/part-00000-of-00001.jsonl own/part-00000-of-00001.txt
  expect 0 "one that only begins like them" shard --input own/part-00000-of-00001.txt --output own \
    --shard 0/1
  equal own/part-00000-of-00001.txt texts.txt "what no shard is called stays"
  [ -d own/part-00000-of-00001.notes ] && pass || complain "a folder beside the shards was removed"
  mkdir bare && cp "$contrastive" bare/
  LD_LIBRARY_PATH=$(dirname "$contrastive") expect 9 "a program without the module" \
    bare/contrastive encode --model "$model" --input texts.txt --output none --shard 0/1 \
    --output-format parquet
  holds err "this build has no Parquet: contrastive-arrow.so is not installed" "why"
}

restarts() {
  cp npy/part-00001-of-00003.npy before.npy
  expect 0 "a finished shard" "$contrastive" encode --model "$model" --input texts.txt \
    --output npy --shard 1/3
  holds err "shard 1/3 is already complete: it is left alone" "the sentence"
  printf 'x' >>npy/part-00001-of-00003.npy
  expect 0 "a damaged shard" "$contrastive" encode --model "$model" --input texts.txt --output npy \
    --shard 1/3
  holds err "shard 1/3 is written again: part-00001-of-00003.npy: the file has" \
    "why it is written again"
  equal npy/part-00001-of-00003.npy before.npy "it is what it was"
  brackets metadata >npy/_part-00001-of-00003.json
  expect 8 "a receipt of 400,000 brackets" verify npy
  expect 0 "it is no receipt" shard --input texts.txt --output npy --shard 1/3
  rm npy/_part-00001-of-00003.json
  expect 8 "a shard without its receipt" verify npy
  holds out "part-00001-of-00003.npy: no receipt names this file" "data without a receipt"
  expect 0 "it is written again" shard --input texts.txt --output npy --shard 1/3
  expect 0 "all is well" verify npy

  "$contrastive" encode --model "$model" --quiet --input large.txt --output killed \
    --shard 0/2 2>/dev/null &
  local writer=$!
  wait_for 'killed/.part-00000-of-00002.npy.tmp-*' $writer ||
    complain "the writer ended before it could be killed"
  expect 1 "a second writer of the shard" shard --input large.txt --output killed --shard 0/2
  holds err "another process writes shard 0/2" "who is in the way"
  kill -9 $writer
  wait $writer 2>/dev/null
  absent 'killed/part-*' "nothing has its name before it is whole"
  expect 8 "a half-written shard" verify killed
  expect 0 "after kill -9" shard --input large.txt --output killed --shard 0/2
  absent 'killed/.part-*' "what the dead left is removed"
  expect 8 "one of two" verify killed
  holds out "part-00001-of-00002: the shard is missing" "which one"
}

changes() {
  cp texts.txt changing.txt
  expect 0 "the first shard" shard --input changing.txt --output changed --shard 0/2
  printf 'one more\n' >>changing.txt
  expect 3 "the corpus is another one by then" shard --input changing.txt --output changed \
    --shard 1/2
  holds err "another job: input_hash" "what differs"
  expect 3 "for a shard that is there as well" shard --input changing.txt --output changed \
    --shard 0/2
  expect 3 "another model" "$contrastive" encode --model "$models/roberta_hf" --pooling mean \
    --input texts.txt --output changed --shard 1/2
  holds err "model_fingerprint" "what differs"
  printf 'a\tb\none\ttwo\nthree\tfour\n' >columns.tsv
  expect 0 "a shard of a column" shard --input columns.tsv --column a --output columns --shard 0/2
  expect 3 "the next one of another column" shard --input columns.tsv --column b --output columns \
    --shard 1/2
  holds err "column: found 'a', 'b' is needed" "what differs"
  expect 3 "the same one of another column" shard --input columns.tsv --column b --output columns \
    --shard 0/2
  expect 3 "the next one with ids" shard --input columns.tsv --column a --id-column b \
    --output columns --shard 1/2
  holds err "id_column" "what differs"
  expect 3 "another option" shard --input texts.txt --output changed --shard 1/2 --truncate-dim 8
  holds err "dimension: found '32', '8' is needed" "what differs"
  expect 3 "another number of shards" shard --input texts.txt --output changed --shard 1/3
  expect 3 "another form" shard --input texts.txt --output changed --shard 1/2 --output-format jsonl
  expect 0 "what belongs there" shard --input texts.txt --output changed --shard 1/2
  expect 0 "the folder is whole" verify changed

  "$contrastive" encode --model "$model" --quiet --input large.txt --output moving \
    --shard 0/2 2>moving.err &
  local writer=$! code=0
  wait_for 'moving/.part-00000-of-00002.npy.tmp-*' $writer ||
    complain "the writer ended before the corpus changed"
  printf 'X' | dd of=large.txt bs=1 seek=$(($(stat -c %s large.txt) - 10)) conv=notrunc 2>/dev/null
  wait $writer || code=$?
  if [ $code -eq 3 ]; then
    pass
  else
    complain "a corpus that changed while it was read: exit code $code"
  fi
  holds moving.err "the corpus changed while it was read" "a corpus that changed meanwhile"
  absent 'moving/*part-*' "nothing is written of it"
}

# planted NAME SENTENCE OPTIONS...: --verify of `planted` fails with the sentence; then the folder
# is as it was
planted() {
  local name=$1 sentence=$2
  shift 2
  expect 8 "$name" verify planted "$@"
  holds out "$sentence" "$name"
  rm -rf planted && cp -r npy planted
}

damages() {
  rm -rf planted && cp -r npy planted
  local vectors=planted/part-00001-of-00003.npy columns=planted/part-00001-of-00003.columns.jsonl
  expect 0 "with the model, the corpus and every row again" verify planted --model "$model" \
    --input texts.txt --sample all --json
  holds out '"sampled":23' "all rows were encoded again"
  expect 0 "a sample" verify planted --model "$model" --input texts.txt --sample 5 --json
  holds out '"sampled":5' "five rows were encoded again"
  printf 'x' | dd of=$vectors bs=1 seek=200 conv=notrunc 2>/dev/null
  planted "a changed byte" "part-00001-of-00003.npy: the bytes are not those that were written"
  truncate -s -4 $vectors
  planted "a cut file" "part-00001-of-00003.npy: the file has"
  rm $columns
  planted "a missing file" "part-00001-of-00003.columns.jsonl: the file is missing"
  rm planted/*part-00002*
  planted "a missing shard" "part-00002-of-00003: the shard is missing"
  cp npy/part-00000-of-00003.npy planted/part-00000-of-00004.npy
  planted "a stray file" "part-00000-of-00004.npy: no receipt names this file"
  cp sparse/*part-00000-of-00025* planted/
  planted "two divisions" "_part-00000-of-00025.json: the other shards are of 3"
  echo '{}' >planted/_part-00001-of-00003.json
  planted "a receipt that is none" "_part-00001-of-00003.json: this is not a receipt of a shard"
  sed -i 's/"model_fingerprint": "./"model_fingerprint": "g/' planted/_part-00001-of-00003.json
  planted "another model" "_part-00001-of-00003.json: model_fingerprint: found 'g"
  sed -i 's/"input_hash": "./"input_hash": "g/' planted/_part-00001-of-00003.json
  planted "another corpus" "_part-00001-of-00003.json: input_hash: found 'g"
  sed -i 's/"rows": 8/"rows": 7/' planted/_part-00001-of-00003.json
  planted "a wrong count" "_part-00001-of-00003.json: the shard has 7 rows, its share is 8"
  planted "verified with another model" "planted: model_fingerprint" --model "$models/roberta_hf" \
    --pooling mean
  planted "verified with another corpus" "planted: input_hash" --input large.txt

  # Damage that the receipt vouches for.
  printf '\x00\x00\xc0\x7f' | dd of=$vectors bs=1 seek=$((128 + 4 * 32)) conv=notrunc 2>/dev/null &&
    sign $vectors
  planted "NaN" "part-00001-of-00003: row 4: the embedding is not finite"
  sed -i '3s/"id":7/"id":8/' $columns && sign $columns
  planted "a wrong id" "row 7: its id is 8"
  sed -i '2s/"truncated":false/"truncated":true /' $columns && sign $columns
  planted "a contradiction" "row 4: n_tokens and truncated contradict each other"
  sed -i '2s/"text_hash":"..../"text_hash":"0000/' $columns && sign $columns
  planted "a text of another corpus" "row 4: text_hash is not that of the corpus' text" \
    --input texts.txt
  sed -i '2s/"id":4,/"id":4;/' $columns && sign $columns
  planted "no JSON" "the line is not a row of a shard"
  printf '\x00\x00\x80\x3f' | dd of=$vectors bs=1 seek=$((128 + 4 * 32)) conv=notrunc 2>/dev/null &&
    sign $vectors
  planted "an embedding of another text" "row 4: encoded again, its embedding differs by" \
    --model "$model" --input texts.txt --sample all
  mkdir hollow_folder
  expect 8 "a folder without shards" verify hollow_folder
  expect 4 "no folder" verify no_such_folder
}

shapes
refusals
restarts
changes
damages
finish
