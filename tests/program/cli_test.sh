#!/usr/bin/env bash
# cli_test.sh PROGRAM FIXTURES: the command line as people and scripts use it: stable forms, exit
# codes, files, pipes, signals, odd surroundings. Every case says what it checks; the script ends
# with how many passed, and fails if one did not.
models=$(realpath "$2")/models
model=$models/bert_st
source "$(dirname "$0")/checks.sh" "$1"

small_files

help_and_usage() {
  expect 0 "help" "$contrastive" --help
  holds out "encode" "help lists the verbs"
  for verb in train encode similarity search rerank serve eval mine adapt report tokenize inspect \
    bench config create vocabulary doctor version completion man; do
    expect 0 "help of $verb" "$contrastive" $verb --help
    holds out "Exit codes" "help of $verb tells the exit codes"
  done
  expect 0 "--version" "$contrastive" --version
  expect 0 "version" "$contrastive" version --json
  holds out '"libtorch"' "version names LibTorch"
  expect 2 "no verb" "$contrastive"
  expect 2 "unknown verb" "$contrastive" encdoe
  holds <(head -n 1 err) "'encdoe' is not a verb; did you mean 'encode'?" \
    "the nearest verb is named in the first line"
  expect 2 "a word that is near no verb" "$contrastive" frobnicate
  holds err "'frobnicate' is not a verb" "the word that is no verb is quoted"
  expect 2 "unknown option" "$contrastive" encode --modle "$model" --input texts.txt --output a.npy
  holds err "did you mean '--model'" "the nearest option is named"
  holds <(head -n 1 err) "'--modle' is not an option" \
    "the word that is no option is quoted in the first line"
  expect 2 "an option of other libraries" "$contrastive" train --learning-rate 1
  holds err "did you mean '--lr'" "what it is called here"
  expect 2 "a key of other libraries" "$contrastive" train --method mnrl --model "$model" \
    --train pairs.tsv --output none --set learning_rate=1
  holds err "did you mean 'lr'" "what it is called here"
  expect 2 "a variable that is no number" env CONTRASTIVE_THREADS=abc "$contrastive" version
  holds err "environment variable CONTRASTIVE_THREADS" "the variable is named"
  expect 0 "help of eval" "$contrastive" eval --help
  holds out "one of sts, sts-layers" "the tasks are named"
  holds out ", sts-supervised" "a task that trains is named"
  expect 0 "help of train" "$contrastive" train --help
  holds out "data.header" "the key for a header is named"
  expect 0 "the manual page of train" "$contrastive" man train
  holds out "simcse" "the page names the methods"
  expect 2 "missing option" "$contrastive" encode --model "$model" --input texts.txt
  expect 2 "empty value" "$contrastive" inspect --model=
  expect 2 "value that is no number" "$contrastive" encode --model "$model" --input texts.txt \
    --output a.npy --max-length=
  expect 2 "value out of range" "$contrastive" encode --model "$model" --input texts.txt \
    --output a.npy --threads 0
  local long
  long=$(head -c 100000 /dev/zero | tr '\0' a)
  expect 2 "an argument of 100 kB" "$contrastive" encode --model "$model" --input texts.txt \
    --output a.npy "--$long"
  expect 2 "--json errors are JSON" "$contrastive" encode --json
  holds err '{"error":{"code":"USAGE","message":' "a usage error as JSON"
  expect 2 "unknown config key" "$contrastive" inspect --model "$model" --set devize=cpu
  holds err "device" "the nearest key is named"
  expect 2 "--set without a value" "$contrastive" inspect --model "$model" --set device
  expect 0 "completion" "$contrastive" completion
  if bash -n out; then pass; else complain "the completion script is no bash"; fi
  holds <(source ./out && complete -p contrastive) " -F _contrastive contrastive" \
    "bash takes the script's function for the program's completion"
  mkdir names && : >"names/two words.txt"
  (source ./out && COMP_WORDS=(contrastive encode names/two) COMP_CWORD=2 && _contrastive &&
    printf '%s\n' "${COMPREPLY[@]}") >completed
  if [ "$(cat completed)" = "names/two words.txt" ]; then
    pass; else complain "a name with a space is completed as: $(cat completed)"; fi
}

