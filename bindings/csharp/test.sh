#!/usr/bin/env bash
# Builds the C# package against an existing libcontrastive, and runs all of its tests on two
# runtimes, mono and .NET.
#
#   bindings/csharp/test.sh
#
# CONTRASTIVE_LIBRARY names the library: the file or its folder (default: build/release).
#
# In order: package, tests and examples are built; what the natives need and export; the tests on
# both runtimes; the examples on both; the cost of a call; many threads that do everything at once,
# partly wrong (storm), on both; a program outside the tree that uses the package.
# packaging/toolchains/csharp.sh installs what is missing. With your own SDK,
# `dotnet test bindings/csharp/Contrastive.Tests` runs the same tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
started=$SECONDS
fail() { printf 'bindings/csharp/test.sh: FAILED: %s\n' "$*"; exit 1; }
step() { printf '\n-- [%d s] %s\n' $((SECONDS - started)) "$*"; }

for tool in mono swig g++ gcc cmake sqlite3 unzip; do
  command -v "$tool" >/dev/null || fail "$tool is missing: run packaging/toolchains/csharp.sh"
done
dotnet=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}/dotnet-3.1.23/run
[ -x "$dotnet" ] || fail "the .NET SDK is missing: run packaging/toolchains/csharp.sh"
unset DOTNET  # the pinned one, whatever else there is
library=$(realpath -m "${CONTRASTIVE_LIBRARY:-build/release/libcontrastive.so}")
[ ! -d "$library" ] || library=$library/libcontrastive.so
[ -f "$library" ] ||
  fail "$library is missing: build the library first, or name it in CONTRASTIVE_LIBRARY"
out=$root/build/csharp
model=$root/tests/fixtures/models/bert_st
mkdir -p "$out"

step "package, tests and examples, from $library"
projects=(bindings/csharp/Contrastive.Tests bindings/csharp/bench/Overhead \
  bindings/csharp/storm/Storm
          examples/csharp/{EmbedAndSearch,Retrain,Scheduled,Service,SqliteRetrain})
CONTRASTIVE_LIBRARY=$library bindings/csharp/build.sh "${projects[@]}" >"$out.log" 2>&1 || {
  cat "$out.log"; fail "the build"; }
# The packages, with the natives of this build.
mkdir -p "$out/natives"
cp -L "$(dirname "$library")"/libcontrastive{,-torch}.so.0 "$out/native/libcontrastive_csharp.so" \
  "$out/natives"
CONTRASTIVE_NATIVES=$out/natives CONTRASTIVE_DIST=$out/dist packaging/packages/nuget.sh \
  >"$out.log" 2>&1 || { cat "$out.log"; fail "the packages"; }
for folder in "$out"/bin/*/{netstandard2.0,net472}; do [ ! -d "$folder" ] ||
  cp "$out"/mono/*.dll "$folder"; done

step "natives"
for file in "$out"/native/*.so*; do
  dynamic=$(readelf -dW "$file")
  runpath=$(sed -n 's/.*Library r\(un\)\?path: \[\(.*\)\]/\2/p' <<<"$dynamic")
  # Glue finds the library in its own folder. The library itself searches no folder.
  case $file in *_csharp.so) expected='$ORIGIN' ;; *) expected='' ;; esac
  [ "$runpath" = "$expected" ] || fail "$file looks for libraries in '$runpath'"
  ! grep -q TEXTREL <<<"$dynamic" || fail "$file has text relocations"
  ! grep -q 'GNU_STACK.*RWE' <<<"$(readelf -lW "$file")" || fail "$file wants an executable stack"
done
glue=$out/native/libcontrastive_csharp.so
allowed='libcontrastive\.so\.0|libc\.so\.6|libstdc\+\+\.so\.6|libgcc_s\.so\.1|libm\.so\.6'
allowed+='|ld-linux-x86-64\.so\.2'
strangers=$(readelf -dW "$glue" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vxE "$allowed" \
  || true)
[ -z "$strangers" ] || fail "libcontrastive_csharp.so needs $strangers"
stray=$(nm -D --defined-only "$glue" | awk '{ print $NF }' | grep -v '^CSharp_' || true)
[ -z "$stray" ] || fail "libcontrastive_csharp.so exports $stray"
echo "RUNPATH, NEEDED, stack and exports are as they should be"

on_mono() { (unset CONTRASTIVE_LIBRARY; mono "$out/bin/$1/netstandard2.0/$1.dll" "${@:2}"); }
on_net() { (unset CONTRASTIVE_LIBRARY; "$dotnet" exec "$out/bin/$1/netcoreapp3.1/$1.dll" "${@:2}");
  }

tests=0
for runtime in on_net on_mono; do
  step "tests $runtime"
  $runtime Contrastive.Tests | tee "$out.log" || fail "tests $runtime"
  passed=$(sed -n 's/^\([0-9]*\) passed, 0 failed.*/\1/p' "$out.log")
  [ "${passed:-0}" -ge 45 ] || fail "only ${passed:-0} tests ran $runtime"
  tests=$((tests + passed))
done

step "examples"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for i in $(seq 40); do printf 'the cat sat on mat %d\ta cat sits on mat %d\n' "$i" "$i"; done \
  >"$work/pairs.tsv"
sqlite3 "$work/pairs.db" 'CREATE TABLE pairs(a TEXT, b TEXT)' ".mode tabs" \
  ".import $work/pairs.tsv pairs"
for runtime in on_net on_mono; do
  $runtime EmbedAndSearch "$model" "when is the bill due" | tee "$out.log"
  [ "$(grep -c '^  [0-9-]' "$out.log")" -eq 3 ] || fail "EmbedAndSearch $runtime"
  $runtime Retrain "$model" "$work/pairs.tsv" "$work/$runtime" max_steps=3 batch_size=8 \
    >"$out.log" || { cat "$out.log"; fail "Retrain $runtime"; }
  [ -s "$work/$runtime/model.safetensors" ] && [ "$(grep -c '^step' "$out.log")" -eq 3 ] ||
    fail "Retrain $runtime"
done
cmp "$work/on_net/model.safetensors" "$work/on_mono/model.safetensors" ||
  fail "the same training gave other weights on mono than on .NET"
mono "$out/bin/SqliteRetrain/net472/SqliteRetrain.exe" "$model" "$work/pairs.db" "$work/sqlite" |
  tee "$out.log" || fail "SqliteRetrain"
grep -q '^40 of 40 pairs' "$out.log" && [ -s "$work/sqlite/model.safetensors" ] ||
  fail "SqliteRetrain"

step "cost of a call"
bindings/csharp/bench/overhead.sh | tee "$out.log" || fail "a call costs more than it may"
costs=$(grep '^one text' "$out.log")

step "everything at once, partly wrong"
bindings/csharp/storm/storm.sh net 60 || fail "the storm on net"
bindings/csharp/storm/storm.sh mono 30 || fail "the storm on mono"

step "the snippets of the READMEs"
snippets() { python3 tests/docs/snippets.py "$PWD" "$(dirname "$library")" --language csharp "$@" ||
  [ $? -eq 77 ]; }
snippets && snippets --plant tests/docs/broken_snippets.md ||
  fail "a snippet of a README does not run, or a broken one went unnoticed"

step "a program outside the tree"
bindings/csharp/consumer/test.sh || fail "the consumer"

printf '\n%s\n' "$costs"
echo "bindings/csharp/test.sh: $tests tests on two runtimes, 5 example runs and 3 consumers" \
  "passed in $((SECONDS - started)) s"
