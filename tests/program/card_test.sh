#!/usr/bin/env bash
# card_test.sh PROGRAM FIXTURES LIBRARY COMPILER: the card of a trained model. Its commands and its
# C program run, its header is valid, a person's edits stay, and its lines in other languages are
# also in the READMEs of those.
root=$(realpath "$(dirname "$0")/../..")
model=$(realpath "$2")/models/bert_st
library=$(realpath "$3")
compiler=$4
source "$(dirname "$0")/checks.sh" "$1"

for i in 1 2 3 4 5 6 7 8; do printf 'the cat sat %d\ta cat sits %d\n' $i $i; done >pairs.tsv
for i in 0 1 2 3 4 5; do printf '%d\tthe cat sat %d\ta cat %d\n' $i $i $((i / 2)); done >sts-dev.tsv
mkdir path path/to path/to/this

# block LANGUAGE: what stands between ```LANGUAGE and ``` in the card.
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" path/to/this/folder/README.md | sed '1d;$d'; }

trained() {
  expect 0 "a run with a card" "$contrastive" train --method mnrl --model "$model" \
    --train "$PWD/pairs.tsv" --dev "$PWD/sts-dev.tsv" --output path/to/this/folder --max-steps 4 \
    --batch-size 4 --eval-every 2 --set "card.title=Cats: \"the\" <b>model</b>" \
    --set card.license=mit --set card.language=en
  local card=path/to/this/folder/README.md
  holds $card 'license: "mit"' "the licence of the keys"
  holds $card 'spearman_cosine' "the dev score"
  holds $card "$(sha256sum <pairs.tsv | cut -c1-64)" "the digest that sha256sum gives"
  holds $card '"dev": "sts-dev.tsv"' "files by their names"
  for secret in "$PWD" "$(hostname)" "$(dirname "$model")"; do
    lacks $card "$secret" "nothing of the machine"; done
  sed -n '/^# /p' $card >title  # in the header, which is YAML, it stands as it is
  lacks title '<b>' "a title stays a text"
  holds title '"the"' "the title"
  expect 2 "a licence that is none" "$contrastive" train --method mnrl --model "$model" \
    --train pairs.tsv --output none --set "card.license=all mine"
  holds err "'card.license'" "its key is named"
  expect 0 "the keys are listed" "$contrastive" config mnrl
  holds out "card.base_model" "by config"
}

# The digest in the last line is that of what stands above, as anybody can compute it.
untouched() {
  local line digest
  line=$(tail -n 1 "$1")
  digest=$(head -n -1 "$1" | sha256sum | cut -c1-64)
  case $line in *"$digest"*) pass ;; *) complain "the digest of $1: $line" ;; esac
}

shell_commands() {
  block bash >commands.sh
  expect 0 "the card's commands" env PATH="$(dirname "$contrastive"):$PATH" bash -euo pipefail \
    commands.sh
  [ "$(grep -c contrastive commands.sh)" -eq 3 ] && pass ||
    complain "the card has $(grep -c contrastive commands.sh) commands"
  holds out "eating" "the search finds the text"
  [ -s vectors.npy ] && pass || complain "the card's commands wrote no vectors"
}

c_program() {
  block c >program.c
  local sanitizer=
  # which a program must load before the library
  case $(ldd "$library") in *libasan*) sanitizer=-fsanitize=address ;; esac
  expect 0 "the card's C program is compiled" "$compiler" $sanitizer -std=c99 -Wall -Wextra \
    -Werror -I "$root/capi/include" program.c -o program "$library" \
    -Wl,-rpath,"$(dirname "$library")"
  expect 0 "and runs" ./program
  grep -qE '^-?[01]\.[0-9]{3}$' out && pass || complain "the C program printed: $(cat out)"
}

# Each line of a language is also in the project's README or in that of the package, with another
# folder.
other_languages() {
  local language line readmes
  for language in java csharp go rust; do
    readmes=("$root/README.md" "$root/bindings/$language/README.md")
    [ "$(block $language | wc -l)" -ge 2 ] && pass ||
      complain "the card has no example in $language"
    while IFS= read -r line; do
      line=$(sed -E 's|path/to/this/folder|all-MiniLM-L6-v2|; s/^[[:space:]]+//; s|  // .*||' \
        <<<"$line")
      if grep -qF -- "$line" "${readmes[@]}"; then
        pass; else complain "the card's line in $language stands in no README: $line"; fi
    done < <(block $language)
  done
}

a_persons_words() {
  local folder=path/to/this/folder
  untouched $folder/README.md
  echo "# What we found out" >$folder/README.md
  expect 0 "a second run over it" "$contrastive" train --method simcse --model "$model" \
    --train pairs.tsv --output $folder --force --max-steps 2 --batch-size 4
  holds $folder/README.before.md "# What we found out" "a person's README goes on beside the card"
  holds $folder/README.md "gao2021simcse" "the card is of the new model"
  untouched $folder/README.md
  expect 0 "a third" "$contrastive" train --method simcse --model "$model" --train pairs.tsv \
    --output $folder --force --max-steps 2 --batch-size 4
  holds $folder/README.before.md "# What we found out" "and again"
  absent "$folder/README.before-2.md" "a card is replaced by a card"
}

trained
shell_commands
c_program
other_languages
a_persons_words
finish
