#!/bin/sh
# platform.sh README LIBRARY PROGRAM: what README says the binaries need of the system is what they need: the newest symbol versions of the C and C++
# libraries, and ICU inside. The figures are Debian 12's; on other systems the build takes other versions, and this test says so.
set -eu
readme=$1
shift
# shellcheck source=/dev/null
[ "$(. /etc/os-release 2>/dev/null && echo "${ID:-}${VERSION_ID:-}")" = debian12 ] || { echo "skipped: README's figures are those of a build on Debian 12"; exit 77; }
newest() {  # newest PREFIX FILES...
  prefix=$1
  shift
  objdump -T "$@" 2>/dev/null | grep -o "${prefix}_[0-9][0-9.]*" | LC_ALL=C sort -u -V | tail -n 1 | sed "s/${prefix}_//"
}
glibc=$(newest GLIBC "$@")
cxx=$(newest GLIBCXX "$@")
sentence="glibc $glibc and libstdc++ with GLIBCXX_$cxx"
objdump -p "$1" | grep -q 'NEEDED *libicu' && sentence="$sentence and ICU, though it should be inside"
tr '\n' ' ' <"$readme" | tr -s ' ' | grep -q -F "$sentence" || { echo "README's limits do not say: $sentence" >&2; exit 1; }
echo "as README says: $sentence"
