#!/usr/bin/env bash
# Builds a program outside the tree with the packages that packaging/packages/nuget.sh made:
# restored by the SDK from a folder as from any source, built, published, and, with an SDK that has
# the parts, published as a single file, trimmed, and by Native AOT, without a warning. Each is run.
# Nothing of the tree but the packages is used.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
model=$root/tests/fixtures/models/bert_st
eval "$("$root/packaging/toolchains/dotnet.sh" --env)"
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
unset CONTRASTIVE_LIBRARY

packages=$root/build/csharp/dist/packages/nuget
unzip -Z1 "$packages"/Contrastive.[0-9]*.nupkg | sort >"$outside/content"
! grep -i 'torch\|libc10\|Tests\|swig' "$outside/content" || {
  echo "the package holds what it should not" >&2; exit 1; }

# The pinned SDK has its packages beside it, and asks no registry.
mkdir "$outside/cache"
clear=
if [ -n "${NUGET_PACKAGES:-}" ]; then
  ln -s "$NUGET_PACKAGES"/* "$outside/cache"
  rm -f "$outside"/cache/contrastive*
  clear='<clear />'
fi
export NUGET_PACKAGES=$outside/cache
cat >"$outside/nuget.config" <<CONFIG
<configuration>
  <packageSources>
    $clear
    <add key="folder" value="$packages" />
  </packageSources>
</configuration>
CONFIG

# made NAME COMMAND...: the program says that the library came from the folder of that name.
made() {
  "${@:2}" "$model" | tee "$outside/$1.log"
  grep -q "from $outside/$1/.*libcontrastive.so.0; LibTorch 2" "$outside/$1.log" || {
    echo "consumer: the library of '$1' is not its own" >&2; exit 1; }
}
for name in built published single trimmed aot; do cp -r "$here/App" "$outside/$name"; done

cd "$outside/built"
dotnet build --nologo --verbosity quiet
made built dotnet exec bin/Debug/net8.0/App.dll
cd "$outside/published"
dotnet publish --nologo --verbosity quiet --output out
made published dotnet exec out/App.dll

major=$(dotnet --version | cut -d. -f1)
if [ "$major" -lt 10 ]; then
  echo "consumer: single file, trimming and Native AOT need an SDK 10, not $major"
  exit 0
fi
publish() {  # publish NAME OPTION...
  cd "$outside/$1"
  sed -i 's/net8\.0/net10.0/' App.csproj
  dotnet publish --nologo --verbosity quiet --runtime linux-x64 --output out "${@:2}"
  made "$1" out/App
}
publish single --no-self-contained -p:PublishSingleFile=true
publish trimmed --self-contained -p:PublishTrimmed=true
publish aot -p:PublishAot=true -p:CppCompilerAndLinker=gcc
