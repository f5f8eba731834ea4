# checks.sh: what the tests of the program share; sourced as `source FOLDER/checks.sh PROGRAM`.
# Makes an empty folder and goes there, counts what passes and what fails, and says which check it
# was. `finish` ends a test.
set -uo pipefail
contrastive=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
passed=0 failed=0
unset "${!CONTRASTIVE_@}"

pass() { passed=$((passed + 1)); }
complain() { failed=$((failed + 1)); echo "FAILED: $*" >&2; }
# expect CODE NAME COMMAND...: runs it with its output in $work/out and $work/err.
expect() {
  local code=$1 name=$2 got=0
  shift 2
  "$@" >out 2>err || got=$?
  if [ "$got" -eq "$code" ]; then
    pass; else complain "$name: exit code $got, not $code: $(head -c 600 err)"; fi
}
# holds FILE TEXT NAME, lacks FILE TEXT NAME, equal FILE FILE NAME, absent PATTERN NAME
holds() { if grep -qF -- "$2" "$1"; then
  pass; else complain "$3: '$2' is not in $1: $(head -c 600 "$1")"; fi; }
lacks() { if grep -qF -- "$2" "$1"; then complain "$3: '$2' is in $1: $(head -c 600 "$1")"; else \
  pass; fi; }
equal() { if cmp -s "$1" "$2"; then pass; else complain "$3: $1 and $2 differ"; fi; }
absent() { if ls $1 >/dev/null 2>&1; then complain "$2: $1 is still there"; else pass; fi; }
# small_files: makes texts.txt, sts.tsv with scores, and pairs.tsv.
small_files() {
  local i
  printf '%s\n' 'the cat sat on the mat.' 'A dog' \
    'Two birds fly over the old house; the café is closed!' '' >texts.txt
  printf '%b\n' '5\tthe cat sat\tthe cat sat' '1\tthe cat sat\ttwo birds fly' '3\ta dog\tthe dog' \
    '0\tred\tclosed house' >sts.tsv
  for i in 1 2 3 4 5 6 7 8; do printf 'the cat sat %d\ta cat sits %d\n' $i $i; done >pairs.tsv
}
# brackets KEY: an object whose value is nested 400,000 levels deep.
brackets() {
  printf '{"%s": ' "$1"
  head -c 400000 /dev/zero | tr '\0' '['
  head -c 400000 /dev/zero | tr '\0' ']'
  printf '}\n'
}
finish() {
  echo "$passed checks passed, $failed failed"
  [ "$failed" -eq 0 ]
}
