#!/usr/bin/env bash
# coverage.sh: every function of contrastive.h is declared in contrastive.i, or stands below with the reason why not. (That a declaration has the
# right types is checked by the compiler: the generated wrappers call the functions of the header.)
set -euo pipefail
cd "$(dirname "$0")"
header=../../capi/include/contrastive/contrastive.h

# What the wrappers use themselves: errors and strings never reach a language as handles. Of the forms of one call, the packed one is wrapped. The
# log sink is a callback, which each language receives in its own way.
apart=" cs_error_status cs_error_message cs_error_free cs_string_free "
apart+="cs_rerank cs_rerank_packed cs_encode cs_encode_packed cs_encode_dimension cs_dataset_add_texts cs_train_batch cs_set_log_sink "

functions() {  # functions FILE PREFIX: what is called cs_...( outside comments
  tr '\n' ' ' <"$1" | sed 's/\/\*/\n\/*/g; s/\*\//*\/\n/g' | grep -v '^/\*' | grep -oE "$2cs_[a-z_0-9]+\(" |
    grep -oE 'cs_[a-z_0-9]+\($' | tr -d '(' | sort -u
}
in_header=$(functions "$header" '(CS_API [^;(]*)')
declared=$(sed '/%inline/,/^%}/d' contrastive.i | functions /dev/stdin '')
[ "$(wc -l <<<"$in_header")" -ge 50 ] || { echo "only $(wc -l <<<"$in_header") functions were found in $header" >&2; exit 1; }

failures=0
for function in $in_header; do
  case $apart in *" $function "*) continue ;; esac
  grep -qx "$function" <<<"$declared" || { echo "$function is not in contrastive.i" >&2; failures=$((failures + 1)); }
done
for function in $declared; do
  grep -qx "$function" <<<"$in_header" || { echo "$function is in contrastive.i, but not in the header" >&2; failures=$((failures + 1)); }
done
[ "$failures" -eq 0 ] || exit 1
echo "$(wc -l <<<"$in_header") functions in the header, $(wc -l <<<"$declared") wrapped, $(wc -w <<<"$apart") apart"
