#!/usr/bin/env bash
# planted.sh ROOT: breaks of the binary interface, each planted in a copy of the recorded header and
# in a library made from it, and which of the checks see it. One that sees what it saw is not
# enough: a check that goes blind to a break fails this test. The checks:
#
#   symbols    tests/capi/symbols.sh: the exported names and their version are those of the header
#   abidiff    packaging/abi.sh: symbols, signatures and types that differ from the record
#   header     packaging/abi.sh: constants, offsets, initialisers, signatures that differ from the
#              recorded header's
#   soname     packaging/abi.sh: the SONAME is not CS_ABI_VERSION
#   pins       tests/capi/test_abi.c does not compile
#   program    tests/abi/every_call.c does not compile with the changed header, or does not link
#              with the changed library
#
# Each library is a stub, since abidiff compares what is declared and exported: the stub of the
# recorded header itself must be found equal to the record.
set -euo pipefail
root=$(cd "$1" && pwd)
command -v abidiff >/dev/null || {
  echo "skipped: abidiff is not installed (packaging/bootstrap.sh abi)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=${CC:-cc} record=$root/packaging/abi
failures=0 planted=0
abi=$(sed -n 's/^#define CS_ABI_VERSION //p' "$record/contrastive/contrastive.h")
sed -n "s/@ABI@/$abi/; 1,/^};/p" "$root/capi/parts.map.in" >"$work/stub.map"

# seen FOLDER: the checks that find something.
seen() {
  local found=() report=$1/report
  "$root/tests/capi/symbols.sh" "$1/libstub.so" "$1/contrastive/contrastive.h" >/dev/null 2>&1 ||
    found+=(symbols)
  if ! "$root/packaging/abi.sh" check "$1/libstub.so" "$1" >"$report" 2>&1; then
    ! grep -q '^abi: the binary interface' "$report" || found+=(abidiff)
    ! grep -q -e '^abi: a value' -e '^abi: the header ' "$report" || found+=(header)
    ! grep -q '^abi: the SONAME' "$report" || found+=(soname)
    # It ended for another reason, which no check may count as a finding.
    grep -q -e 'differs from that of' -e '^abi: the SONAME' "$report" || found+=(error)
  fi
  "$cc" -std=c11 -fsyntax-only -w -I "$1" "$root/tests/capi/test_abi.c" 2>/dev/null || found+=(pins)
  { "$cc" -std=c99 -pedantic -Werror -I "$1" -c "$root/tests/abi/every_call.c" -o "$1/new.o" &&
    "$cc" "$work/old.o" "$1/libstub.so" -lm -o "$1/old"; } >/dev/null 2>&1 || found+=(program)
  echo "${found[*]:-nothing}"
}
"$cc" -std=c99 -I "$record" -c "$root/tests/abi/every_call.c" -o "$work/old.o"

# plant WHAT EXPECTED FILE SED: FILE is header, map or stub.
plant() {
  local what=$1 expected=$2 file=$3 script=$4 folder=$work/$planted got
  planted=$((planted + 1))
  mkdir -p "$folder/contrastive"
  cp "$record/contrastive/contrastive.h" "$folder/contrastive/"
  cp "$work/stub.map" "$folder/"
  case $file in header) file=$folder/contrastive/contrastive.h ;; map) file=$folder/stub.map ;; esac
  cp "$file" "$folder/before"
  sed -i -e "$script" "$file"
  [ -z "$script" ] || ! cmp -s "$file" "$folder/before" || {
    echo "FAILED: $what: nothing was changed" >&2; failures=$((failures + 1)); return; }
  "$root/tests/abi/stub.sh" "$folder" "$abi" "$folder/libstub.so" "$folder/stub.map"
  got=$(seen "$folder")
  printf '%-52s %s\n' "$what" "$got"
  [ "$got" = "$expected" ] || { echo "FAILED: $what: '$expected' should see it" >&2; head -n 20 \
    "$folder/report" >&2; failures=$((failures + 1)); }
}

plant "nothing" nothing header ''
plant "a function is added" nothing header \
  's/^CS_API const char \*cs_version/CS_API void cs_more(void);\n&/'
plant "a function is removed" "abidiff header program" header '/^CS_API void cs_cancel_free/d'
plant "a function is renamed" "abidiff header program" header 's/\bcs_model_info\b/cs_model_about/'
plant "a parameter is narrower" "abidiff header" header \
  's/int64_t n_texts, const cs_encode_options/int32_t n_texts, const cs_encode_options/'
