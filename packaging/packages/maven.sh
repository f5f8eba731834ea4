#!/usr/bin/env bash
# Makes the Maven artifacts in packages/maven of CONTRASTIVE_DIST. A build can use that folder like
# any repository.
#
#   packaging/packages/maven.sh
#
#   io.contrastive:contrastive          The classes. It depends on contrastive-natives. Its
#                                       classifiers are sources, javadoc, each platform (its native
#                                       libraries alone), and linux-*-torch (the training plugins).
#   io.contrastive:contrastive-natives  The native libraries of all platforms.
#   io.contrastive:contrastive-torch    Training on linux-x86_64 with the LibTorch that Maven has.
#   io.contrastive:contrastive-NAME     The adapters langchain4j, spring-ai and lucene.
#   io.contrastive:contrastive-parent   The common parts of the poms.
#
# CONTRASTIVE_ARCH names the processors of Linux with glibc (common.sh). packaging/natives.sh makes
# their native libraries. The other platforms are those that packaging/cross.sh has built; the JNI
# library for them is built here. A public registry also requires signatures: sign the artifacts on
# the machine that has the key.
set -euo pipefail
# shellcheck source=packaging/packages/common.sh
. "$(dirname "$0")/common.sh"
for tool in mvn javac swig unzip nm; do need $tool packaging/toolchains/java.sh; done

work_in "$dist/work/maven"
natives_root=$work/natives
libraries=$natives_root/io/contrastive/native
mkdir -p "$natives_root/META-INF" "$libraries" "$work/generated/io/contrastive"
cp "$root"/{LICENSE,NOTICE,THIRD_PARTY_LICENSES} "$natives_root/META-INF"
platforms=()  # as Maven names them, those of glibc first
for arch in "${architectures[@]}"; do
  of_arch "$arch"
  mkdir -p "$libraries/$maven"
  for name in "$library" "$part" libcontrastive_java.so; do
    file=$(native "$name")
    cp -L "$file" "$libraries/$maven/$name"
  done
  while read -r file; do cp -L "$file" "$libraries/$maven/"; done < <(
    find -L "$natives" -type f -name "libcontrastive-torch-*.so.$abi" | sort)
  # contrastive-torch is made together with the first platform, and needs this one
  if [ "$maven" = linux-x86_64 ]; then platforms=("$maven" "${platforms[@]}")
  else platforms+=("$maven"); fi
done
glibc=("${platforms[@]}")

# --- the generated half of the package ------------------------------------------------------------
swig -c++ -java -module Native -package io.contrastive -Wall -Werror -I"$root/bindings/swig" \
  -outdir "$work/generated/io/contrastive" \
  -o "$work/wrapper.cpp" "$root/bindings/swig/contrastive.i"
wanted=$(grep -o 'Java_io_contrastive_NativeJNI_[A-Za-z0-9_]*' "$work/wrapper.cpp" | sort -u)
for platform in "${glibc[@]}"; do
  missing=$(comm -23 <(printf '%s\n' "$wanted") <(nm -D --defined-only \
    "$libraries/$platform/libcontrastive_java.so" | awk '{ print $NF }' | sort -u))
  [ -z "$missing" ] || die "the natives of $platform are of other sources than this tree:" \
    "libcontrastive_java.so lacks $missing"
done

# --- the platforms of packaging/cross.sh ----------------------------------------------------------
# cross PLATFORM MAVEN LIBRARY LINKED: packs the library and builds the JNI library, which is linked
# with the file LINKED.
cross() {
  local from=$dist/natives/$1 file linked
  file=$(find -L "$from" -type f -name "$3" 2>/dev/null | head -n 1) || true
  linked=$(find -L "$from" -type f -name "$4" 2>/dev/null | head -n 1) || true
  [ -n "$file" ] && [ -n "$linked" ] || {
    say "left out: $2, because $from has no $3 (packaging/cross.sh $1)"; return 0; }
  "$root/packaging/toolchains/zig.sh"
  cmake -G Ninja -S "$root/bindings/java/jni" -B "$work/jni-$1" -D CONTRASTIVE_TARGET="$1" \
    -D CMAKE_TOOLCHAIN_FILE="$root/packaging/cmake/zig.cmake" -D CMAKE_BUILD_TYPE=Release \
    -D CONTRASTIVE_LIBRARY="$linked" -D PLATFORM="$2" >"$work/jni-$1.log" 2>&1 &&
    ninja -C "$work/jni-$1" contrastive_java >>"$work/jni-$1.log" 2>&1 ||
    { tail -n 20 "$work/jni-$1.log" >&2; die "the JNI library for $2 does not build"; }
  mkdir -p "$libraries/$2"
  cp -L "$file" "$libraries/$2/$3"
  find "$work/jni-$1/natives/io" -type f \( -name '*contrastive_java.so' -o \
    -name '*contrastive_java.dylib' -o -name 'contrastive_java.dll' \) \
    -exec cp {} "$libraries/$2/" \;
  platforms+=("$2")
}
cross linux-musl-x64 linux-musl-x86_64 "$library" "$library"
cross linux-musl-arm64 linux-musl-aarch64 "$library" "$library"
cross win-x64 windows-x86_64 contrastive.dll libcontrastive.dll.a
cross osx-arm64 macos-aarch64 "libcontrastive.$abi.dylib" "libcontrastive.$abi.dylib"
cross osx-x64 macos-x86_64 "libcontrastive.$abi.dylib" "libcontrastive.$abi.dylib"
for name in linux-x86_64 linux-aarch64; do
  [[ " ${glibc[*]} " = *" $name "* ]] ||
    say "left out: $name, because CONTRASTIVE_ARCH does not name its processor"
