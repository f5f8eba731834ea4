# Sourced by tests/packages/run.sh before each KIND.sh: clean Debian systems, an ordinary user in
# them, and what every kind of package is asked.
#
#   fresh SUITE [PACKAGE...]    a clean root at $machine: a minimal Debian SUITE with packages that
#                               a user has already, and the user `reader` (1000)
#                               of the processor that CONTRASTIVE_ARCH names, emulated where it is
#                               another than this machine's
#   as_admin / as_reader COMMAND...   runs it there; reader's home holds the model all-MiniLM-L6-v2,
#                                     /packages the packages, /tests this folder; all read-only
#   made KIND                    ends the run where packages of that kind were not made
#   expect NAME STATUS TEXT COMMAND...   exit status, and a text in what it printed
#   snapshot FILE, left_behind FILE      what an installation left of itself
#
# Minimal systems are kept in the cache, made once; a run copies them.
# shellcheck shell=bash

failures=0 cases=0
reader_has=()  # more of what reader finds, as in_root's binds
# made KIND: the folder of a kind of packages is there.
made() { [ -d "$packages/$1" ] || die "$packages/$1 is missing: run packaging/package.sh $1"; }
# releases of Debian that archives and Debian packages are tried on: the oldest, and the one that is
# built on
suites=${CONTRASTIVE_SUITES:-bookworm bullseye}
machine=$work/machine

fresh() {
  local suite=$1 kept
  shift
  kept=$cache/packages/$suite
  [ "$arch" = amd64 ] || kept+=-$arch
  [ $# -eq 0 ] || kept+=$(printf -- '-%s' "$@")
  make_root "$kept" "$suite:$arch" "$@"
  emulate "$arch"
  as_root rm -rf --one-file-system "$machine"
  as_root cp -a "$kept" "$machine"
  in_root "$machine" -- useradd --create-home --home-dir /reader --uid 1000 reader
}

as_admin() { in_root "$machine" "$packages:/packages:ro" "$root/tests/packages:/tests:ro" -- "$@"; }
as_reader() {
  in_root "$machine" USER=1000:1000 "$model:/reader/all-MiniLM-L6-v2:ro" "$packages:/packages:ro" \
    "$work/reader:/reader/work" \
    "$root/tests/packages:/tests:ro" ${reader_has[@]+"${reader_has[@]}"} -- env --chdir=/reader \
      HOME=/reader "$@"
}

failed() { echo "FAILED: $*" >&2; sed 's/^/    /' "$work/printed" >&2; failures=$((failures + 1)); }
expect() {
  local name=$1 status=$2 text=$3 got=0
  shift 3
  "$@" >"$work/printed" 2>&1 || got=$?
  cases=$((cases + 1))
  if [ "$got" -ne "$status" ]; then failed "$name: exit status $got, not $status"; return 0; fi
  [ -z "$text" ] || grep -q -F -- "$text" "$work/printed" || failed "$name: does not say: $text"
}

# The files of the system; what daemons and package managers note about their own work is left out.
snapshot() {
  (cd "$machine" && as_root find etc usr opt var -not -path 'var/lib/dpkg/*' -not -path \
    'var/cache/*' -not -path 'var/log/*' -not -path 'var/lib/apt/*' \
    -not -path 'etc/ld.so.cache' -not -name '*-' | LC_ALL=C sort) >"$1"
}
left_behind() {
  snapshot "$work/after"
  comm -13 "$1" "$work/after" >"$work/printed"
  cases=$((cases + 1))
  [ ! -s "$work/printed" ] || failed "removing leaves files behind"
}

# The ten lines of C that README shows, and the texts that the commands search.
sed -n '/^```c$/,/^```$/p' "$root/README.md" | sed '/^```/d' >"$work/reader/ten.c"
printf '%s\n' 'A man is eating food.' 'A man is eating a piece of bread.' \
  'The girl is carrying a baby.' 'A man is riding a horse.' >"$work/reader/texts.txt"
printf 'a text\tits pair\nanother\tof it\nthird\tone\nfourth\tone more\n' >"$work/reader/pairs.tsv"
ten_lines_print=0.680

# Runs the program on the real model, without the training plugin.
embeds_and_searches() {  # embeds_and_searches PROGRAM
  expect "encode" 0 "" as_reader "$1" encode --model all-MiniLM-L6-v2 --input work/texts.txt \
    --output work/vectors.npy --force
  expect "search" 0 "A man is eating a piece of bread." as_reader "$1" search \
    --model all-MiniLM-L6-v2 --corpus work/texts.txt --top-k 2 "somebody eats bread"
  expect "doctor" 0 "" as_reader "$1" doctor --model all-MiniLM-L6-v2
}

# says_what_training_needs PROGRAM TEXT: where the part or LibTorch is missing
says_what_training_needs() {
  expect "train without" 9 "$2" as_reader "$1" train --model all-MiniLM-L6-v2 --method mnrl \
    --train work/pairs.tsv --output trained --max-steps 1
}
# A LibTorch of another version, with the files that are checked.
an_old_libtorch='mkdir -p old/lib && echo 2.4.1+cpu >old/build-version &&
  touch old/lib/libtorch_cpu.so old/lib/libc10.so'

# What pip install --user torch leaves; on arm64, for which no archive has LibTorch.
by_pip=("$(dirname "$libtorch"):/reader/.local/lib/python3.11/site-packages:ro")
trains() {  # trains PROGRAM
  expect "train" 0 "after 2 steps" as_reader "$1" train --model all-MiniLM-L6-v2 --method mnrl \
    --train work/pairs.tsv --output "work/trained-$RANDOM" --max-steps 2 --batch-size 2
}