keys() {
  expect 0 "topics" "$contrastive" config
  holds out "simcse" "methods are topics"
  holds out "retrieval" "tasks are topics"
  expect 0 "keys of a topic" "$contrastive" config simcse
  holds out "simcse.temperature" "a key of the method"
  holds out "0.05" "its default"
  holds out "evaluate.sts.data" "a key of a task during training"
  expect 0 "keys as JSON" "$contrastive" config data --json
  holds out '[{"key":"data.format","type":"choice","default":"auto"' \
    "the rows of cs_config_describe"
  expect 2 "a topic that there is not" "$contrastive" config simsce
  holds err "did you mean 'simcse'" "the nearest topic"
}

tokens() {
  expect 0 "tokenize, stable form" "$contrastive" tokenize --model "$model" --input texts.txt --json
  printf '{"ids":[2,73,84,89,77,73,88,15,3]}\n{"ids":[2,21,85,3]}\n' >expected
  head -n 2 out >first_two
  equal expected first_two "the ids are those of the reference"
  cp out from_file
  "$contrastive" tokenize --model "$model" --json <texts.txt >from_stdin 2>/dev/null
  equal from_file from_stdin "a file and standard input give the same"
  expect 0 "tokens and offsets" "$contrastive" tokenize --model "$model" --json --tokens --offsets \
    "A dog"
  holds out '{"ids":[2,21,85,3],"tokens":["[CLS]","a","dog","[SEP]"],"offsets":[' "tokens"
  holds out ',"offsets":[[-1,-1],[0,1],[2,5],[-1,-1]]}' "offsets"
  expect 0 "a limit" "$contrastive" tokenize --model "$model" --max-length 3 "A dog"
  holds out "2 21 3" "truncation keeps the special tokens"
}

encoding() {
  expect 0 "encode, stable form" "$contrastive" encode --model "$model" --input texts.txt \
    --output texts.npy
  if [ "$(stat -c %s texts.npy)" -eq $((128 + 4 * 32 * 4)) ]; then
    pass; else complain "texts.npy has $(stat -c %s texts.npy) bytes"; fi
  holds texts.npy "'shape': (4, 32)" "the header has the shape"
  expect 0 "encode --json" "$contrastive" encode --model "$model" --input texts.txt \
    --output texts.f32 --json --quiet
  holds out '"texts":4,"dimension":32' "the report as JSON"
  tail -c +129 texts.npy >body
  equal body texts.f32 ".npy and raw hold the same floats"
  expect 0 "encode to stdout" "$contrastive" encode --model "$model" --input texts.txt --output - \
    --quiet
  if [ "$(wc -l <out)" -eq 4 ] && [ ! -s err ]; then
    pass; else complain "four lines and nothing on stderr were expected"; fi
  holds out '{"id":1,"n_tokens":4,"truncated":false,"embedding":[' "a line of JSON"
  expect 0 "encode from stdin" sh -c \
    "'$contrastive' encode --model '$model' --input - --output from_stdin.npy <texts.txt"
  equal texts.npy from_stdin.npy "a file and standard input give the same"
  "$contrastive" encode --model "$model" --input texts.txt --output - --output-format npy \
    2>/dev/null >piped.npy
  equal texts.npy piped.npy ".npy through a pipe is the same file"
  printf '{"id": 7, "text": "A dog"}\n"A dog"\n' >texts.jsonl
  expect 0 "jsonl in" "$contrastive" encode --model "$model" --input texts.jsonl --output dogs.f32
  printf 'A dog\nA dog\n' >dogs.txt
  expect 0 "the same as plain text" "$contrastive" encode --model "$model" --input dogs.txt \
    --output plain.f32
  equal dogs.f32 plain.f32 "a field, a bare string and a line are the same text"
  expect 0 "a TSV column" "$contrastive" encode --model "$model" --input sts.tsv --column 1 \
    --output column.npy
  expect 0 "a TSV column by the old option" "$contrastive" encode --model "$model" --input sts.tsv \
    --input-column 2 --output old.npy
  holds err "use --column, which counts from 0" "the old option is warned of"
  equal column.npy old.npy "column 1 from 0 is column 2 from 1"
  (printf 'score\ttext a\ttext b\n'; cat sts.tsv) >named.tsv
  expect 0 "a TSV column by its name" "$contrastive" encode --model "$model" --input named.tsv \
    --column "text a" --output named.npy
  equal column.npy named.npy "the name and the number are the same column"
  expect 2 "a name that the header lacks" "$contrastive" encode --model "$model" --input named.tsv \
    --column "text c" --output none.npy
  holds err "score, text a, text b" "the names there are"
  expect 2 "both options" "$contrastive" encode --model "$model" --input sts.tsv --column 1 \
    --input-column 2 --output none.npy
  printf '\xef\xbb\xbfA dog\r\nA dog' >bom.txt
  expect 0 "byte order mark and CRLF" "$contrastive" encode --model "$model" --input bom.txt \
    --output bom.f32
  equal bom.f32 plain.f32 "byte order mark and CRLF are no text"
  : >empty.txt
  expect 0 "an empty file" "$contrastive" encode --model "$model" --input empty.txt \
    --output empty.npy
  holds empty.npy "'shape': (0, 32)" "no rows"
  expect 0 "cut texts are told" "$contrastive" encode --model "$model" --input texts.txt \
    --output cut.npy --max-length 5
  holds err "2 texts cut at 5 tokens" "how many were cut"
}

