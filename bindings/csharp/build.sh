#!/usr/bin/env bash
# Generates the raw layer with SWIG, compiles its native half, and builds the projects named
# (default: the package) with the .NET SDK that packaging/toolchains/dotnet.sh finds.
#
#   bindings/csharp/build.sh [PROJECT...]
#
# Environment variables:
#
#   CONTRASTIVE_LIBRARY   The libcontrastive to link and pack: the file, or its folder (default:
#                         build/release).
#   CONTRASTIVE_GLUE      An existing libcontrastive_csharp.so (packaging/packages/nuget.sh).
#                         Default: it is compiled.
#   CSHARP_PLATFORMS      The platforms whose libraries will be in the package, for the loader's
#                         errors (default: linux-x64).
#   CSHARP_BUILD          The output folder (default: build/csharp).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
out=${CSHARP_BUILD:-$root/build/csharp}
library=${CONTRASTIVE_LIBRARY:-$root/build/release}
[ ! -d "$library" ] || library=$library/libcontrastive.so.0
[ -e "$library" ] || {
  echo "build.sh: $library is missing: build the library first, or set CONTRASTIVE_LIBRARY" >&2;
  exit 1; }

# --- raw layer ------------------------------------------------------------------------------------
mkdir -p "$out/native" "$out/generated.new"
rm -f "$out"/generated.new/*
swig -c++ -csharp -Wall -Werror -module Native -namespace Contrastive.Interop \
  -dllimport contrastive_csharp -DSWIG_CSHARP_NO_EXCEPTION_HELPER -DSWIG_CSHARP_NO_STRING_HELPER \
  -DSWIG_CSHARP_NO_WSTRING_HELPER -I"$root/bindings/swig" -outdir "$out/generated.new" \
  -o "$out/generated.new/native_wrap.cpp" "$root/bindings/swig/contrastive.i"
strays=$(find "$out/generated.new" -name 'SWIGTYPE_*')
[ -z "$strays" ] || {
  printf 'build.sh: no typemap of csharp_types.swg fits, so SWIG made up a class:\n%s\n' "$strays" \
  >&2; exit 1; }

# Unchanged files keep their time, so that an incremental build has nothing to do.
update() { cmp -s "$1" "$2" || cp "$1" "$2"; }
mkdir -p "$out/generated"
for file in "$out"/generated.new/*.{cs,cpp}; do
  update "$file" "$out/generated/$(basename "$file")"
done
cmake -D FROM="$library" -D TO="$out/native" -P "$root/bindings/java/jni/pack.cmake"
glue=$out/native/libcontrastive_csharp.so
if [ -n "${CONTRASTIVE_GLUE:-}" ]; then
  cp "$CONTRASTIVE_GLUE" "$glue"
elif [ ! -e "$glue" ] || [ "$out/generated/native_wrap.cpp" -nt "$glue" ] ||
  [ "$root/bindings/csharp/csharp.map" -nt "$glue" ]; then
  g++ -std=c++17 -O2 -fPIC -shared -Wall -Wextra -Werror -fvisibility=hidden \
    -I"$root/capi/include" "$out/generated/native_wrap.cpp" -Wl,-soname,libcontrastive_csharp.so \
    -Wl,-rpath,'$ORIGIN' -Wl,--enable-new-dtags -Wl,--no-undefined \
    -Wl,--version-script="$root/bindings/csharp/csharp.map" "$out/native/libcontrastive.so.0" \
    -o "$glue.new"
  mv "$glue.new" "$glue"
fi

# --- projects -------------------------------------------------------------------------------------
eval "$("$root/packaging/toolchains/dotnet.sh" --env)"
[ $# -gt 0 ] || set -- "$root/bindings/csharp/Contrastive"
for project in "$@"; do
  dotnet build "$project" --nologo --verbosity quiet "-p:BuildFolder=$out/" --configuration \
    "${CONFIGURATION:-Debug}" "-p:NativePlatforms=${CSHARP_PLATFORMS:-linux-x64}"
done
