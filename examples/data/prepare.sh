#!/usr/bin/env bash
# prepare.sh DATA: creates the training files of examples/experiments in DATA/train, from the
# folders that examples/data/README.md describes. Reports missing data and creates the other files.
# Existing files are replaced.
set -euo pipefail
data=${1:?prepare.sh DATA: the folder of the data}
[ -d "$data" ] || { echo "prepare.sh: '$data' is no folder" >&2; exit 4; }
mkdir -p "$data/train"
missing=0

# join NAME PATTERN...: joins all files below DATA that match the patterns into one file.
join() {
  local name=$1 pattern found=()
  shift
  for pattern in "$@"; do
    local before=${#found[@]}
    while IFS= read -r file; do found+=("$file"); done < <(cd "$data" &&
      compgen -G "$pattern" | LC_ALL=C sort)
    [ ${#found[@]} -gt "$before" ] || { echo "prepare.sh: nothing is at $data/$pattern" >&2;
      missing=$((missing + 1)); }
  done
  [ ${#found[@]} -gt 0 ] || return 0
  (cd "$data" && cat -- "${found[@]}") >"$data/train/$name.tmp"
  mv "$data/train/$name.tmp" "$data/train/$name"
  echo "$data/train/$name: $(wc -l <"$data/train/$name") lines of ${#found[@]} files"
}

join sts-all.tsv 'sts/STS12/*.tsv' 'sts/STS13/*.tsv' 'sts/STS14/*.tsv' 'sts/STS15/*.tsv' \
  'sts/STS16/*.tsv' 'sts/STSB/*.tsv' 'sts/SICK/*.tsv'
join stsb-all.tsv 'sts/STSB/*.tsv'
join nli.tsv 'nli/SNLI/*train.tsv' 'nli/MNLI/*train.tsv'
[ "$missing" -eq 0 ] ||
  echo "prepare.sh: $missing sources are missing; the files above are made without them" >&2
