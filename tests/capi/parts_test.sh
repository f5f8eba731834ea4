#!/usr/bin/env bash
# parts_test.sh LIBRARY PLUGIN PROGRAM FIXTURES: what an installation does without the training
# plugin, without LibTorch and with other versions of them, and how it finds them. Each case has its
# own folder. HOME is empty, so that no cache of this user is found. The library would find the
# LibTorch that it was built with: the cases that hide it run in a mount namespace, or are skipped
# with the reason.
set -uo pipefail
library=$(realpath "$1") plugin=$(realpath "$2") program=$(realpath "$3") fixtures=$(realpath "$4")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work/home
mkdir "$HOME"
unset CONTRASTIVE_LIBTORCH CONTRASTIVE_DATA CONTRASTIVE_DEPS XDG_CACHE_HOME VIRTUAL_ENV \
  CONDA_PREFIX LD_LIBRARY_PATH LD_PRELOAD || true
failures=0 cases=0 skipped=0
passed() { cases=$((cases + 1)); }
failed() { echo "FAILED: $*" >&2; sed 's/^/    /' "$work/out" "$work/err" >&2;
  failures=$((failures + 1)); }

# install FOLDER [plugin]: the library and the program, and the training plugin.
install() {
  mkdir -p "$work/$1"
  cp "$library" "$work/$1/libcontrastive.so.0"
  cp "$program" "$work/$1/contrastive"
  [ "${2:-}" != plugin ] || cp "$plugin" "$work/$1/libcontrastive-torch.so.0"
}
# expect NAME STATUS TEXT COMMAND...: the exit status, and a text in what it printed.
expect() {
  local name=$1 status=$2 text=$3
  shift 3
  local got=0
  "$@" >"$work/out" 2>"$work/err" || got=$?
  if [ "$got" -ne "$status" ]; then failed "$name: exit status $got, not $status"; return; fi
  grep -q -F -- "$text" "$work/out" "$work/err" || { failed "$name: does not say: $text"; return; }
  passed
}
# without_libtorch COMMAND...: where no LibTorch can be found, whatever the build recorded.
recorded=$("$program" version --json | sed 's/.*"libtorch_path":"\([^"]*\)".*/\1/')
mkdir "$work/empty"
without_libtorch() {
  unshare --mount --map-root-user sh -c 'mount --bind "$0" "$1" && shift && exec "$@"' \
  "$work/empty" "$recorded" "$@"; }
can_hide() { unshare --mount --map-root-user mount --bind "$work/empty" "$recorded" 2>/dev/null; }

printf 'A man is eating food.\nA man is eating a meal.\nThe sky is blue.\n' >"$work/texts.txt"
printf '5.0\tone\tone\n1.0\tone\ttwo\n3.0\ttwo\tthree\n' >"$work/scored.tsv"
printf 'a text\tits pair\nanother\tof it\nthird\tone\nfourth\tone more\n' >"$work/pairs.tsv"
model=$fixtures/models/bert_st

# --- Everything that only embeds, without the plugin and without LibTorch. ------------------------
install alone
alone=$work/alone/contrastive
run_alone() {  # run_alone WRAPPER...
  expect "encode alone" 0 "" "$@" "$alone" encode --model "$model" --input "$work/texts.txt" \
    --output "$work/vectors.npy"
  expect "similarity alone" 0 "" "$@" "$alone" similarity --model "$model" "one text" "another text"
  expect "search alone" 0 "" "$@" "$alone" search --model "$model" --corpus "$work/texts.txt" \
    --queries "$work/texts.txt"
  expect "tokenize alone" 0 "" "$@" "$alone" tokenize --model "$model" "one text"
  expect "inspect alone" 0 "" "$@" "$alone" inspect --model "$model"
  expect "evaluate alone" 0 "spearman" "$@" "$alone" eval --model "$model" --task sts \
    --data "$work/scored.tsv"
  expect "geometry alone" 0 "effective_rank" "$@" "$alone" eval --model "$model" --task geometry \
    --data "$work/scored.tsv"
  expect "config alone" 0 "sts" "$@" "$alone" config
  expect "a topic alone" 9 "The topic 'trian' is not one of those without it: model" "$@" "$alone" \
    config trian
  expect "doctor alone" 0 "training: not installed" "$@" "$alone" doctor --model "$model"
  expect "version alone" 0 "LibTorch    none" "$@" "$alone" version
  expect "train alone" 9 "is neither in $work/alone nor on the loader's path" "$@" "$alone" train \
    --model "$model" --method mnrl --train "$work/pairs.tsv" --output "$work/trained" --max-steps 1
  expect "a CUDA device alone" 5 "device = cuda:0 needs the training plugin" "$@" "$alone" encode \
    --model "$model" --device cuda --input "$work/texts.txt" --output "$work/other.npy"
  expect "a task that trains alone" 9 "needs the training plugin" "$@" "$alone" eval \
    --model "$model" --task glue --data "$work"
}
run_alone
if can_hide; then
  rm -f "$work/vectors.npy"
  run_alone without_libtorch
else
  skipped=$((skipped + 1))
  echo "skipped: this machine does not let a test hide LibTorch (unshare --mount)"
fi

# --- With the plugin. -----------------------------------------------------------------------------
install whole plugin
whole=$work/whole/contrastive
train() {
  "$@" train --model "$model" --method mnrl --train "$work/pairs.tsv" \
    --output "$work/trained.$RANDOM$RANDOM" --max-steps 1 --batch-size 2
}
expect "train with both" 0 "after 1 step" train "$whole"
expect "LibTorch where it is named" 0 "$recorded" env CONTRASTIVE_LIBTORCH="$recorded" "$whole" \
  version --json
