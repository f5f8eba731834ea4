#!/bin/sh
# symbols.sh LIBRARY GOLDEN HEADER: the library exports what the golden list says, with its versions; the list is what the header declares; and
# nothing is loaded that a consumer would not expect. A new function is a new line in the golden list, on purpose.
set -eu
library=$1 golden=$2 header=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm -D --defined-only --with-symbol-versions "$library" | awk '$2 != "A" { print $3 }' | LC_ALL=C sort >"$work/exported"
diff -u "$golden" "$work/exported" || { echo "the exported symbols are not those of $golden" >&2; exit 1; }

sed 's/@@.*//' "$golden" | LC_ALL=C sort >"$work/listed"
grep -v '^ \*' "$header" | grep -o '\bcs_[a-z0-9_]*(' | tr -d '(' | LC_ALL=C sort -u >"$work/declared"
diff -u "$work/listed" "$work/declared" || { echo "the header and $golden differ" >&2; exit 1; }

needed=$(objdump -p "$library" | awk '$1 == "NEEDED" { print $2 }')
for name in $needed; do
  case $name in
    libtorch_cpu.so | libc10.so | libgomp*.so.1 | libicuuc.so.* | libicudata.so.* | libz.so.1 | libstdc++.so.6 | libm.so.6 | libgcc_s.so.1 | libc.so.6 | ld-linux-*) ;;
    libasan.so.* | libubsan.so.* | libtsan.so.*) ;;  # a build with sanitizers
    *) echo "the library needs $name, which no consumer expects" >&2; exit 1 ;;
  esac
done
objdump -p "$library" | grep -q 'SONAME *libcontrastive\.so\.0$' || { echo "the SONAME does not end in the number of the ABI" >&2; exit 1; }
case $(objdump -p "$library" | awk '$1 == "RUNPATH" || $1 == "RPATH" { print $2 }') in
  *::* | *: | :* | '') echo "an empty RUNPATH entry makes the loader look in the current directory" >&2; exit 1 ;;
esac
echo "$(wc -l <"$golden") symbols, as listed"
