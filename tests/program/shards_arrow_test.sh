#!/usr/bin/env bash
# shards_arrow_test.sh PROGRAM FIXTURES: pyarrow reads shards in Arrow and Parquet. Skipped (77) if
# the module was not built, or this machine's Python has no pyarrow.
models=$(realpath "$2")/models
model=$models/bert_st
here=$(cd "$(dirname "$0")" && pwd)
source "$here/checks.sh" "$1"
skip() { echo "skipped: $*"; exit 77; }

[ -e "$(dirname "$contrastive")/contrastive-arrow.so" ] || skip "this build has no" \
  "contrastive-arrow.so: run packaging/bootstrap.sh arrow, then configure again"
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}
export PYTHONPATH=$cache/pyarrow-25.0.1 PYTHONDONTWRITEBYTECODE=1
python3 -c 'import pyarrow.parquet' 2>err || skip "pyarrow cannot be imported ($(tail -n 1 err)):" \
  "run packaging/bootstrap.sh arrow, with Python 3.11"

for i in $(seq 0 22); do
  printf '{"key": "k%d", "text": "the cat sat on mat %d, caf\\u00e9"}\n' "$i" "$i"
done >texts.jsonl
encode() { "$contrastive" encode --model "$model" --quiet --input texts.jsonl "$@"; }
for format in jsonl arrow parquet; do
  expect 0 "a shard as $format" encode --output "$format" --shard 1/3 --output-format $format
  expect 0 "one with ids of a column" encode --output keyed_$format --shard 1/3 \
    --output-format $format --id-column key --prompt "query: "
  expect 0 "one without rows" encode --output empty_$format --shard 23/24 --output-format $format
done
for format in arrow parquet; do
  for i in 0 2; do
    expect 0 "the other shards" encode --output $format --shard $i/3 --output-format $format
  done
  expect 0 "verified, every row encoded again" "$contrastive" encode --verify $format \
    --model "$model" --input texts.jsonl --sample all --json
  holds out '"sampled":23' "all rows"
  expect 0 "pyarrow reads $format" python3 "$here/check_shards.py" $format \
    jsonl/part-00001-of-00003.jsonl $format/part-00001-of-00003.$format
  expect 0 "with text ids" python3 "$here/check_shards.py" $format \
    keyed_jsonl/part-00001-of-00003.jsonl keyed_$format/part-00001-of-00003.$format
  expect 0 "without rows" python3 "$here/check_shards.py" $format \
    empty_jsonl/part-00023-of-00024.jsonl empty_$format/part-00023-of-00024.$format
  expect 0 "the folder is a data set as it is" python3 -c "
import pyarrow.dataset
assert pyarrow.dataset.dataset('$format', format='$format').count_rows() == 23"
  # What pyarrow writes is read, and what is no shard's is refused.
  expect 0 "pyarrow writes other columns" python3 "$here/check_shards.py" $format \
    --spoil $format/part-00001-of-00003.$format
  sum=$(sha256sum <$format/part-00001-of-00003.$format | cut -d' ' -f1) \
    bytes=$(stat -c %s $format/part-00001-of-00003.$format)
  sed -i "s/\"sha256\": \".*\"/\"sha256\": \"$sum\"/; s/\"bytes\": [0-9]*/\"bytes\": $bytes/" \
    $format/_part-00001-of-00003.json
  expect 8 "other columns" "$contrastive" encode --verify $format
  holds out "part-00001-of-00003: the columns are not a shard's" "what is wrong"
  printf 'no such file' >$format/part-00001-of-00003.$format
  sed -i "s/\"sha256\": \".*\"/\"sha256\": \"$(printf 'no such file' | sha256sum | cut -d' ' \
    -f1)\"/; s/\"bytes\": [0-9]*/\"bytes\": 12/" $format/_part-00001-of-00003.json
  expect 8 "no such file" "$contrastive" encode --verify $format
done
mkdir bare && cp "$contrastive" bare/
expect 0 "all in one" encode --output one --shard 0/1 --output-format parquet
LD_LIBRARY_PATH=$(dirname "$contrastive") expect 0 "without the module" bare/contrastive encode \
  --verify one --json
holds out '"contents_read":false' "it says that rows were not read"
holds err "this build has no Parquet" "why"
finish