expect "LibTorch by the folder above lib" 0 "$recorded" env \
  CONTRASTIVE_LIBTORCH="$(dirname "$recorded")" "$whole" version --json
expect "a LibTorch that is none" 9 \
  "$work/empty (CONTRASTIVE_LIBTORCH) is not a LibTorch that can be loaded" env \
  CONTRASTIVE_LIBTORCH="$work/empty" \
  "$whole" config train
mkdir -p "$work/torch211/lib" "$work/cut/lib"
for file in "$recorded"/*.so*; do ln -s "$file" "$work/torch211/lib/"; done
printf "__version__ = '2.4.1+cpu'\n" >"$work/torch211/version.py"
expect "a LibTorch of another version" 9 "it is LibTorch 2.4.1+cpu, and 2.11 is needed" env \
  CONTRASTIVE_LIBTORCH="$work/torch211" "$whole" config train
mkdir -p "$work/torch24/lib"
for file in "$recorded"/*.so*; do ln -s "$file" "$work/torch24/lib/"; done
echo "2.4.1+cpu" >"$work/torch24/build-version"
expect "an archive of an old LibTorch" 9 "it is LibTorch 2.4.1+cpu, and 2.11 is needed" env \
  CONTRASTIVE_LIBTORCH="$work/torch24" "$whole" config train
# libraries without a version, and lack symbols that the plugin needs
rm "$work/torch24/build-version" "$work/torch24"/lib/lib{c10,torch_cpu}.so
for file in c10 torch_cpu; do echo "int ${file}_of_old;" |
  cc -shared -fPIC -Wl,-soname,"lib$file.so" -x c - -o "$work/torch24/lib/lib$file.so"; done
expect "an old LibTorch that does not say so" 9 \
  "is another one than the one that libcontrastive-torch.so.0 was built with" env \
  CONTRASTIVE_LIBTORCH="$work/torch24" "$whole" config train
cp "$recorded/libc10.so" "$work/cut/lib/"
head -c 4096 "$recorded/libtorch_cpu.so" >"$work/cut/lib/libtorch_cpu.so"
expect "a LibTorch that is cut off" 9 "libtorch_cpu.so: it is cut off after 4096 bytes" env \
  CONTRASTIVE_LIBTORCH="$work/cut" "$whole" config train
if can_hide; then
  expect "no LibTorch" 9 "LibTorch was not found" without_libtorch "$whole" config train
  expect "embedding without LibTorch" 0 "" without_libtorch "$whole" encode --model "$model" \
    --input "$work/texts.txt" --output "$work/again.npy"
fi

# A plugin whose name has a version is for that LibTorch.
install versions
cp "$plugin" "$work/versions/libcontrastive-torch-2.4.so.0"
expect "no plugin for this LibTorch" 9 "has the training plugin for 2.4" env \
  CONTRASTIVE_LIBTORCH="$recorded" "$work/versions/contrastive" config train
cp "$plugin" "$work/versions/libcontrastive-torch-2.11.so.0"
expect "the plugin for this LibTorch" 0 "batch_size" env CONTRASTIVE_LIBTORCH="$recorded" \
  "$work/versions/contrastive" config train
expect "the versions that there are" 9 "it is LibTorch 2.4.1+cpu, and 2.11" env \
  CONTRASTIVE_LIBTORCH="$work/torch211" "$whole" config train
# A LibTorch without files that state its version is asked for it.
mkdir -p "$work/bare/torch/lib"
for file in "$recorded"/*.so*; do ln -s "$file" "$work/bare/torch/lib/"; done
ln -s "$recorded/../../nvidia" "$work/bare/nvidia"  # next to a wheel's LibTorch
expect "the plugin for a LibTorch that has no version file" 0 "batch_size" env \
  CONTRASTIVE_LIBTORCH="$work/bare/torch" "$work/versions/contrastive" config train
rm "$work/versions/libcontrastive-torch-2.11.so.0"
expect "a LibTorch without a version file and without a plugin" 9 \
  "this installation has the training plugin for 2.4" env CONTRASTIVE_LIBTORCH="$work/bare/torch" \
  "$work/versions/contrastive" config train

# --- A plugin of another build, half a plugin, no plugin. -----------------------------------------
install foreign plugin
digest=$(grep -a -o 'CONTRASTIVE_PARTS_[0-9a-f]*' "$work/foreign/libcontrastive-torch.so.0" | head \
  -n 1)
sed -i "s/$digest/CONTRASTIVE_PARTS_0123456789abcdef/g" "$work/foreign/libcontrastive-torch.so.0"
# The loader compares hashes of version names before the names: the hash in the file is still the
# one of the first name.
expect "a plugin of another build" 9 "is of another build than" "$work/foreign/contrastive" config \
  train
install half
head -c 100000 "$plugin" >"$work/half/libcontrastive-torch.so.0"
expect "half a plugin" 9 "libcontrastive-torch.so.0: it is cut off" "$work/half/contrastive" \
  config train
expect "embedding with half a plugin" 0 "" "$work/half/contrastive" encode --model "$model" \
  --input "$work/texts.txt" --output "$work/half.npy"
install text
echo "no library" >"$work/text/libcontrastive-torch.so.0"
expect "a plugin that is not a library" 9 "libcontrastive-torch.so.0: it is not a shared library" \
  "$work/text/contrastive" config train

[ "$failures" -eq 0 ] || { echo "$failures of $((cases + failures)) cases failed" >&2; exit 1; }
echo "$cases cases passed, $skipped groups skipped"