done

# --- jars and poms --------------------------------------------------------------------------------
say "version $version, natives for ${platforms[*]}"
rm -rf "$work/repository"
modules='!../../examples/java'
[[ " ${glibc[*]} " = *" linux-x86_64 "* ]] || {
  say "left out: contrastive-torch, which is for linux-x86_64"; modules+=',!torch'; }
for platform in "${platforms[@]}"; do
  plugins=none
  [[ " ${glibc[*]} " != *" $platform "* ]] || plugins=package
  mvn -B -ntp -f "$root/bindings/java/pom.xml" deploy -pl "$modules" -DskipTests \
    -Dmaven.install.skip=true -Dplatform="$platform" -Dplugins.phase=$plugins \
    -Dmade="$work" -Dgenerated="$work/generated" -Dnatives="$natives_root" \
    -DaltDeploymentRepository="packages::file://$work/repository" \
    >"$work/maven.log" 2>&1 || {
      tail -n 60 "$work/maven.log" >&2; die "mvn deploy failed; the whole log is $work/maven.log"; }
  ! grep -n '^\[WARNING\]' "$work/maven.log" || die "mvn deploy warns"
  modules=natives,contrastive  # of the next platform only the jars of its natives are new
done

# --- what was made --------------------------------------------------------------------------------
at=$work/repository/io/contrastive
for pom in "$at"/*/"$version"/*.pom; do
  artifact=$(basename "$(dirname "$(dirname "$pom")")")
  [ "$artifact" != contrastive-parent ] || continue
  kinds=('' sources javadoc)
  [ "$artifact" != contrastive ] || kinds+=("${platforms[@]}" "${glibc[@]/%/-torch}")
  for kind in "${kinds[@]}"; do
    jar=$at/$artifact/$version/$artifact-$version${kind:+-$kind}.jar
    [ -f "$jar" ] || die "$jar was not made"
    carries "$jar" META-INF/ LICENSE NOTICE THIRD_PARTY_LICENSES
  done
done
# holds ARTIFACT-VERSION[-CLASSIFIER] FILE...: the native libraries in a jar are these.
holds() {
  local jar=$at/${1%%-"$version"*}/$version/$1.jar found
  shift
  found=$(entries "$jar" | grep -E '\.(so|so\.[0-9]+|dll|dylib)$' | sort)
  [ "$found" = "$(printf 'io/contrastive/native/%s\n' "$@" | sort)" ] ||
    die "$jar holds other libraries than $*: $found"
}
all=()
for platform in "${platforms[@]}"; do
  mapfile -t files < <(cd "$libraries" && find "$platform" -type f ! -name '*contrastive-torch*')
  mapfile -t trains < <(cd "$libraries" && find "$platform" -type f -name '*contrastive-torch*')
  [ ${#files[@]} -eq 2 ] || die "$platform has not two libraries but ${files[*]}"
  holds "contrastive-$version-$platform" "${files[@]}"
  [ ${#trains[@]} -eq 0 ] || holds "contrastive-$version-$platform-torch" "${trains[@]}"
  all+=("${files[@]}")
done
holds "contrastive-natives-$version" "${all[@]}"
mkdir -p "$packages"
rm -rf "$packages/maven"
mv "$work/repository" "$packages/maven"
say "made $packages/maven: $(find "$packages/maven" -name '*.jar' | wc -l) jars," \
  "$(du -sh "$packages/maven" | cut -f1)"
