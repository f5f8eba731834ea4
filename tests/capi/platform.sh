#!/bin/sh
# platform.sh [--packages] TEXT LIBRARY FILE...: what a text says the binaries need of the system is
# what they need: the newest symbol versions of the C and C++ libraries, and ICU and zlib
# inside; no RUNPATH leads out of their folders, and no source is named by the folder it was built
# in. README's figures are those of a build on Debian 12; on other systems the build takes other
# versions, and this test says so. With --packages the binaries are those of packaging/natives.sh,
# the same on every system.
set -eu
if [ "$1" = --packages ]; then
  shift
else
  # shellcheck source=/dev/null
  [ "$(. /etc/os-release 2>/dev/null && echo "${ID:-}${VERSION_ID:-}")" = debian12 ] || {
    echo "skipped: README's figures are those of a build on Debian 12"; exit 77; }
fi
text=$1
shift
for file in "$@"; do
  paths=$(objdump -p "$file" | awk '$1 == "RUNPATH" || $1 == "RPATH" { print $2 }' | tr : '\n')
  for path in $paths; do
    case $path in '$ORIGIN' | '$ORIGIN/'*) ;; *) echo "$file looks for libraries in '$path'" >&2;
      exit 1 ;; esac
  done
  source=$(LC_ALL=C grep -aoP '(?<![\w./-])/[\w./-]*/core/[a-z_]+/[a-z_/]+\.(cpp|h)' "$file" \
    | grep -v '^/usr/' | head -n 1)
  [ -z "$source" ] || { echo "$file names a folder of the machine that built it: $source" >&2;
    exit 1; }
done
newest() {  # newest PREFIX FILES...
  prefix=$1
  shift
  objdump -T "$@" 2>/dev/null | grep -o "${prefix}_[0-9][0-9.]*" | LC_ALL=C sort -u -V | tail -n 1 |
    sed "s/${prefix}_//"
}
glibc=$(newest GLIBC "$@")
cxx=$(newest GLIBCXX "$@")
sentence="glibc $glibc and libstdc++ with GLIBCXX_$cxx"
outside=$(objdump -p "$@" | grep -Eo 'NEEDED *lib(icu[a-z0-9]*|z)\.so.*' | sort -u)
[ -z "$outside" ] || sentence="$sentence and what should be inside: $outside"
case $(tr '\n' ' ' <"$text" | tr -s ' ') in *"$sentence"[!0-9.]* | *"$sentence".[!0-9]*) ;; *) \
  echo "$text does not say: $sentence" >&2; exit 1 ;; esac
echo "as $text says: $sentence"