plant "a parameter is added" "abidiff header pins program" header \
  's/cs_version(void)/cs_version(int32_t part)/'
plant "two parameters change places" "abidiff header program" header \
  's/double label, cs_error/cs_error **error, double label, cs_error/
  s/\(cs_dataset_add(cs_dataset \*data\)\(, const char \*text_a\)\(, int64_t length_a\)/\1\3\2/'
plant "a result is wider" "abidiff header" header \
  's/CS_API int32_t cs_model_dimension/CS_API int64_t cs_model_dimension/'
plant "a parameter loses its const" "abidiff header program" header \
  's/cs_model_info(const cs_model/cs_model_info(cs_model/'
plant "a callback gains a parameter" "abidiff program" header \
  's/(\*cs_log_function)(int32_t level,/&  int32_t code,/'
plant "cs_status is wider" "abidiff header pins" header \
  's/typedef int32_t cs_status/typedef int64_t cs_status/'
plant "a struct gains a field at its end" abidiff header 's/^} cs_encode_options;/int64_t more;\n&/'
plant "a struct gains a field at its beginning" "abidiff header pins program" header \
  's/^  *uint32_t struct_size;/int64_t more;\n&/'
plant "a field is removed" "abidiff header pins program" header '/^  *int32_t max_length;/d'
plant "a field is wider" "abidiff header pins" header 's/^  *int32_t normalize;/int64_t normalize;/'
plant "two fields change places" "abidiff header pins" header \
  '/^  *int32_t truncate_dim;/{h;d};/^  *int32_t max_length;/G'
plant "a field is renamed" "abidiff header pins program" header 's/\btoken_counts\b/counts/'
plant "a constant has another value" "header pins" header \
  's/CS_ERROR_HANDLE = -2\b/CS_ERROR_HANDLE = -22/'
plant "two constants change values" "header pins" header \
  's/CS_METRIC_COSINE = 0/CS_METRIC_COSINE = 1/;s/CS_METRIC_DOT = 1/CS_METRIC_DOT = 0/'
plant "a constant is removed" "header pins program" header 's/CS_METRIC_EUCLIDEAN = 2,//'
plant "a constant is added" nothing header 's/CS_METRIC_MANHATTAN = 3/&, CS_METRIC_HAMMING = 4/'
plant "an initialiser has another value" header header \
  's/sizeof(cs_encode_options), -1/sizeof(cs_encode_options), 0/'
plant "an initialiser is removed" "header program" header '/^#define CS_ENCODE_OPTIONS_INIT/d'
plant "the symbols have another version" "symbols abidiff" map \
  's/CONTRASTIVE_[0-9]*/CONTRASTIVE_99/'
plant "the library hides a function" "symbols abidiff program" map \
  's/local:/local: cs_cancel_free;/'
plant "CS_ABI_VERSION without a new SONAME" "symbols soname" header 's/\(CS_ABI_VERSION\) .*/\1 99/'

# What may not pass for a comparison: a library without debug information, in which abidiff sees no
# difference.
strip -o "$work/stripped.so" "$work/4/libstub.so"
if "$root/packaging/abi.sh" check "$work/stripped.so" "$work/4" >"$work/out" 2>&1 ||
  ! grep -q 'no debug information' "$work/out"; then
  echo "FAILED: a stripped library was compared" >&2
  failures=$((failures + 1))
fi
# A field at the end that was reviewed (packaging/abi/appended.abignore) passes, and hides no field
# that moved; a patch release takes neither it nor a function.
cp -r "$record" "$work/reviewed"
printf '[suppress_type]\n  name = cs_encode_options\n  has_data_member_inserted_at = end\n' \
  >"$work/reviewed/appended.abignore"
reviewed() {  # reviewed NUMBER EXPECTED OPTION...: the check of what was planted with this number
  local number=$1 expected=$2 got=0
  shift 2
  CONTRASTIVE_ABI_RECORD=$work/reviewed "$root/packaging/abi.sh" check "$work/$number/libstub.so" \
    "$work/$number" "$@" >"$work/out" 2>&1 || got=$?
  [ "$got" -eq "$expected" ] || { echo "FAILED: break $number as reviewed, $*: ended with $got" >&2;
    head -n 20 "$work/out" >&2; failures=$((failures + 1)); }
}
reviewed 11 0
reviewed 11 1 --patch
reviewed 12 1
reviewed 15 1
reviewed 1 0
reviewed 1 1 --patch

[ "$failures" -eq 0 ] || { echo "$failures failed" >&2; exit 1; }
echo "$planted changes were planted, and seen by what should see them"
