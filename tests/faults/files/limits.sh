#!/usr/bin/env bash
# limits.sh CONTRASTIVE FIXTURES: runs the program with a full disk, a limit on file size, few file
# descriptors, or little memory. It must fail with its documented exit code, and never by a signal.
# An earlier output must be unchanged, and no other file be left. Without the limit the same command
# must then succeed.
set -euo pipefail
contrastive=$(realpath "$1") model=$(realpath "$2")/models/bert_st
export OMP_NUM_THREADS=1
place=$(mktemp -d "${TMPDIR:-/tmp}/contrastive-limits-XXXXXX")
trap 'rm -rf "$place"' EXIT
cd "$place"
failures=0 checks=0
complain() { echo "FAILED: $*"; failures=$((failures + 1)); }

for i in $(seq 40); do

  printf 'the cat sat on the mat %d\ta cat is on the mat %d\n' "$i" "$i"

done >pairs.tsv
cut -f1 pairs.tsv >texts.txt
train=("$contrastive" train --method mnrl --model "$model" --train pairs.tsv --max-steps 3 \
  --batch-size 4 --quiet --force)
encode=("$contrastive" encode --model "$model" --input texts.txt --force)

# sum FOLDER: what is in it, byte for byte.
sum() { (cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum); }

# limited NAME CODES OUTPUT LIMIT COMMAND...: the command under a limit of ulimit answers one of the
# codes.
limited() {
  local name=$1 codes=$2 output=$3 limit=$4 code=0 before after
  shift 4
  checks=$((checks + 1))
  before=$(sum "$output")
  (ulimit -c 0 && ulimit $limit && exec "$@") >out 2>err || code=$?
  case " $codes " in *" $code "*) ;; *) complain \
    "$name: exit code $code, one of $codes was expected: $(cat err)" ;; esac
  [ "$code" -eq 0 ] || [ -s err ] || complain "$name: no word of it"
  after=$(sum "$output")
  [ "$code" -eq 0 ] || [ "$before" = "$after" ] || complain "$name: $output is not what it was"
  local left
  left=$(find "$output/.." -maxdepth 1 -name ".$(basename "$output")*"; find "$output" -name \
    '.*.tmp-*')
  [ -z "$left" ] || complain "$name: $left stays"
}

"${train[@]}" --output model
mkdir vectors && "${encode[@]}" --output vectors/a.npy --quiet

limited "files of 20 kB: a model" 4 model "-f 20" "${train[@]}" --output model
grep -q "File too large" err || complain "the limit is not told: $(cat err)"
limited "files of 20 kB: a run in its updates" 4 model "-f 20" "${train[@]}" --output model \
  --save-every 1
limited "files of 1 kB: vectors" 4 vectors "-f 1" "${encode[@]}" --output vectors/a.npy
for n in 4 5 6 8 12 16 24; do
  limited "$n open files: a model" "0 1 2 3 4 5 127" model "-n $n" "${train[@]}" --output model
done
# The least one leaves the program itself its libraries. Training loads LibTorch, whose constructors
# abort where they have too little.
for megabytes in $(seq 60 20 200); do
  limited "$megabytes MB of address space: vectors" "0 5" vectors "-v $((megabytes * 1024))" \
    "${encode[@]}" --output vectors/a.npy
done
grep -q "^encoded" err || complain "200 MB of address space are too few: $(cat err)"
for megabytes in $(seq 100 50 350) $(seq 380 10 600) 700 900; do
  limited "$megabytes MB of address space: a model" "0 5" model "-v $((megabytes * 1024))" \
    "${train[@]}" --output model
done
[ ! -s err ] || complain "900 MB of address space are too few: $(cat err)"
"${train[@]}" --output model || complain "the same command fails without a limit"
[ -e model/training_state/manifest.json ] || complain "and leaves no run"

# A disk of one megabyte, in a separate mount namespace if the machine has them.
small() {
  mount -t tmpfs -o size=1m none small
  "${train[@]}" --output small/model || { echo "it does not fit at all"; return 1; }
  local before code=0
  before=$(sum small/model)
  dd if=/dev/zero of=small/rest bs=1k count=$(($(df -k --output=avail small | tail -1) - 60)) \
    status=none
  "${train[@]}" --output small/model 2>err || code=$?
  [ $code -eq 4 ] || { echo "exit code $code on a full disk: $(cat err)"; return 1; }
  [ "$before" = "$(sum small/model)" ] || { echo "the model is not what it was"; return 1; }
  [ "$(ls -A small)" = "$(printf 'model\nrest')" ] || {
    echo "more than the model stays: $(ls -A small)"; return 1; }
  rm small/rest
  "${train[@]}" --output small/model --seed 2 || { echo "there is room again, and it fails";
    return 1; }
}
mkdir small
if unshare -rm true 2>/dev/null || unshare -m true 2>/dev/null; then
  flags=-rm
  unshare -rm mount -t tmpfs none small 2>/dev/null || flags=-m
  export -f small sum
  checks=$((checks + 1))
  said=$(declare -p train; unshare $flags bash -c \
    "$(declare -p train); $(declare -f small sum); set -euo pipefail; small" 2>&1) ||
    complain "a disk of 1 MB: ${said##*$'\n'}"
else
  echo "skipped: a disk of 1 MB: no file system can be mounted here, not even in a namespace of" \
    "one's own"
fi

echo "$checks limits, $failures failures"
[ "$failures" -eq 0 ]
