#!/usr/bin/env bash
# Starts a Spark class, like bin/spark-class of a Spark distribution, from the jars that Maven has
# downloaded, so that no distribution is needed. Run test.sh first: it builds the required files.
# JOB is replaced by the path of the example's jar.
#
#   examples/spark/spark.sh submit --master 'local[2]' --class examples.spark.EncodeJob \
#     JOB MODEL TEXTS OUTPUT
#   examples/spark/spark.sh org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 7077
#   examples/spark/spark.sh org.apache.spark.deploy.worker.Worker --host 127.0.0.1 --cores 1 \
#     --memory 1g spark://127.0.0.1:7077
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2; }
build=$(cd "$(dirname "$0")/../.." && pwd)/build/java/contrastive-spark
[ -s "$build/spark.classpath" ] || {
  echo "$build/spark.classpath is missing: run examples/spark/test.sh first" >&2; exit 1; }
export SPARK_HOME=$build/spark-home SPARK_SCALA_VERSION=2.13
# Link to the jars of Maven's local repository. Workers look for them in this folder.
if [ ! -e "$SPARK_HOME/jars" ]; then
  mkdir -p "$SPARK_HOME"
  jars=$(mktemp -d "$SPARK_HOME/.jars-XXXXXX")
  tr ':' '\n' <"$build/spark.classpath" | xargs ln -s -t "$jars"
  mv -T "$jars" "$SPARK_HOME/jars" 2>/dev/null || rm -r "$jars"  # another process was faster
fi

arguments=("$@")
if [ "$1" = submit ]; then
  # Spark sends the package and its native libraries to the executors.
  natives=$(tr ':' '\n' <"$build/package.classpath" | paste -sd,)
  arguments=(org.apache.spark.deploy.SparkSubmit --jars "$natives")
  for argument in "${@:2}"; do
    [ "$argument" != JOB ] || argument=$(ls "$build"/contrastive-spark-*.jar)
    arguments+=("$argument")
  done
fi
mapfile -d '' -t answer < <(set +e; java -cp "$SPARK_HOME/jars/*" org.apache.spark.launcher.Main \
  "${arguments[@]}"; printf '%d\0' $?)
[ "${answer[-1]}" = 0 ] || exit "${answer[-1]}"  # it has reported the reason
command=("${answer[@]:1:${#answer[@]}-2}")
command[0]=${command[0]#$'\n'}  # the launcher's answer begins with a newline
exec "${command[@]}"
