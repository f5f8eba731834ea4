#!/bin/sh
# symbols.sh LIBRARY HEADER [PLUGIN]: the library exports the functions that the header declares,
# with the version of CS_ABI_VERSION, and nothing else except what the training plugin takes. The
# plugin exports nothing. Both are linked only with libraries that a consumer expects, and have no
# RUNPATH.
set -eu
library=$1 header=$2 part=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
abi=$(sed -n 's/^#define CS_ABI_VERSION \([0-9]*\)$/\1/p' "$header")
grep -oE '^CS_API [^(]*\bcs_[a-z0-9_]+\(' "$header" | sed "s/.*\b\(cs_.*\)(/\1@@CONTRASTIVE_$abi/" |
  LC_ALL=C sort >"$work/declared"
[ "$(wc -l <"$work/declared")" -ge 50 ] || { echo "too few functions were found in $header" >&2;
  exit 1; }
nm -D --defined-only --with-symbol-versions "$library" | awk '$2 != "A" { print $3 }' |
  grep -v '@@CONTRASTIVE_PARTS_' | LC_ALL=C sort >"$work/exported"
diff -u "$work/declared" "$work/exported" ||
  { echo "$library does not export what $header declares" >&2; exit 1; }
[ -n "$part" ] || exit 0  # tests/abi/planted.sh passes no plugin

# The plugin exports nothing. An object of the library is not defined in the plugin again, because
# the two copies would hold different values.
exported=$(nm -D --defined-only "$part" | awk '$2 != "A" { print $3 }')
[ -z "$exported" ] || { echo "the plugin exports $exported" >&2; exit 1; }
nm -D --defined-only "$library" | awk '$2 ~ /[TBD]/ { print $3 }' | sed 's/@.*//' |
  LC_ALL=C sort -u >"$work/held"
if [ -n "$(nm "$part" 2>/dev/null)" ]; then
  nm --defined-only "$part" | awk '$2 ~ /[tTbBdD]/ { print $3 }' |
    LC_ALL=C sort -u >"$work/held_again"
  again=$(LC_ALL=C comm -12 "$work/held" "$work/held_again" | grep '^_ZN' || true)
  [ -z "$again" ] || { echo "library and plugin both define $again" >&2; exit 1; }
fi

# No static object is destroyed at exit, while threads may still use it
# (core/system/posix/library/static_destructors.cpp), and dlclose() unloads nothing.
for each in "$library" "$part"; do
  if ! readelf -dW "$each" | grep -q 'FLAGS_1.*NODELETE'; then
    echo "$each can be unloaded under its own threads" >&2
    exit 1
  fi
  if nm -D --undefined-only "$each" | grep -q '__cxa_atexit'; then
    echo "$each registers destructors that run at exit" >&2
    exit 1
  fi
done

# expect FILE ALLOWED NAME: the file is linked with ALLOWED only, its SONAME is NAME.so and
# CS_ABI_VERSION, and it has no RUNPATH.
expect() {
  for name in $(objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }'); do
    case $name in
      libstdc++.so.6 | libm.so.6 | libgcc_s.so.1 | libc.so.6 | ld-linux-*) ;;
      libpthread.so.0 | libdl.so.2 | librt.so.1) ;;  # files of the C library before glibc 2.34
      libasan.so.* | libubsan.so.* | libtsan.so.*) ;;  # a build with sanitizers
      *)
        echo "$name" | grep -Eq "^($2)\$" ||
          { echo "$1 needs $name, which no consumer expects" >&2; exit 1; }
        ;;
    esac
  done
  objdump -p "$1" | grep -q "SONAME *$3\.so\.$abi\$" ||
    { echo "the SONAME of $1 does not end in CS_ABI_VERSION" >&2; exit 1; }
  if objdump -p "$1" | grep -Eq 'RUNPATH|RPATH'; then
    echo "$1 has a RUNPATH: it names a folder of the machine that built it" >&2
    exit 1
  fi
}
# Shared ICU and zlib only where there are no static ones (packaging/cmake/icu.cmake, zlib.cmake).
expect "$library" 'libicuuc\.so\..*|libicudata\.so\..*|libz\.so\.1' libcontrastive
expect "$part" \
  "libcontrastive\.so\.$abi|libtorch_cpu\.so|libc10\.so|libgomp.*\.so\.1|libz\.so\.1" \
  libcontrastive-torch
echo "$(wc -l <"$work/declared") symbols, as the header declares them"
