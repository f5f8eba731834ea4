#!/usr/bin/env bash
# Makes the Maven artifacts: a repository folder, packages/maven of CONTRASTIVE_DIST, that a build takes as it takes any repository.
#
#   packaging/packages/maven.sh
#
# io.contrastive:contrastive            classes; sources, javadoc; linux-x86_64: libcontrastive and its JNI library; linux-x86_64-torch: the part that trains
# io.contrastive:contrastive-langchain4j, -spring-ai, -lucene    adapters
# io.contrastive:contrastive-parent     what their poms have in common
# The natives are those of packaging/natives.sh (common.sh says where). Signatures, which a public registry asks for, are made where the key is.
set -euo pipefail
# shellcheck source=packaging/packages/common.sh
. "$(dirname "$0")/common.sh"
for tool in mvn javac swig unzip nm; do need $tool packaging/toolchains/java.sh; done

work_in "$dist/work/maven"
platform=linux-x86_64
folder=$work/natives/io/contrastive/native/$platform
mkdir -p "$folder" "$work/natives/META-INF" "$work/generated/io/contrastive"
for name in libcontrastive.so.0 libcontrastive-torch.so.0 libcontrastive_java.so; do
  file=$(native "$name")
  cp -L "$file" "$folder/$name"
done
cp "$root"/{LICENSE,NOTICE,THIRD_PARTY_LICENSES} "$work/natives/META-INF"

# --- the generated half of the package -------------------------------------------------------------------------------------------
swig -c++ -java -module Native -package io.contrastive -Wall -Werror -I"$root/bindings/swig" -outdir "$work/generated/io/contrastive" \
  -o "$work/wrapper.cpp" "$root/bindings/swig/contrastive.i"
wanted=$(grep -o 'Java_io_contrastive_NativeJNI_[A-Za-z0-9_]*' "$work/wrapper.cpp" | sort -u)
missing=$(comm -23 <(printf '%s\n' "$wanted") <(nm -D --defined-only "$folder/libcontrastive_java.so" | awk '{ print $NF }' | sort -u))
[ -z "$missing" ] || die "$natives is of other sources than this tree: its libcontrastive_java.so lacks $missing"

# --- jars and poms ---------------------------------------------------------------------------------------------------------------
say "version $version, natives from $natives"
rm -rf "$work/repository"
mvn -B -ntp -f "$root/bindings/java/pom.xml" deploy -pl '!../../examples/java' -DskipTests -Dmaven.install.skip=true \
  -Dmade="$work" -Dgenerated="$work/generated" -Dnatives="$work/natives" -DaltDeploymentRepository="packages::file://$work/repository" \
  >"$work/maven.log" 2>&1 || { tail -n 60 "$work/maven.log" >&2; die "mvn deploy failed; the whole log is $work/maven.log"; }
! grep -n '^\[WARNING\]' "$work/maven.log" || die "mvn deploy warns"

# --- what was made ---------------------------------------------------------------------------------------------------------------
at=$work/repository/io/contrastive
for artifact in contrastive contrastive-langchain4j contrastive-spring-ai contrastive-lucene; do
  kinds=('' -sources -javadoc)
  [ $artifact != contrastive ] || kinds+=("-$platform" "-$platform-torch")
  for kind in "${kinds[@]}"; do
    jar=$at/$artifact/$version/$artifact-$version$kind.jar
    [ -f "$jar" ] || die "$jar was not made"
    carries "$jar" META-INF/ LICENSE NOTICE THIRD_PARTY_LICENSES
  done
done
torch=$(entries "$at/contrastive/$version/contrastive-$version-$platform-torch.jar" | grep '\.so' || true)
[ "$torch" = "io/contrastive/native/$platform/libcontrastive-torch.so.0" ] || die "the jar of the part that trains holds '$torch'"
mkdir -p "$packages"
rm -rf "$packages/maven"
mv "$work/repository" "$packages/maven"
say "made $packages/maven: $(find "$packages/maven" -name '*.jar' | wc -l) jars, $(du -sh "$packages/maven" | cut -f1)"
