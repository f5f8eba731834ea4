#!/usr/bin/env bash
# help_files.sh PROGRAM BUILD: manual pages and completion, as the program writes them and as the
# build has them: pages without a warning of groff, completion that answers in the real shells,
# every verb and option in each.
set -uo pipefail
build=$(realpath "$2")
source "$(dirname "$0")/../program/checks.sh" "$1"

"$contrastive" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' >verbs
if [ "$(wc -l <verbs)" -ge 15 ]; then pass; else complain "only $(wc -l <verbs) verbs were found";
  fi
options_of() { "$contrastive" "$1" --help |
  sed -n '/^Options:/,/^$/s/^  \(-[a-z],\)\{0,1\}\(--[a-z-]*\).*/\2/p'; }

pages() {
  expect 0 "every page" "$contrastive" man --output pages
  expect 0 "the build's pages are the program's" diff -r pages "$build/help/man1"
  expect 2 "a page of a verb that there is not" "$contrastive" man encdoe
  expect 2 "a verb beside --output" "$contrastive" man encode --output pages
  while read -r verb; do
    expect 0 "page of $verb" "$contrastive" man "$verb"
    equal out "pages/contrastive-$verb.1" "the page of $verb is the same alone"
    grep -q "contrastive-$verb" <(sed 's/\\-/-/g' pages/contrastive.1) ||
      complain "contrastive(1) does not name $verb"
    while read -r option; do
      holds <(sed 's/\\-/-/g' out) "$option" "page of $verb tells $option"
    done < <(options_of "$verb")
  done <verbs
  if ! command -v groff >/dev/null; then
    echo "skipped: what groff says of the pages (packaging/bootstrap.sh docs)"; return; fi
  local page
  for page in pages/*.1; do
    groff -man -Tutf8 -ww -K utf8 -z "$page" 2>warnings || complain "groff refuses $page"
    if [ -s warnings ]; then complain "groff warns of $page: $(head -n 3 warnings)"; else pass; fi
    if command -v man >/dev/null; then
      LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" \
        2>warnings >rendered || complain "man refuses $page"
      if [ -s warnings ]; then complain "man warns of $page: $(head -n 3 warnings)"; else pass; fi
    fi
  done
  # what groff must see, so that its silence means something
  printf '.SH\n.BOLD x\n.TP\n\\fB\\s' >broken.1
  groff -man -Tutf8 -ww -z broken.1 2>warnings
  if [ -s warnings ]; then pass; else complain "groff says nothing of a broken page"; fi
}

# completed WORD...: what bash offers for the last word of `contrastive WORD...`
completed() {
  # shellcheck disable=SC2030,SC2031
  (source ./bash.script && COMP_WORDS=(contrastive "$@") COMP_CWORD=$# && _contrastive &&
    printf '%s\n' "${COMPREPLY[@]}")
}
# typed TEXT SHELL...: what a shell on a terminal, in the folder `folders`, makes of `contrastive
# TEXT<TAB>`. Its settings make Ctrl-T write the line down.
typed() {
  local text=$1
  shift
  rm -f typed.line
  (cd folders && timeout 60 python3 -c '
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
os.write(terminal, f"contrastive {sys.argv[1]}\t\x14".encode())
try:
    while os.read(terminal, 4096):
        pass
except OSError:  # the shell has ended
    os.waitpid(child, 0)' "$text" "$@")
  cat typed.line
}
# completes TEXT LINE SHELL...: TEXT<TAB> becomes LINE
completes() {
  local text=$1 line=$2
  shift 2
  typed "$text" "$@" >out
  if [ "$(cat out)" = "contrastive $line" ]; then
    pass; else complain "${1/env/zsh}: '$text<TAB>' makes '$(cat out)', not 'contrastive $line'"; fi
}
mkdir -p folders/train "folders/two words"
: >"folders/a text.txt"
in_bash() {
  expect 0 "completion for bash" "$contrastive" completion bash
  cp out bash.script
  equal out "$build/help/contrastive.bash" "the build's completion is the program's"
  expect 0 "the script is bash" bash -n bash.script
  completed enc >out
  if [ "$(cat out)" = encode ]; then pass; else complain "enc<TAB> offers: $(cat out)"; fi
  completed "" >out
  while read -r verb; do holds out "$verb" "bash offers $verb"; done <verbs
  while read -r verb; do
    completed "$verb" -- >out
    while read -r option; do holds out "$option" "bash offers $option of $verb"; done \
      < <(options_of "$verb")
  done <verbs
  completed encode --output-format "" | sort | tr '\n' ' ' >out
  holds out "auto f32 jsonl npy" "bash offers the values of an option"
  completed encode --output-format = n >out
  if [ "$(cat out)" = npy ]; then pass; else complain "--output-format=n<TAB> offers: $(cat out)";
    fi
  completed completion f >out
  if [ "$(cat out)" = fish ]; then pass; else complain "completion f<TAB> offers: $(cat out)"; fi
  : >"two words.txt"
  completed encode --input two >out
  if [ "$(cat out)" = "two words.txt" ]; then
    pass; else complain "a name with a space is completed as: $(cat out)"; fi
  cat >typed.rc <<'END'
source ../bash.script
bind -x '"\C-t": printf "%s\n" "$READLINE_LINE" >../typed.line; exit'
END
  local shell=(bash --noprofile --rcfile ../typed.rc -i)
  completes 'tra' 'train ' "${shell[@]}"  # beside a folder of this name
  completes 'encode --input two' 'encode --input two\ words/' "${shell[@]}"
  completes 'encode --input a' 'encode --input a\ text.txt ' "${shell[@]}"
  completes 'encode --output-format np' 'encode --output-format npy ' "${shell[@]}"
  completes 'encode --model DIR --thr' 'encode --model DIR --threads ' "${shell[@]}"
}

in_zsh() {
  expect 0 "completion for zsh" "$contrastive" completion zsh
  cp out _contrastive
  equal out "$build/help/_contrastive" "the build's completion for zsh is the program's"
  while read -r verb; do holds out "$verb:" "zsh's script has $verb"; done <verbs
  if ! command -v zsh >/dev/null; then
    echo "skipped: zsh reads its script (packaging/bootstrap.sh docs)"; return; fi
  expect 0 "the script is zsh" zsh -n _contrastive
  mkdir -p zsh.settings
  cat >zsh.settings/.zshrc <<'END'
fpath=(${PWD:h} $fpath)
autoload -U compinit && compinit -u -d ../dump
write-down() { print -r -- $BUFFER >../typed.line; exit }
zle -N write-down && bindkey '^T' write-down
END
  local shell=(env ZDOTDIR=../zsh.settings zsh -i -o no_global_rcs)
  completes 'tra' 'train ' "${shell[@]}"  # beside a folder of this name
  completes 'encode --output-f' 'encode --output-format=' "${shell[@]}"
  completes 'encode --output-format np' 'encode --output-format npy ' "${shell[@]}"
  completes 'encode --output-format=np' 'encode --output-format=npy ' "${shell[@]}"
  completes 'encode --model DIR --thr' 'encode --model DIR --threads=' "${shell[@]}"
  completes 'encode --input two' 'encode --input two\ words/' "${shell[@]}"
  completes 'encode --input=a' 'encode --input=a\ text.txt ' "${shell[@]}"
  completes 'encode --model DIR --threads 2 --quie' 'encode --model DIR --threads 2 --quiet ' \
    "${shell[@]}"
  completes 'completion fi' 'completion fish ' "${shell[@]}"
}

in_fish() {
  expect 0 "completion for fish" "$contrastive" completion fish
  cp out contrastive.fish
  equal out "$build/help/contrastive.fish" "the build's completion for fish is the program's"
  if ! command -v fish >/dev/null; then
    echo "skipped: fish reads its script (packaging/bootstrap.sh docs)"; return; fi
  export XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data HOME=$work
  expect 0 "the script is fish" fish --no-execute contrastive.fish
  expect 0 "verbs in fish" fish -c 'source contrastive.fish; complete -C "contrastive "'
  while read -r verb; do holds out "$verb" "fish offers $verb"; done <verbs
  expect 0 "options in fish" fish -c 'source contrastive.fish; complete -C "contrastive encode --"'
  cp out offered
  while read -r option; do holds offered "$option" "fish offers $option"; done < <(options_of \
    encode)
  expect 0 "values in fish" fish -c \
    'source contrastive.fish; complete -C "contrastive encode --output-format "'
  holds out "npy" "fish offers the values of an option"
  expect 0 "shells in fish" fish -c \
    'source contrastive.fish; complete -C "contrastive completion z"'
  holds out "zsh" "fish offers what a verb takes"
}

pages
in_bash
in_zsh
in_fish
finish
