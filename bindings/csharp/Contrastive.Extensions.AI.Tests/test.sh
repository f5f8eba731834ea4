#!/usr/bin/env bash
# Tests Contrastive.Extensions.AI against an existing libcontrastive.
#
#   bindings/csharp/Contrastive.Extensions.AI.Tests/test.sh
#
# CONTRASTIVE_LIBRARY   names the library: the file or its folder (default: build/release).
# CONTRASTIVE_PACKAGES  names a folder with the NuGet packages of this tree (default: they are
#                       made).
#
# In order: the tests with the oldest Microsoft.Extensions.AI and, on .NET 10, with 11.0.0, which
# start examples/csharp/AspNetService; a program that is compiled to native code; the blocks of the
# package's README, in a service outside the tree that uses the packages.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD here=bindings/csharp/Contrastive.Extensions.AI.Tests
started=$SECONDS
fail() { printf '%s/test.sh: FAILED: %s\n' "$here" "$*"; exit 1; }
step() { printf '\n-- [%d s] %s\n' $((SECONDS - started)) "$*"; }
skip() { printf 'skipped: %s\n' "$*"; }

environment=$(packaging/toolchains/dotnet.sh --env) || fail "there is no .NET SDK"
eval "$environment"
library=$(realpath -m "${CONTRASTIVE_LIBRARY:-build/release}")
[ ! -d "$library" ] || library=$library/libcontrastive.so.0
out=$root/build/csharp
model=$root/tests/fixtures/models/bert_st
work=$(mktemp -d)
service=
trap '[ -z "$service" ] || kill "$service" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir -p "$out"

step "package, from $library"
CONTRASTIVE_LIBRARY=$library bindings/csharp/build.sh bindings/csharp/Contrastive.Extensions.AI \
  >"$work/log" 2>&1 || { cat "$work/log"; fail "the build"; }
unset CONTRASTIVE_LIBRARY

# --- tests ----------------------------------------------------------------------------------------
tests=0
# tests FRAMEWORK AT_LEAST PROPERTY...: builds and runs the tests.
tests() {
  local framework=$1 least=$2 passed status=0
  shift 2
  step "tests on $framework${*:+, $*}"
  dotnet build "$here" --nologo --verbosity quiet --framework "$framework" "${@/#/-p:}" \
    >"$work/log" 2>&1 || { cat "$work/log"; fail "the build of the tests"; }
  timeout 900 dotnet test \
    "$out/bin/Contrastive.Extensions.AI.Tests/$framework/Contrastive.Extensions.AI.Tests.dll" \
    --nologo --logger "console;verbosity=normal" >"$work/log" 2>&1 || status=$?
  grep -vE '^ *(Passed [^!:]|\[xUnit)' "$work/log" || true
  [ $status -eq 0 ] || fail "tests on $framework: status $status"
  passed=$(sed -n 's/^ *Passed: *\([0-9]*\)$/\1/p' "$work/log")
  [ "${passed:-0}" -ge "$least" ] || fail "only ${passed:-0} tests ran on $framework"
  tests=$((tests + passed))
}
has() { dotnet --list-runtimes | grep -q "^$1 $2\."; }
if has Microsoft.NETCore.App 8; then
  tests net8.0 20 AspNetCore=false ExtensionsAIVersion=9.5.0
else
  skip "the tests on the runtime of .NET 8, which is not installed"
fi
has Microsoft.AspNetCore.App 8 ||
  echo "ASP.NET Core 8 is not installed: the next tests of net8.0 run on a newer one"
tests net8.0 35 ExtensionsAIVersion=9.5.0
if has Microsoft.AspNetCore.App 10; then
  tests net10.0 35 ExtensionsAIVersion=9.5.0
  tests net10.0 45
else
  skip "the tests on .NET 10, which is not installed"
  echo "$here/test.sh: $tests tests passed in $((SECONDS - started)) s"
  exit 0
fi

# --- Native AOT -----------------------------------------------------------------------------------
step "a program that is compiled to native code"
dotnet publish "$here/Aot" --nologo --verbosity quiet --output "$work/aot" >"$work/log" 2>&1 ||
  { cat "$work/log"; fail "Native AOT"; }
