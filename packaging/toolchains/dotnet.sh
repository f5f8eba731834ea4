#!/usr/bin/env bash
# Provides the .NET SDK that builds and tests bindings/csharp: 10.0.401 if ../shared/tools/dotnet
# exists beside the repository, otherwise any `dotnet` of version 8 or newer on the PATH.
#
#   packaging/toolchains/dotnet.sh         unpacks or finds the SDK; a second run only checks
#   packaging/toolchains/dotnet.sh --env   prints a line of shell for eval that puts it on the PATH,
#                                          and installs nothing
#
# The unpacked SDK is in
# ${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}/dotnet-10.0.401, with the
# NuGet packages that the tests need, so that they run without a network.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-${HOME:?set CONTRASTIVE_DEPS}/.cache}/libcontrastive}
folder=$cache/dotnet-10.0.401
shared=$root/../shared/tools/dotnet

say() { printf 'toolchains/dotnet: %s\n' "$*" >&2; }
die() { printf 'toolchains/dotnet: %s\n' "$*" >&2; exit 1; }

on_path() {  # a `dotnet` of version 8 or newer
  local newest
  newest=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([0-9]*\)\..*/\1/p' | sort -n | tail -n 1)
  [ "${newest:-0}" -ge 8 ]
}

if [ "${1:-}" = --env ]; then
  if [ -e "$folder/.complete" ]; then
    printf '. %q\n' "$folder/env.sh"
  elif on_path; then
    echo "export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1"
  else
    die "no .NET SDK 8 or newer: install one from https://dotnet.microsoft.com, or run" \
      "packaging/toolchains/dotnet.sh where ../shared/tools/dotnet exists"
  fi
  exit 0
fi

[ ! -e "$folder/.complete" ] || exit 0
if [ -x "$shared/unpack.sh" ]; then
  [ "$(uname -sm)" = "Linux x86_64" ] || die "the SDK of $shared is for Linux on x86_64"
  say "unpacking the .NET SDK into $folder"
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/.dotnet-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  "$shared/unpack.sh" "$work/tree"
  mv -T "$work/tree" "$folder" 2>/dev/null || [ -e "$folder/.complete" ] ||
    die "could not create $folder"
elif ! on_path; then
  die "no .NET SDK 8 or newer is on the PATH: install one from https://dotnet.microsoft.com"
fi
