#!/bin/sh
# symbols.sh LIBRARY GOLDEN HEADER [TORCH_PART]: the library exports what the golden list says, with its versions, and to its other part what that part
# takes; the list is what the header declares; nothing is loaded that a consumer would not expect, and nothing says where it was built. A new function is
# a new line in the golden list, on purpose.
set -eu
library=$1 golden=$2 header=$3 part=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm -D --defined-only --with-symbol-versions "$library" | awk '$2 != "A" { print $3 }' | grep -v '@@CONTRASTIVE_PARTS_' | LC_ALL=C sort >"$work/exported"
diff -u "$golden" "$work/exported" || { echo "the exported symbols are not those of $golden" >&2; exit 1; }

sed 's/@@.*//' "$golden" | LC_ALL=C sort >"$work/listed"
grep -v '^ \*' "$header" | grep -o '\bcs_[a-z0-9_]*(' | tr -d '(' | LC_ALL=C sort -u >"$work/declared"
diff -u "$work/listed" "$work/declared" || { echo "the header and $golden differ" >&2; exit 1; }
[ -n "$part" ] || exit 0  # tests/abi/planted.sh asks for no more

# The part exports nothing, and what the library holds it does not hold again: two copies of one object would not know of each other.
exported=$(nm -D --defined-only "$part" | awk '$2 != "A" { print $3 }')
[ -z "$exported" ] || { echo "the part exports $exported" >&2; exit 1; }
nm -D --defined-only "$library" | awk '$2 ~ /[TBD]/ { print $3 }' | sed 's/@.*//' | LC_ALL=C sort -u >"$work/held"
if [ -n "$(nm "$part" 2>/dev/null)" ]; then
  nm --defined-only "$part" | awk '$2 ~ /[tTbBdD]/ { print $3 }' | LC_ALL=C sort -u >"$work/held_again"
  again=$(LC_ALL=C comm -12 "$work/held" "$work/held_again" | grep '^_ZN' || true)
  [ -z "$again" ] || { echo "both parts hold $again" >&2; exit 1; }
fi

# No static object is destroyed at exit, under the threads that use it (capi/src/static_destructors.cpp).
for each in "$library" "$part"; do
  if nm -D --undefined-only "$each" | grep -q '__cxa_atexit'; then echo "$each registers destructors that run at exit" >&2; exit 1; fi
done

# expect FILE ALLOWED: what it is linked with, its name, and no RUNPATH.
expect() {
  for name in $(objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }'); do
    case $name in
      libz.so.1 | libstdc++.so.6 | libm.so.6 | libgcc_s.so.1 | libc.so.6 | ld-linux-*) ;;
      libpthread.so.0 | libdl.so.2 | librt.so.1) ;;  # parts of the C library that glibc before 2.34 has in files of their own
      libasan.so.* | libubsan.so.* | libtsan.so.*) ;;  # a build with sanitizers
      *) echo "$name" | grep -Eq "^($2)\$" || { echo "$1 needs $name, which no consumer expects" >&2; exit 1; } ;;
    esac
  done
  objdump -p "$1" | grep -q "SONAME *$3\.so\.0\$" || { echo "the SONAME of $1 does not end in the number of the ABI" >&2; exit 1; }
  if objdump -p "$1" | grep -Eq 'RUNPATH|RPATH'; then echo "$1 has a RUNPATH: it names a folder of the machine that built it" >&2; exit 1; fi
}
# A shared ICU only where there is no static one (packaging/cmake/icu.cmake).
expect "$library" 'libicuuc\.so\..*|libicudata\.so\..*' libcontrastive
expect "$part" 'libcontrastive\.so\.0|libtorch_cpu\.so|libc10\.so|libgomp.*\.so\.1' libcontrastive-torch
echo "$(wc -l <"$golden") symbols, as listed"
