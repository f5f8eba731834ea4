#!/usr/bin/env bash
# Builds the C# package against an existing libcontrastive, and runs all of its tests on .NET 8 and,
# if the SDK knows it, on .NET 10.
#
#   bindings/csharp/test.sh
#
# CONTRASTIVE_LIBRARY names the library: the file or its folder (default: build/release).
#
# In order: package, tests and examples are built; what the natives need and export; the tests on
# both runtimes; the examples on both; the cost of a call; many threads that do everything at once,
# partly wrong (storm); the snippets of the READMEs; a program outside the tree that uses the
# package. packaging/toolchains/csharp.sh installs what is missing. Without LibTorch the tests that
# train are skipped with the reason, and the steps after the tests, which all train, are left out.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
started=$SECONDS
fail() { printf 'bindings/csharp/test.sh: FAILED: %s\n' "$*"; exit 1; }
step() { printf '\n-- [%d s] %s\n' $((SECONDS - started)) "$*"; }

for tool in swig g++ gcc cmake sqlite3 unzip; do
  command -v "$tool" >/dev/null || fail "$tool is missing: run packaging/toolchains/csharp.sh"
done
environment=$(packaging/toolchains/dotnet.sh --env) || fail "there is no .NET SDK"
eval "$environment"
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
frameworks=$(cd "$out/bin/Contrastive.Tests" && ls -d net*.0 | sort -V)
unset CONTRASTIVE_LIBRARY

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

# run PROGRAM ARGUMENT...: on $framework
run() { dotnet exec "$out/bin/$1/$framework/$1.dll" "${@:2}"; }

tests=0
for framework in $frameworks; do
  step "tests on $framework"
  status=0
  timeout 1200 dotnet test "$out/bin/Contrastive.Tests/$framework/Contrastive.Tests.dll" --nologo \
    --logger "console;verbosity=normal" >"$out.log" 2>&1 || status=$?
  # What failed, and once why tests were skipped.
  grep -vE '^ *(Passed [^!]|Skipped [^!]|\[xUnit)' "$out.log" || true
  sed -n '/\[SKIP\]$/{n;s/^\[[^]]*\] */skipped: /p}' "$out.log" | sort | uniq -c
  [ $status -eq 0 ] || fail "tests on $framework: status $status"
  passed=$(sed -n 's/^ *Passed: *\([0-9]*\)$/\1/p' "$out.log")
  skipped=$(sed -n 's/^ *Skipped: *\([0-9]*\)$/\1/p' "$out.log")
  [ $((${passed:-0} + ${skipped:-0})) -ge 90 ] || fail "only ${passed:-0} tests ran on $framework"
  tests=$((tests + passed))
done
if [ "${skipped:-0}" -gt 0 ]; then
  echo "bindings/csharp/test.sh: $tests tests passed; without LibTorch nothing else was tried"
  exit 0
fi

step "examples"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for i in $(seq 40); do printf 'the cat sat on mat %d\ta cat sits on mat %d\n' "$i" "$i"; done \
  >"$work/pairs.tsv"
sqlite3 "$work/pairs.db" 'CREATE TABLE pairs(a TEXT, b TEXT)' ".mode tabs" \
  ".import $work/pairs.tsv pairs"
for framework in $frameworks; do
  run EmbedAndSearch "$model" "when is the bill due" | tee "$out.log"
  [ "$(grep -c '^  [0-9-]' "$out.log")" -eq 3 ] || fail "EmbedAndSearch on $framework"
  run Retrain "$model" "$work/pairs.tsv" "$work/$framework" max_steps=3 batch_size=8 \
    >"$out.log" || { cat "$out.log"; fail "Retrain on $framework"; }
  [ -s "$work/$framework/model.safetensors" ] && [ "$(grep -c '^step' "$out.log")" -eq 3 ] ||
    fail "Retrain on $framework"
  cmp "$work/$framework/model.safetensors" "$work/net8.0/model.safetensors" ||
    fail "the same training gave other weights on $framework than on net8.0"
  rm -rf "$work/sqlite"
  run SqliteRetrain "$model" "$work/pairs.db" "$work/sqlite" | tee "$out.log" ||
    fail "SqliteRetrain on $framework"
  grep -q '^40 of 40 pairs' "$out.log" && [ -s "$work/sqlite/model.safetensors" ] ||
    fail "SqliteRetrain on $framework"
done

step "cost of a call"
bindings/csharp/bench/overhead.sh | tee "$out.log" || fail "a call costs more than it may"
costs=$(grep '^one text' "$out.log")

step "everything at once, partly wrong"
bindings/csharp/storm/storm.sh 60 || fail "the storm"

step "the snippets of the READMEs"
snippets() { python3 tests/docs/snippets.py "$PWD" "$(dirname "$library")" --language csharp "$@" ||
  [ $? -eq 77 ]; }
snippets && snippets --plant tests/docs/broken_snippets.md ||
  fail "a snippet of a README does not run, or a broken one went unnoticed"

step "a program outside the tree"
bindings/csharp/consumer/test.sh || fail "the consumer"

step "Microsoft.Extensions.AI"
CONTRASTIVE_LIBRARY=$library CONTRASTIVE_PACKAGES=$out/dist/packages/nuget \
  bindings/csharp/Contrastive.Extensions.AI.Tests/test.sh || fail "Contrastive.Extensions.AI"

printf '\n%s\n' "$costs"
echo "bindings/csharp/test.sh: $tests tests on $(wc -w <<<"$frameworks") runtimes, the examples" \
  "and the consumers passed in $((SECONDS - started)) s"
