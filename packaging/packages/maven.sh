#!/usr/bin/env bash
# Makes the Maven artifacts in packages/maven of CONTRASTIVE_DIST. A build can use that folder like
# any repository.
#
#   packaging/packages/maven.sh
#
#   io.contrastive:contrastive          The classes. Its classifiers are sources, javadoc,
#                                       linux-x86_64 and linux-aarch64 (libcontrastive and its JNI
#                                       library), and linux-*-torch (the training plugin).
#   io.contrastive:contrastive-NAME     The adapters langchain4j, spring-ai and lucene.
#   io.contrastive:contrastive-parent   The common parts of the poms.
#
# CONTRASTIVE_ARCH names the processors (common.sh). packaging/natives.sh makes the native
# libraries. A public registry also requires signatures: sign the artifacts on the machine that has
# the key.
set -euo pipefail
# shellcheck source=packaging/packages/common.sh
. "$(dirname "$0")/common.sh"
for tool in mvn javac swig unzip nm; do need $tool packaging/toolchains/java.sh; done

work_in "$dist/work/maven"
mkdir -p "$work/natives" "$work/generated/io/contrastive"
folders=()
for arch in "${architectures[@]}"; do
  of_arch "$arch"
  folder=$work/natives/$maven/io/contrastive/native/$maven
  mkdir -p "$folder" "$work/natives/$maven/META-INF"
  for name in "$library" "$part" libcontrastive_java.so; do
    file=$(native "$name")
    cp -L "$file" "$folder/$name"
  done
  cp "$root"/{LICENSE,NOTICE,THIRD_PARTY_LICENSES} "$work/natives/$maven/META-INF"
  folders+=("$folder")
done

# --- the generated half of the package ------------------------------------------------------------
swig -c++ -java -module Native -package io.contrastive -Wall -Werror -I"$root/bindings/swig" \
  -outdir "$work/generated/io/contrastive" \
  -o "$work/wrapper.cpp" "$root/bindings/swig/contrastive.i"
wanted=$(grep -o 'Java_io_contrastive_NativeJNI_[A-Za-z0-9_]*' "$work/wrapper.cpp" | sort -u)
for folder in "${folders[@]}"; do
  missing=$(comm -23 <(printf '%s\n' "$wanted") <(nm -D --defined-only \
    "$folder/libcontrastive_java.so" | awk '{ print $NF }' | sort -u))
  [ -z "$missing" ] || die "the natives of ${folder##*/} are of other sources than this tree:" \
    "libcontrastive_java.so lacks $missing"
done

# --- jars and poms --------------------------------------------------------------------------------
say "version $version, natives for ${folders[*]##*/}"
rm -rf "$work/repository"
modules='!../../examples/java'
for folder in "${folders[@]}"; do
  mvn -B -ntp -f "$root/bindings/java/pom.xml" deploy -pl "$modules" -DskipTests \
    -Dmaven.install.skip=true -Dplatform="${folder##*/}" \
    -Dmade="$work" -Dgenerated="$work/generated" -Dnatives="$work/natives/${folder##*/}" \
      -DaltDeploymentRepository="packages::file://$work/repository" \
    >"$work/maven.log" 2>&1 || {
      tail -n 60 "$work/maven.log" >&2; die "mvn deploy failed; the whole log is $work/maven.log"; }
  ! grep -n '^\[WARNING\]' "$work/maven.log" || die "mvn deploy warns"
  modules=contrastive  # of the next platform only the jars of its natives are new
done

# --- what was made --------------------------------------------------------------------------------
at=$work/repository/io/contrastive
for artifact in contrastive contrastive-langchain4j contrastive-spring-ai contrastive-lucene; do
  kinds=('' -sources -javadoc)
  for folder in "${folders[@]}"; do
    [ $artifact != contrastive ] || kinds+=("-${folder##*/}" "-${folder##*/}-torch")
  done
  for kind in "${kinds[@]}"; do
    jar=$at/$artifact/$version/$artifact-$version$kind.jar
    [ -f "$jar" ] || die "$jar was not made"
    carries "$jar" META-INF/ LICENSE NOTICE THIRD_PARTY_LICENSES
  done
done
for folder in "${folders[@]}"; do
  torch=$(entries "$at/contrastive/$version/contrastive-$version-${folder##*/}-torch.jar" | grep \
    '\.so' || true)
  [ "$torch" = "io/contrastive/native/${folder##*/}/$part" ] ||
    die "the jar of the part that trains holds '$torch'"
done
mkdir -p "$packages"
rm -rf "$packages/maven"
mv "$work/repository" "$packages/maven"
say "made $packages/maven: $(find "$packages/maven" -name '*.jar' | wc -l) jars," \
  "$(du -sh "$packages/maven" | cut -f1)"
