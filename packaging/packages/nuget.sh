#!/usr/bin/env bash
# Makes the NuGet packages in packages/nuget of CONTRASTIVE_DIST. A client can use that folder as a
# package source.
#
#   packaging/packages/nuget.sh
#
#   Contrastive            The assembly for netstandard2.0 and .NET 8, its documentation, and the
#                          native libraries.
#   Contrastive.Torch      The training plugin.
#   Contrastive.Extensions.AI
#                          The embedding generator of Microsoft.Extensions.AI, for netstandard2.0,
#                          .NET 8 and .NET 10.
#   Contrastive.*.snupkg   The symbols of the assemblies.
#
# CONTRASTIVE_ARCH names the processors (common.sh). Each has a folder in runtimes/.
# packaging/natives.sh makes the native libraries, and packaging/toolchains/csharp.sh installs the
# compiler.
set -euo pipefail
# shellcheck source=packaging/packages/common.sh
. "$(dirname "$0")/common.sh"
for tool in swig cmake python3 unzip nm; do need $tool packaging/toolchains/csharp.sh; done

work_in "$dist/work/nuget"
mkdir -p "$work/new"
cores=() torches=() glues=() platforms=
for arch in "${architectures[@]}"; do
  of_arch "$arch"
  core=$(native "$library")
  torch=$(native "$part")
  glue=$(native libcontrastive_csharp.so)
  cores+=("$core=runtimes/$platform/native/$library")
  torches+=("$torch=runtimes/$platform/native/$part")
  platforms+=" $platform"
  glues+=("$glue=runtimes/$platform/native/libcontrastive_csharp.so")
done

# --- the assembly ---------------------------------------------------------------------------------
say "version $version, natives for ${architectures[*]}"
CONTRASTIVE_LIBRARY=$core CONTRASTIVE_GLUE=$glue CSHARP_BUILD=$work CONFIGURATION=Release \
  CSHARP_PLATFORMS=${platforms# } "$root/bindings/csharp/build.sh" \
  "$root"/bindings/csharp/Contrastive{,.Extensions.AI} >"$work/build.log" 2>&1 ||
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
commit=$(git -c safe.directory="$root" -C "$root" rev-parse HEAD 2>/dev/null || echo unknown)
python3 "$root/packaging/packages/icon.py" "$work/icon.png"
common=("$work/icon.png=icon.png" "$sources/README.md=README.md" "$root/LICENSE=LICENSE" \
  "$root/NOTICE=NOTICE" "$root/THIRD_PARTY_LICENSES=THIRD_PARTY_LICENSES")
touch "$work/_._"  # NuGet's name for "nothing here, and that is meant"
assemblies=() symbols=()
for framework in netstandard2.0 net8.0; do
  built=$work/bin/Contrastive/$framework
  for file in dll xml; do
    assemblies+=("$built/Contrastive.$file=lib/$framework/Contrastive.$file")
  done
  symbols+=("$built/Contrastive.pdb=lib/$framework/Contrastive.pdb")
done
pack() { python3 "$root/packaging/packages/nupkg.py" "$version" "$commit" "$sources/$1.nuspec" \
  "$work/new/$1.$version.$2" "${@:3}"; }
pack Contrastive nupkg "${common[@]}" "${assemblies[@]}" "${cores[@]}" "${glues[@]}"
pack Contrastive snupkg "${symbols[@]}"
ai=Contrastive.Extensions.AI assemblies=() symbols=()
for framework in netstandard2.0 net8.0 net10.0; do
  built=$work/bin/$ai/$framework
  for file in dll xml; do assemblies+=("$built/$ai.$file=lib/$framework/$ai.$file"); done
  symbols+=("$built/$ai.pdb=lib/$framework/$ai.pdb")
done
pack $ai nupkg "$work/icon.png=icon.png" "$sources/$ai/README.md=README.md" \
  "$root/LICENSE=LICENSE" "$root/NOTICE=NOTICE" \
  "$root/THIRD_PARTY_LICENSES=THIRD_PARTY_LICENSES" "${assemblies[@]}"
pack $ai snupkg "${symbols[@]}"
pack Contrastive.Torch nupkg "${common[@]}" "$work/_._=lib/netstandard2.0/_._" "${torches[@]}"

for package in "$work"/new/*.nupkg; do

  carries "$package" '' LICENSE NOTICE THIRD_PARTY_LICENSES

done
mkdir -p "$packages"
rm -rf "$packages/nuget"
mv "$work/new" "$packages/nuget"
say "made $(cd "$packages/nuget" &&
  du -h -- * | awk '{ printf "%s%s (%s)", sep, $2, $1; sep = ", " }') in $packages/nuget"