! grep -i warning "$work/log" || fail "Native AOT has warnings"
cp -r "$model" "$work/other"
python3 - "$work/other/model.safetensors" <<'PYTHON'
import sys

with open(sys.argv[1], "r+b") as file:
    start = int.from_bytes(file.read(8), "little") + 8
    weights = bytearray(file.seek(start) and file.read())
    for i in range(3, len(weights), 16):
        weights[i] ^= 0x80  # the sign of every fourth weight
    file.seek(start)
    file.write(weights)
PYTHON
"$work/aot/Aot" "$model" "$work/other" | tee "$work/log"
grep -qx 'Healthy, search@[0-9a-f]\{12\} by 2' "$work/log" || fail "the program by Native AOT"

# --- a service outside the tree -------------------------------------------------------------------
step "the blocks of the README, in a service outside the tree"
if [ -z "${CONTRASTIVE_PACKAGES:-}" ]; then
  mkdir -p "$out/natives"
  cp -L "$(dirname "$library")"/libcontrastive{,-torch}.so.0 \
    "$out/native/libcontrastive_csharp.so" "$out/natives"
  CONTRASTIVE_NATIVES=$out/natives CONTRASTIVE_DIST=$out/dist packaging/packages/nuget.sh \
    >"$work/log" 2>&1 || { cat "$work/log"; fail "the packages"; }
  CONTRASTIVE_PACKAGES=$out/dist/packages/nuget
fi
mkdir "$work/App"
python3 "$here/readme.py" bindings/csharp/Contrastive.Extensions.AI/README.md "$work/App"
version=$(sed -n 's/^project(contrastive VERSION \([0-9][0-9.]*\) .*/\1/p' CMakeLists.txt)
cat >"$work/App/App.csproj" <<PROJECT
<Project Sdk="Microsoft.NET.Sdk.Web">
  <PropertyGroup>
    <TargetFramework>net10.0</TargetFramework>
    <Nullable>enable</Nullable>
    <ImplicitUsings>enable</ImplicitUsings>
    <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Contrastive.Extensions.AI" Version="$version" />
    <PackageReference Include="Microsoft.Extensions.AI" Version="11.0.0" />
  </ItemGroup>
</Project>
PROJECT
# Packages that are on this machine already are not asked for elsewhere.
{
  echo '<configuration><packageSources>'
  [ -z "${NUGET_PACKAGES:-}" ] || echo '<clear />'
  echo "<add key=\"tree\" value=\"$CONTRASTIVE_PACKAGES\" /></packageSources>"
  [ -z "${NUGET_PACKAGES:-}" ] ||
    echo "<fallbackPackageFolders><add key=\"sdk\" value=\"$NUGET_PACKAGES\" />" \
      "</fallbackPackageFolders>"
  echo '</configuration>'
} >"$work/App/nuget.config"
NUGET_PACKAGES=$work/cache dotnet publish "$work/App" --nologo --verbosity quiet \
  --output "$work/published" >"$work/log" 2>&1 || { cat "$work/log"; fail "the service"; }
(cd "$work/published" && exec dotnet App.dll --urls http://127.0.0.1:0 \
  --Contrastive:ModelPath "$model" --Contrastive:Encode:TruncateDimension 16) >"$work/log" 2>&1 &
service=$!
address=
for _ in $(seq 600); do
  address=$(sed -n 's/.*Now listening on: //p' "$work/log")
  [ -z "$address" ] && kill -0 "$service" 2>/dev/null || break
  sleep 0.1
done
[ -n "$address" ] || { cat "$work/log"; fail "the service does not listen"; }
python3 - "$address" <<'PYTHON'
import json
import sys
import urllib.request


def get(path):
    with urllib.request.urlopen(sys.argv[1] + path, timeout=60) as answer:
        return answer.read().decode()


vector = json.loads(get("/embed?text=the%20cat%20sat"))
print(len(vector), "floats, health:", get("/healthz"))
assert len(vector) == 16 and get("/healthz") == "Healthy"
PYTHON
kill -TERM "$service"
wait "$service" || { cat "$work/log"; fail "the service ended with an error"; }
service=
grep -q 'Loaded the model search@' "$work/log" || {
  cat "$work/log"; fail "the load is not logged"; }

echo "$here/test.sh: $tests tests, a native program and a service passed in" \
  "$((SECONDS - started)) s"
