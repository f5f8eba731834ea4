#!/usr/bin/env bash
# Starts a class of Spark, as the script bin/spark-class of a distribution does, on the jars that
# Maven has fetched: no distribution is needed. test.sh builds what it needs first.
#
#   examples/spark/spark.sh submit --master 'local[2]' --class examples.spark.EncodeJob JOB MODEL TEXTS OUTPUT    JOB
#                                                                                                                 stands
#                                                                                                                 for
#                                                                                                                 the
#                                                                                                                 example's
#                                                                                                                 jar
#   examples/spark/spark.sh org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 7077
#   examples/spark/spark.sh org.apache.spark.deploy.worker.Worker --host 127.0.0.1 --cores 1
#   --memory 1g spark://127.0.0.1:7077
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2; }
build=$(cd "$(dirname "$0")/../.." && pwd)/build/java/contrastive-spark
[ -s "$build/spark.classpath" ] || {
  echo "$build/spark.classpath is missing: run examples/spark/test.sh first" >&2; exit 1; }
export SPARK_HOME=$build/spark-home SPARK_SCALA_VERSION=2.13
# links to the jars of Maven's local repository: workers look for them under this name
if [ ! -e "$SPARK_HOME/jars" ]; then
  mkdir -p "$SPARK_HOME"
  jars=$(mktemp -d "$SPARK_HOME/.jars-XXXXXX")
  tr ':' '\n' <"$build/spark.classpath" | xargs ln -s -t "$jars"
  mv -T "$jars" "$SPARK_HOME/jars" 2>/dev/null || rm -r "$jars"  # another process was faster
fi

arguments=("$@")
if [ "$1" = submit ]; then
  # the package and its natives: Spark gives them to the executors
  natives=$(tr ':' '\n' <"$build/package.classpath" | paste -sd,)
  arguments=(org.apache.spark.deploy.SparkSubmit --jars "$natives")
  for argument in "${@:2}"; do
    [ "$argument" != JOB ] || argument=$(ls "$build"/contrastive-spark-*.jar)
    arguments+=("$argument")
  done
fi
mapfile -d '' -t answer < <(set +e; java -cp "$SPARK_HOME/jars/*" org.apache.spark.launcher.Main \
  "${arguments[@]}"; printf '%d\0' $?)
[ "${answer[-1]}" = 0 ] || exit "${answer[-1]}"  # it has said why
command=("${answer[@]:1:${#answer[@]}-2}")
command[0]=${command[0]#$'\n'}  # the launcher marks where its answer begins
exec "${command[@]}"
