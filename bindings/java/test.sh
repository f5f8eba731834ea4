#!/usr/bin/env bash
# Builds the Java package against an existing libcontrastive, and runs all of its tests.
#
#   bindings/java/test.sh
#
# CONTRASTIVE_LIBRARY names the library: the file or its folder (default: build/release).
#
# In order: the JNI library and the natives' jar; the tests of the package (under -Xcheck:jni, which
# must not complain), of the adapters and of the examples; the cost of a call; many threads that do
# everything at once, partly wrong (storm); the tests of the package again on Java 25; a project
# outside the tree that uses what was installed.
# Like mvn install, it installs io.contrastive into the local Maven repository.
# packaging/toolchains/java.sh installs what is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
# Java takes the encoding of file names from the locale, and a bare machine has none: names beyond
# ASCII would be refused
export LC_ALL=C.UTF-8
started=$SECONDS
fail() { printf 'bindings/java/test.sh: FAILED: %s\n' "$*"; exit 1; }
clean_of_jni_warnings() { ! grep -nE 'in native method|WARNING.*JNI|FATAL ERROR' "$1" ||
  fail "-Xcheck:jni complains in $1"; }
count_tests() {  # the sums that Surefire prints, one for each module
  sed -n 's/^\[INFO\] Tests run: \([0-9]*\), Failures: 0, Errors: 0, Skipped: 0$/\1/p' "$1" |
    awk '{ n += $1 } END { print n + 0 }'
}
step() { printf '\n-- %s\n' "$*"; }

for tool in javac mvn swig cmake ninja g++ gcc readelf unzip; do
  command -v "$tool" >/dev/null || fail "$tool is missing: run packaging/toolchains/java.sh"
done
[ "$(javac -version 2>&1 | sed 's/javac \([0-9]*\).*/\1/')" -ge 17 ] ||
  fail "$(javac -version 2>&1) is too old: JDK 17 or newer is needed"
library=$(realpath -m "${CONTRASTIVE_LIBRARY:-build/release/libcontrastive.so}")
[ ! -d "$library" ] || library=$library/libcontrastive.so
[ -f "$library" ] ||
  fail "$library is missing: build the library first, or name it in CONTRASTIVE_LIBRARY"
unset CONTRASTIVE_LIBRARY  # the package is tested with the natives that it ships
work=build/java
mkdir -p "$work"

step "JNI library and natives, from $library"
cmake -S bindings/java/jni -B "$work/jni" -G Ninja -D CONTRASTIVE_LIBRARY="$library" \
  >"$work/jni.log" 2>&1 &&
  cmake --build "$work/jni" >>"$work/jni.log" 2>&1 || {
    cat "$work/jni.log"; fail "the JNI library does not build"; }
natives=$work/jni/natives/io/contrastive/native/linux-$(uname -m)
for file in "$natives"/*; do
  dynamic=$(readelf -dW "$file")
  runpath=$(sed -n 's/.*Library r\(un\)\?path: \[\(.*\)\]/\2/p' <<<"$dynamic")
  # Glue finds the library in its own folder. The library itself searches no folder.
  case $file in *_java.so) expected='$ORIGIN' ;; *) expected='' ;; esac
  [ "$runpath" = "$expected" ] || fail "$file looks for libraries in '$runpath'"
  ! grep -q TEXTREL <<<"$dynamic" || fail "$file has text relocations"
  ! grep -q 'GNU_STACK.*RWE' <<<"$(readelf -lW "$file")" || fail "$file wants an executable stack"
done
needed=$(readelf -dW "$natives/libcontrastive_java.so" |
  sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
[ "$needed" = "libc.so.6 libcontrastive.so.0 libgcc_s.so.1 libstdc++.so.6 " ] ||
  fail "libcontrastive_java.so needs $needed"
stray=$(nm -D --defined-only "$natives/libcontrastive_java.so" | awk '{ print $NF }' | grep -v -e \
  '^Java_io_contrastive_' -e '^JNI_OnLoad$' || true)
[ -z "$stray" ] || fail "libcontrastive_java.so exports $stray"
echo "RUNPATH, NEEDED, stack and exports are as they should be"

step "package, adapters and examples: mvn install"
mvn -B -ntp -f bindings/java/pom.xml install >"$work/maven.log" 2>&1 ||
  { tail -n 150 "$work/maven.log"; fail "mvn install; the whole log is $work/maven.log"; }
grep -E '^\[INFO\] Tests run: [0-9]+, .* -- in |^resident memory|requests answered|recall@1' \
  "$work/maven.log" | sed 's/^\[INFO\] //'
clean_of_jni_warnings "$work/maven.log"
tests=$(count_tests "$work/maven.log")
[ "$tests" -ge 60 ] || fail "only $tests tests ran"

step "every jar carries the licence"
jars=0
for jar in "$work"/*/*.jar; do
  # The javadoc tool makes the first, and nothing installs the second.
  case $jar in *-javadoc.jar | "$work"/contrastive-examples/*) continue ;; esac
  unzip -p "$jar" META-INF/LICENSE | cmp -s - LICENSE ||
    fail "$jar has not the repository's LICENSE as META-INF/LICENSE"
  jars=$((jars + 1))
done
[ "$jars" -ge 6 ] || fail "only $jars jars were found in $work"
echo "$jars jars"

step "cost of a call"
bindings/java/bench/overhead.sh | tee "$work/overhead.log" || fail "a call costs more than it may"
cost=$(tail -n 1 "$work/overhead.log")

step "everything at once, partly wrong: 60 s"
bindings/java/storm/storm.sh 60 || fail "the storm"

step "the tests of the package again, on Java 25"
java25=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}/java-25.0.2/bin/java
[ -x "$java25" ] || fail "$java25 is missing: run packaging/toolchains/java.sh"
options="-Xms384m -Xmx384m -XX:+AlwaysPreTouch -Xcheck:jni"
options+=" --enable-native-access=ALL-UNNAMED --illegal-native-access=deny"
mvn -B -ntp -f bindings/java/pom.xml surefire:test -pl contrastive -Djvm="$java25" \
  -Dtest.jvm="$options" \
  >"$work/maven25.log" 2>&1 || { tail -n 100 "$work/maven25.log"; fail "the tests on Java 25"; }
clean_of_jni_warnings "$work/maven25.log"
tests25=$(count_tests "$work/maven25.log")
[ "$tests25" -ge 50 ] || fail "only $tests25 tests ran on Java 25"
echo "$tests25 tests passed, with native access denied to all who were not granted it"

step "the snippets of the READMEs"
mvn -B -ntp -q -o -f bindings/java/pom.xml dependency:build-classpath -pl langchain4j,spring-ai \
  -Dmdep.outputFile='${project.build.directory}/classpath' >"$work/classpath.log" 2>&1 ||
  { cat "$work/classpath.log"; fail "the class paths of the adapters"; }
snippets() { python3 tests/docs/snippets.py "$PWD" "$(dirname "$library")" --language java "$@" ||
  [ $? -eq 77 ]; }
snippets && snippets --plant tests/docs/broken_snippets.md ||
  fail "a snippet of a README does not run, or a broken one went unnoticed"

step "a project outside the tree, on the class path and on the module path"
bindings/java/consumer/test.sh || fail "the consumer project"

printf '\n%s\n' "$cost"
printf \
  'bindings/java/test.sh: %d tests, %d of them again on Java 25, and 2 consumers passed in %d s\n' \
  "$tests" "$tests25" $((SECONDS - started))