files() {
  expect 2 "an existing output is kept" "$contrastive" encode --model "$model" --input texts.txt \
    --output texts.npy
  holds err "--force" "the message names --force"
  expect 0 "--force replaces it" "$contrastive" encode --model "$model" --input texts.txt \
    --output texts.npy --force
  expect 2 "output = input" "$contrastive" encode --model "$model" --input texts.txt \
    --output ./texts.txt --output-format npy --force
  ln -s texts.txt link.npy
  expect 2 "output = input by a link" "$contrastive" encode --model "$model" --input texts.txt \
    --output link.npy --force
  holds texts.txt "A dog" "the input is intact"
  expect 2 "no known form" "$contrastive" encode --model "$model" --input texts.txt \
    --output texts.xyz
  expect 4 "no such input" "$contrastive" encode --model "$model" --input nothing.txt --output b.npy
  expect 4 "no such model" "$contrastive" encode --model nothing --input texts.txt --output b.npy
  expect 4 "no such folder" "$contrastive" encode --model "$model" --input texts.txt \
    --output no/such/b.npy
  expect 2 "a folder as input" "$contrastive" encode --model "$model" --input . --output b.npy
  mkdir hollow
  expect 4 "an empty model folder" "$contrastive" encode --model hollow --input texts.txt \
    --output b.npy
  mkdir pickled && : >pickled/pytorch_model.bin && cp "$model"/*.json pickled &&
    rm pickled/modules.json
  expect 3 "a pickled model" "$contrastive" inspect --model pickled --pooling mean
  printf '{' >broken.json
  expect 3 "a broken config file" "$contrastive" inspect --model "$model" --config broken.json \
    --json
  holds err '"file":"broken.json"' "the error names the file"
  "$contrastive" encode --model "$model" --input texts.txt --output unpacked.npy 2>/dev/null
  gzip -c texts.txt >packed.txt
  expect 0 "gzip by another name" "$contrastive" encode --model "$model" --input packed.txt \
    --output packed.npy
  equal packed.npy unpacked.npy "a gzip file is what is in it"
  (head -2 texts.txt | gzip -c; tail -n +3 texts.txt | gzip -c) >members.txt.gz
  expect 0 "two members from a pipe" sh -c \
    "cat members.txt.gz | '$contrastive' encode --model '$model' --input - --output members.npy"
  equal members.npy unpacked.npy "all members count"
  expect 0 "gzip to search" "$contrastive" search --model "$model" --corpus members.txt.gz "A dog" \
    --top-k 1
  gzip -c sts.tsv >packed.tsv.gz
  expect 0 "a packed TSV file" "$contrastive" similarity --model "$model" --input packed.tsv.gz \
    --column 1 2
  head -c 30 packed.txt >cut.gz
  expect 3 "a gzip file that is cut" "$contrastive" tokenize --model "$model" --input cut.gz --json
  holds err '"code":"CORRUPT"' "the kind of failure"
  (head -c 12 packed.txt; printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxx') >damaged.gz
  expect 3 "a gzip file that is damaged" "$contrastive" tokenize --model "$model" --input damaged.gz
  tail -c 3000 "$model/model.safetensors" >binary.txt
  for verb in "encode --output binary.npy --input" "tokenize --input" "search --corpus"; do
    # shellcheck disable=SC2086
    [ "${verb%% *}" = search ] && query="A dog" || query=
    expect 0 "a binary file to ${verb%% *}" "$contrastive" $verb binary.txt --model "$model" \
      ${query:+"$query"}
    holds err "bytes are not text" "${verb%% *} says what it was given"
  done
  expect 0 "a binary file, quietly" "$contrastive" tokenize --model "$model" --input binary.txt \
    --quiet
  [ -s err ] && complain "a warning in spite of --quiet" || pass
  expect 0 "text is no binary file" "$contrastive" tokenize --model "$model" --input texts.txt
  [ -s err ] && complain "a warning of a text file" || pass
  (cat pairs.tsv; printf 'fine\nca\xff\n') >latin.txt
  expect 0 "malformed text reads as U+FFFD" "$contrastive" encode --model "$model" \
    --input latin.txt --output latin.npy
  expect 3 "malformed text where strictness is asked" "$contrastive" encode --model "$model" \
    --input latin.txt --output b.npy --json --set invalid_utf8=error
  holds err 'is not valid UTF-8 at byte 2' "the byte"
  holds err '"file":"latin.txt","line":10' "file and line of the text"
  printf 'a\tb\nc\n' >ragged.tsv
  expect 3 "a missing column" "$contrastive" encode --model "$model" --input ragged.tsv --column 1 \
    --output b.npy
  holds err "ragged.tsv:2:" "file and line"
  expect 7 "--strict-rows" "$contrastive" encode --model "$model" --input ragged.tsv --column 1 \
    --output rows.npy --strict-rows
  holds rows.npy "'shape': (1, 32)" "the good rows are there"
  expect 0 "what a killed process of the same number left" sh -c \
    ": >.e.npy.tmp-\$\$-0
    exec '$contrastive' encode --model '$model' --input texts.txt --output e.npy"
  absent ".e.npy.tmp-*" "which is removed"
  mkfifo fifo.npy fifo.json
  expect 2 "special files" "$contrastive" search --model "$model" --corpus texts.txt --embeddings \
    fifo.npy --queries texts.txt
  expect 2 "special files: a config" "$contrastive" encode --model "$model" --input texts.txt \
    --output f.npy --config fifo.json
  expect 2 "special files: a device" "$contrastive" encode --model "$model" --input texts.txt \
    --output f.npy --config /dev/zero
  holds err "not a regular file but a character device" "what it is"
  expect 0 "texts from a pipe without a name" bash -c \
    "'$contrastive' encode --model '$model' --input <(cat texts.txt) --format txt --output fd.npy"
  absent "b.npy*" "a failed run leaves nothing"
  absent ".*.tmp-*" "no temporary file stays"
}

pipes() {
  for i in $(seq 3000); do echo "the cat sat on the mat $i"; done >many.txt
  "$contrastive" encode --model "$model" --input many.txt --output - 2>err | head -c 100 >/dev/null
  local status=${PIPESTATUS[0]}
  if [ "$status" -eq 141 ] && [ ! -s err ]; then
    pass; else complain "a reader that goes: exit code $status, $(head -c 200 err)"; fi
  expect 4 "a full disk on stdout" sh -c \
    "'$contrastive' encode --model '$model' --input texts.txt --output - >/dev/full"
  expect 4 "stdin is closed" sh -c \
    "'$contrastive' encode --model '$model' --input - --output c.npy <&-"
  expect 4 "stdout is closed" sh -c "'$contrastive' tokenize --model '$model' hello >&-"
  expect 0 "stderr is closed" sh -c \
    "'$contrastive' encode --model '$model' --input texts.txt --output d.npy 2>&-"
  equal texts.npy d.npy "a closed stderr costs nothing"
  expect 2 "- twice" "$contrastive" search --model "$model" --corpus - --queries -
}

surroundings() {
  "$contrastive" encode --model "$model" --input texts.txt --output - >reference 2>/dev/null
  mkdir locales
  for locale in de_DE tr_TR; do  # few machines have them installed
    localedef -i $locale -f UTF-8 locales/$locale.UTF-8 >/dev/null 2>&1 ||
      echo "skipped: localedef makes no $locale.UTF-8 here, its case runs in C" >&2
  done
  for locale in C POSIX de_DE.UTF-8 tr_TR.UTF-8; do
    LOCPATH=$work/locales LC_ALL=$locale "$contrastive" encode --model "$model" --input texts.txt \
      --output - >localised 2>/dev/null
    equal reference localised "locale $locale"
  done
  expect 0 "no HOME" env -u HOME "$contrastive" inspect --model "$model"
  expect 0 "no environment" env -i "$contrastive" inspect --model "$model"
  expect 0 "umask 777" sh -c "umask 777; '$contrastive' tokenize --model '$model' hello"
  mkdir gone
  expect 4 "the working folder is gone" sh -c \
    "cd gone; rmdir ../gone; '$contrastive' tokenize --model '$model' hello"
  expect 0 "options come from the environment" env CONTRASTIVE_MODEL="$model" \
    CONTRASTIVE_MAX_LENGTH=3 "$contrastive" tokenize "A dog"
  holds out "2 21 3" "the environment's limit"
  expect 0 "a flag beats the environment" env CONTRASTIVE_MAX_LENGTH=3 "$contrastive" tokenize \
    --model "$model" --max-length 10 "A dog"
  holds out "2 21 85 3" "the flag's limit"
  printf '{"pooling": "cls"}' >pooling.json
  expect 0 "a look at a folder without a pooling" "$contrastive" inspect \
    --model "$models/roberta_hf"
  expect 0 "tokens of a folder without a pooling" "$contrastive" tokenize \
    --model "$models/roberta_hf" "A dog"
  expect 2 "embeddings of a folder without a pooling" "$contrastive" similarity \
    --model "$models/roberta_hf" "A dog" "A dog"
  holds err "states no pooling" "what is missing"
  expect 0 "a key from a file" "$contrastive" inspect --model "$models/roberta_hf" \
    --config pooling.json --json
  holds out '"pooling":["cls"]' "the file's pooling"
  expect 0 "the environment beats the file" env CONTRASTIVE_POOLING=max "$contrastive" inspect \
    --model "$models/roberta_hf" --config pooling.json --json
  holds out '"pooling":["max"]' "the environment's pooling"
  expect 0 "--set beats both" env CONTRASTIVE_POOLING=max "$contrastive" inspect \
    --model "$models/roberta_hf" --config pooling.json --set pooling=mean --json
  holds out '"pooling":["mean"]' "the assignment's pooling"
  expect 0 "a flag beats all" env CONTRASTIVE_POOLING=max "$contrastive" inspect \
    --model "$models/roberta_hf" --set pooling=mean --pooling=max --json
  holds out '"pooling":["max"]' "the flag's pooling"
  expect 0 "--set data beats the environment's" env CONTRASTIVE_DATA=absent.tsv "$contrastive" \
    eval --model "$model" --task sts --set data=sts.tsv --json
  expect 4 "the environment's data" env CONTRASTIVE_DATA=absent.tsv "$contrastive" eval \
    --model "$model" --task sts --json
}

verbs() {
  expect 0 "similarity" "$contrastive" similarity --model "$model" "A dog" "A dog"
  holds out "1.000000" "a text is like itself"
  expect 0 "similarity of a file" "$contrastive" similarity --model "$model" --input sts.tsv \
    --input-column 2 3 --json
  holds out '{"id":3,"score":' "one line a pair"
  cp -r "$model" euclidean && chmod -R u+w euclidean
  sed 's/"cosine"/"euclidean"/' "$model/config_sentence_transformers.json" \
    >euclidean/config_sentence_transformers.json
  expect 0 "similarity of the model's own" "$contrastive" similarity --model euclidean "A dog" \
    "A dog"
  holds out "0.000000" "a distance"
  expect 0 "similarity by --metric" "$contrastive" similarity --model euclidean --metric cosine \
    "A dog" "A dog"
  holds out "1.000000" "a cosine"
  expect 0 "search by the model's own" "$contrastive" search --model euclidean --corpus texts.txt \
    "A dog" --top-k 1
  holds out "0.0000  A dog" "a distance"
  expect 2 "one text" "$contrastive" similarity --model "$model" "A dog"
  expect 0 "search" "$contrastive" search --model "$model" --corpus texts.txt "A dog" --top-k 2 \
    --json
  holds out '{"query":"A dog","hits":[{"rank":1,"id":1,' "the text itself comes first"
  expect 0 "search in embeddings" "$contrastive" search --model "$model" --corpus texts.txt \
    --embeddings texts.npy "A dog"
  holds out "1. 1.0000  A dog" "the text itself comes first"
  (sed -n 2p texts.txt; sed -n 1p texts.txt; tail -n +3 texts.txt) >swapped.txt
  expect 3 "embeddings of texts in another order" "$contrastive" search --model "$model" \
    --corpus swapped.txt --embeddings texts.npy "A dog"
  holds err "texts.npy: these vectors do not match the corpus" "the digest beside the vectors tells"
  expect 3 "embeddings of another corpus" "$contrastive" search --model "$model" --corpus many.txt \
    --embeddings texts.npy "A dog"
  expect 0 "embeddings with a prompt" "$contrastive" encode --model "$model" --input texts.txt \
    --output prompted.npy --prompt "red and blue: "
  expect 3 "embeddings by other options" "$contrastive" search --model "$model" --corpus texts.txt \
    --embeddings prompted.npy "A dog"
  holds err "is not what this model gives for its text" "why"
  expect 0 "a prompt of the corpus and one of the queries" "$contrastive" search --model "$model" \
    --corpus texts.txt --embeddings prompted.npy \
    --prompt "red and blue: " --query-prompt "" --json "A dog"
  cp out two_prompts
  expect 0 "the same prompt for both" "$contrastive" search --model "$model" --corpus texts.txt \
    --embeddings prompted.npy --prompt "red and blue: " --json "A dog"
  cmp -s out two_prompts && complain "--query-prompt changed nothing" || pass
  expect 0 "npy through a pipe" bash -c \
    '"$0" encode --model "$1" --input texts.txt --output /dev/stdout --output-format npy |
      cat >piped.npy' \
    "$contrastive" "$model"
  equal piped.npy texts.npy "a pipe gets the same bytes"
  printf 'old' >real.npy && ln -s real.npy leads.npy
  expect 0 "an output that is a link" "$contrastive" encode --model "$model" --input texts.txt \
    --output leads.npy --force
  equal real.npy texts.npy "what it leads to is replaced"
  [ -L leads.npy ] && pass || complain "the link is no link any more"
  expect 0 "eval, stable form" "$contrastive" eval --model "$model" --task sts --data sts.tsv --json
  for key in '"spearman":{"all":' '"mean":' '"wmean":' '"pearson":{' '"subsets":{'; do
    holds out "$key" "the report of sts"; done
  cp sts.tsv gold.tsv
  expect 0 "eval --dry-run without the model" "$contrastive" eval --model nowhere --task sts \
    --data sts.tsv --dry-run --json
  holds out '"spearman":{"all":null' "the report without its figures"
  expect 4 "eval --dry-run without data" "$contrastive" eval --model nowhere --task sts \
    --data nothing.tsv --dry-run
  expect 2 "eval's output is its data" "$contrastive" eval --model "$model" --task sts \
    --data gold.tsv --set output=./gold.tsv
  equal gold.tsv sts.tsv "the scores are still there"
  expect 2 "tsne's output is its data" "$contrastive" eval --model "$model" --task tsne \
    --set texts=gold.tsv --set output=gold.tsv
  equal gold.tsv sts.tsv "the texts are still there"
  mkdir sets && cp sts.tsv sets/one.tsv && cp sts.tsv sets/two.tsv
  expect 0 "eval of a folder" "$contrastive" eval --model "$model" --task sts --data sets --json
  holds out '"two":' "a subset for each file"
  expect 0 "eval of every layer" "$contrastive" eval --model "$model" --task sts-layers \
    --data sts.tsv
  grep -Eq '^  mean( +-?[01]\.[0-9]{4}){2,}$' out && pass ||
    complain "a figure for every layer was expected in one line: $(cat out)"
  lacks out "which --json prints" "lists of numbers are printed"
  expect 0 "eval retrieval" "$contrastive" eval --model "$model" --task retrieval --data pairs.tsv \
    --json
  for key in '"recall@1":' '"mrr@10":' '"ndcg@10":'; do
    holds out "$key" "the report of retrieval"
  done
  expect 8 "eval --min" "$contrastive" eval --model "$model" --task sts --data sts.tsv --min \
    spearman.all=1.5
  mkdir dotted
  cp sts.tsv dotted/track5.en-en.tsv
  expect 8 "eval --min of a name with dots" "$contrastive" eval --model "$model" --task sts \
    --data dotted --min subsets.track5.en-en.spearman=1.5
  printf '3\ta\tb\n3\tc\td\n' > constant.tsv
  expect 8 "eval --min of a figure that is not defined" "$contrastive" eval --model "$model" \
    --task sts --data constant.tsv --min spearman.all=-1
  expect 2 "eval --min of no figure" "$contrastive" eval --model "$model" --task sts \
    --data sts.tsv --min speerman=0.5
  holds err "the report has spearman.all, spearman.mean, spearman.wmean, " "the figures' names"
  lacks err "{" "the report is not printed again"
  expect 2 "eval --min of nearly a figure" "$contrastive" eval --model "$model" --task sts \
    --data sts.tsv --min spearman.al=0.5
  holds err "did you mean 'spearman.all'?" "the nearest figure"
  expect 2 "eval --min of a group of figures" "$contrastive" eval --model "$model" --task sts \
    --data sts.tsv --min spearman=0.5
  mkdir crowd
  for i in {1..20}; do cp sts.tsv crowd/part$i.tsv; done
  expect 2 "eval --min of none of many figures" "$contrastive" eval --model "$model" --task sts \
    --data crowd --min nothing=0
  grep -Eq '^  the report has ([^ ]+, ){29}[^ ,]+ and [0-9]+ more$' err && pass ||
    complain "30 figures of more were expected: $(cat err)"
  for demand in mrr@10=abc mrr@10= mrr@10 =1 a=1x a=nan a=1e999; do
    expect 2 "eval --min $demand" "$contrastive" eval --model nowhere --task retrieval \
      --data pairs.tsv --min spearman=0 --min "$demand"
    holds err "FIGURE=NUMBER is needed" "$demand is refused before the model is looked for"
    [ -s out ] && complain "--min $demand: figures were printed: $(cat out)" || pass
  done
  for task in stss foo; do
    expect 2 "no such task" "$contrastive" eval --model "$model" --task "$task" --data sts.tsv
    holds err "unknown task '$task'" "'$task' is no task"
    holds err "nown: sts, sts-layers, sts-tokens, retrieval" "the tasks are named"
    lacks err "vocabulary" "other topics are not"
  done
  holds err "sts-supervised" "the tasks that train are named"
  expect 2 "a topic that is no task" "$contrastive" eval --model "$model" --task train \
    --data sts.tsv
  holds err "unknown task 'train'" "a topic is no task"
  expect 4 "no such data" "$contrastive" eval --model "$model" --task sts --data nothing.tsv
  expect 0 "doctor" "$contrastive" doctor --model "$model"
  if [ -z "${SIMULATED_CUDA:-}" ]; then
    expect 8 "doctor and a LibTorch that is none" env CONTRASTIVE_LIBTORCH="$work/hollow" \
      "$contrastive" doctor
    holds out "FAIL  training: cannot be used (" "the LibTorch that was named is not usable"
    [ "$(grep -c "$work/hollow" out)" -eq 1 ] && pass ||
      complain "the reason is told once: $(cat out)"
  else
    echo "skipped: the simulated CUDA device has loaded a LibTorch already, so doctor does not" \
      "look for another one"
  fi
  expect 8 "doctor finds a missing model" "$contrastive" doctor --model nothing --json
  holds out '{"ok":false,' "the report of doctor"
  expect 0 "inspect" "$contrastive" inspect --model "$model"
  holds out "dimension: 32" "inspect prints the dimension"
}

# Starts the program in the background with Ctrl-C in force, waits until a file of the name $1 (or
# pattern) is there and not empty, and sends it the signal $2. Its exit code is returned.
stop_when() {
  local file=$1 signal=$2 pid code=0
  shift 2
  set -m
  "$@" >out 2>err &
  pid=$!
  set +m
  for _ in $(seq 600); do
    [ -s "$(echo $file)" ] || ! kill -0 $pid 2>/dev/null && break
    sleep 0.1
  done
  kill -s "$signal" $pid
  wait $pid || code=$?
  return $code
}

# The same with two signals that arrive together, the first of which would have the run end in
# order.
stop_at_once() {
  local file=$1 pid code=0
  shift
  set -m
  "$@" >out 2>err &
  pid=$!
  set +m
  for _ in $(seq 600); do
    [ -s "$file" ] || ! kill -0 $pid 2>/dev/null && break
    sleep 0.1
  done
  for signal in STOP INT TERM CONT; do kill -s $signal $pid; done
  wait $pid || code=$?
  return $code
}

# An interrupted run saves its state, and can be resumed from it.
interruption() {
  local signal code step
  for signal in TERM INT; do
    code=$([ $signal = INT ] && echo 130 || echo 143)
    expect $code "SIG$signal" stop_when log-$signal $signal "$contrastive" train --method clsr \
      --model "$model" --train pairs.tsv --max-steps 10000000 --batch-size 8 \
      --set schedule=constant --quiet --output stopped-$signal --metrics-file log-$signal
    holds err "--resume stopped-$signal" "how to go on"
    [ -e stopped-$signal/training_state ] && pass || complain "SIG$signal: nothing was saved"
  done
  expect 143 "a second signal" stop_at_once log-twice "$contrastive" train --method clsr \
    --model "$model" --train pairs.tsv --max-steps 10000000 --batch-size 8 --set schedule=constant \
    --quiet --output stopped-twice --metrics-file log-twice
  holds err "press Ctrl-C again to stop at once" "the first signal was answered"
  absent "stopped-twice" "the second leaves no time to save"
  absent ".stopped-twice*" "nor anything half saved"
  expect 0 "--resume" "$contrastive" train --resume stopped-TERM --output stopped-TERM \
    --model "$model" --train pairs.tsv --max-steps 1 --json
  step=$(sed -n 's/.*"step":\([0-9]*\).*/\1/p' out)
  if [ "${step:-0}" -ge 1 ]; then pass; else complain "the resumed run is at step '$step'"; fi
  # A killed process may leave temporaries next to the run, and an incomplete file in it.
  sh -c 'touch "stopped-TERM/.metrics.jsonl.tmp-$$-7" "stopped-TERM/.run.json.tmp-$$-8"
    mkdir ".stopped-TERM.tmp-$$-9"'
  mv stopped-TERM/metrics.jsonl .stopped-TERM.metrics.jsonl
  lines=$(wc -l <.stopped-TERM.metrics.jsonl)
  expect 0 "what a killed run left" "$contrastive" train --resume stopped-TERM \
    --output stopped-TERM --model "$model" --train pairs.tsv --max-steps $((step + 1)) --json
  absent "stopped-TERM/.*.tmp-*" "is removed"
  absent ".stopped-TERM*" "beside the run too"
  if [ "$(wc -l <stopped-TERM/metrics.jsonl)" -eq $((lines + 1)) ]; then
    pass; else complain "the record of the killed run was lost"; fi
  expect 0 "what a killed run left: --force" sh -c \
    'touch "stopped-TERM/.metrics.jsonl.tmp-$$-7"; exec "$@"' sh "$contrastive" train \
    --method clsr --output stopped-TERM --force --model "$model" --train pairs.tsv --max-steps 1 \
    --batch-size 2
  mkfifo slow.fifo
  (cat many.txt many.txt many.txt many.txt; sleep 20) >slow.fifo &
  local writer=$!
  expect 143 "SIGTERM while waiting for input" stop_when ".stopped.npy.tmp-*" TERM "$contrastive" \
    encode --model "$model" --input slow.fifo --output stopped.npy
  kill $writer 2>/dev/null
  absent "stopped.npy*" "an interrupted run leaves nothing"
}

help_and_usage
keys
tokens
encoding
files
pipes
surroundings
verbs
interruption
finish
