#!/usr/bin/env bash
# Builds and tests the example on a real Spark. Run bindings/java/test.sh first: it installs the
# package into the local Maven repository. The script takes no arguments. Maven downloads Spark once
# (320 MB).
#
# In order: the function and the job on local[2]; the jar; then a cluster of a master and two
# workers on loopback, where an executor and later the whole job is killed with -9, and two
# executors share a training run; and the commands of README.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C.UTF-8
started=$SECONDS
fail() { printf 'examples/spark/test.sh: FAILED: %s\n' "$*"; exit 1; }
work=build/java/contrastive-spark
for tool in javac mvn; do command -v "$tool" >/dev/null ||
  fail "$tool is missing: run packaging/toolchains/java.sh"; done
java=$(javac -version 2>&1 | sed 's/javac \([0-9]*\).*/\1/')
case $java in 17 | 21) ;; *) fail "this is Java $java, and Spark 4 runs on 17 and 21" ;; esac
unset CONTRASTIVE_LIBRARY SPARK_HOME  # use the package's native libraries and the Spark of pom.xml
mkdir -p "$work"
rm -rf "$work/spark-home"
mvn -B -ntp -f examples/spark/pom.xml verify >"$work/maven.log" 2>&1 || {
  tail -n 120 "$work/maven.log" | cut -c-400; fail "mvn verify; the whole log is $work/maven.log"; }
grep -E '^\[INFO\] Tests run: [0-9]+, .* -- in |largest difference' "$work/maven.log" |
  sed 's/^\[INFO\] //'
tests=$(sed -n 's/^\[INFO\] Tests run: \([0-9]*\), Failures: 0, Errors: 0, Skipped: 0$/\1/p' \
  "$work/maven.log" | awk '{ n += $1 } END { print n + 0 }')
[ "$tests" -ge 10 ] || fail "only $tests tests ran"
printf 'examples/spark/test.sh: %d tests passed in %d s\n' "$tests" $((SECONDS - started))
