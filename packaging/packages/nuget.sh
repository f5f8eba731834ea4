#!/usr/bin/env bash
# Makes the NuGet packages, in packages/nuget of CONTRASTIVE_DIST, a folder that a client takes as a
# package source.
#
#   packaging/packages/nuget.sh
#
# Contrastive          the assembly for netstandard2.0 and .NET Core 3.1 (which .NET 5 and newer
# take), its documentation, libcontrastive and its C# half Contrastive.Torch    the part that trains
# Contrastive.*.snupkg the symbols of the assembly CONTRASTIVE_ARCH names the processors
# (common.sh), each of which has its folder in runtimes/. The natives are those of
# packaging/natives.sh; the compiler is that of packaging/toolchains/csharp.sh.
set -euo pipefail
# shellcheck source=packaging/packages/common.sh
. "$(dirname "$0")/common.sh"
for tool in swig cmake python3 unzip nm; do need $tool packaging/toolchains/csharp.sh; done

work_in "$dist/work/nuget"
mkdir -p "$work/new"
cores=() torches=() glues=()
for arch in "${architectures[@]}"; do
  of_arch "$arch"
  core=$(native "$library")
  torch=$(native "$part")
  glue=$(native libcontrastive_csharp.so)
  cores+=("$core=runtimes/$platform/native/$library")
  torches+=("$torch=runtimes/$platform/native/$part")
  glues+=("$glue=runtimes/$platform/native/libcontrastive_csharp.so")
done

# --- the assembly ---------------------------------------------------------------------------------
say "version $version, natives for ${architectures[*]}"
CONTRASTIVE_LIBRARY=$core CONTRASTIVE_GLUE=$glue CSHARP_BUILD=$work CONFIGURATION=Release \
  "$root/bindings/csharp/build.sh" >"$work/build.log" 2>&1 ||
  { tail -n 40 "$work/build.log" >&2; die \
    "the assembly does not build; the whole log is $work/build.log"; }
wanted=$(grep -oh 'CSharp_[A-Za-z0-9_]*' "$work/generated/native_wrap.cpp" | sort -u)
for glue in "${glues[@]%%=*}"; do
  missing=$(comm -23 <(printf '%s\n' "$wanted") <(nm -D --defined-only "$glue" | awk \
    '{ print $NF }' | sort -u))
  [ -z "$missing" ] || die "$glue is of other sources than this tree: it lacks $missing"
done

# --- packages -------------------------------------------------------------------------------------
sources=$root/bindings/csharp
common=("$sources/README.md=README.md" "$root/LICENSE=LICENSE" "$root/NOTICE=NOTICE" \
  "$root/THIRD_PARTY_LICENSES=THIRD_PARTY_LICENSES")
touch "$work/_._"  # NuGet's name for "nothing here, and that is meant"
assemblies=() symbols=()
for framework in netstandard2.0 netcoreapp3.1; do
  for file in dll xml; do assemblies+=("$work/bin/Contrastive/$framework/Contrastive.$file=lib/$framework/Contrastive.$file"); done
  symbols+=("$work/bin/Contrastive/$framework/Contrastive.pdb=lib/$framework/Contrastive.pdb")
done
pack() { python3 "$root/packaging/packages/nupkg.py" "$version" "$sources/$1.nuspec" \
  "$work/new/$1.$version.$2" "${@:3}"; }
pack Contrastive nupkg "${common[@]}" "${assemblies[@]}" "${cores[@]}" "${glues[@]}"
pack Contrastive snupkg "${symbols[@]}"
pack Contrastive.Torch nupkg "${common[@]}" "$work/_._=lib/netstandard2.0/_._" "${torches[@]}"

for package in "$work"/new/*.nupkg; do

  carries "$package" '' LICENSE NOTICE THIRD_PARTY_LICENSES

done
mkdir -p "$packages"
rm -rf "$packages/nuget"
mv "$work/new" "$packages/nuget"
say "made $(cd "$packages/nuget" && du -h -- * | awk '{ printf "%s%s (%s)", sep, $2, $1; sep = ", " }') in $packages/nuget"
