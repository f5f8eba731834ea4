#!/usr/bin/env bash
# Builds a program outside the tree with the packages that packaging/packages/nuget.sh made:
# restored by the SDK from a folder as from any source, built and run, then published and run on
# .NET; and the unpacked package's netstandard2.0 assembly on mono. Nothing of the tree but the
# package is used.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
model=$root/tests/fixtures/models/bert_st
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}
dotnet=${DOTNET:-$cache/dotnet-3.1.23/run}
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
unset CONTRASTIVE_LIBRARY

packages=$root/build/csharp/dist/packages/nuget
unzip -Z1 "$packages"/Contrastive.[0-9]*.nupkg | sort >"$outside/content"
! grep -i 'torch\|libc10\|Tests\|swig' "$outside/content" || {
  echo "the package holds what it should not" >&2; exit 1; }

cp -r "$here/App" "$outside"
cat >"$outside/nuget.config" <<CONFIG
<configuration>
  <packageSources>
    <clear />
    <add key="folder" value="$packages" />
  </packageSources>
</configuration>
CONFIG
cd "$outside/App"
export NUGET_PACKAGES=$outside/cache
"$dotnet" build --nologo --verbosity quiet >/dev/null
"$dotnet" exec bin/Debug/netcoreapp3.1/App.dll "$model" | tee "$outside/build.log"
grep -q "from $outside/App/.*/runtimes/linux-x64/native/libcontrastive.so.0; LibTorch 2" \
  "$outside/build.log"
"$dotnet" publish --nologo --verbosity quiet --output "$outside/published"
"$dotnet" exec "$outside/published/App.dll" "$model" | tee "$outside/publish.log"
grep -q "from $outside/published/.*libcontrastive.so.0; LibTorch 2" "$outside/publish.log"

# Mono cannot restore packages, so the program is compiled next to the unpacked assembly.
for package in Contrastive Contrastive.Torch; do
  unzip -q -o "$packages/$package".[0-9]*.nupkg -d "$outside/unpacked"
done
probe=$root/build/csharp/bin/Contrastive.Probe/netstandard2.0/Contrastive.Probe.dll
cp "$probe" "$root"/build/csharp/mono/*.dll "$outside/unpacked/lib/netstandard2.0"
mono "$outside/unpacked/lib/netstandard2.0/Contrastive.Probe.dll" >"$outside/mono.log"
head -n 2 "$outside/mono.log"
grep -q "library $outside/unpacked/runtimes/linux-x64/native/libcontrastive.so.0" \
  "$outside/mono.log"
