#!/usr/bin/env bash
# Makes the reference of the API in each language, into build/docs: one command, warnings are
# errors.
#
#   packaging/docs.sh [KIND...]      c java csharp go rust; default: all of them
#
#   c        a site by Doxygen of contrastive.h      build/docs/c/index.html
#            (packaging/bootstrap.sh docs)
#   java     javadoc of the package                  build/docs/java/index.html
#            (packaging/bootstrap.sh java)
#   csharp   XML for editors, as the package has it  build/docs/csharp
#            (packaging/bootstrap.sh csharp, and a built library)
#   go       go vet, and go doc of all packages      build/docs/go
#            (packaging/bootstrap.sh go, and a built library)
#   rust     rustdoc of both crates                  build/docs/rust/contrastive/index.html
#            (packaging/bootstrap.sh rust, and a built library)
#
# A built library is build/release/libcontrastive.so, or what CONTRASTIVE_LIBRARY names (a file or
# its folder).
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD out=$PWD/build/docs
die() { printf 'packaging/docs.sh: %s\n' "$*" >&2; exit 1; }
[ $# -gt 0 ] || set -- c java csharp go rust
version=$(sed -n 's/^project(contrastive VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
library=$(realpath -m "${CONTRASTIVE_LIBRARY:-build/release/libcontrastive.so}")
[ ! -d "$library" ] || library=$library/libcontrastive.so
built() { [ -f "$library" ] ||
  die "$library is missing: build the library first, or name it in CONTRASTIVE_LIBRARY"; }
tool() { command -v "$1" >/dev/null || die "$1 is missing: run packaging/bootstrap.sh $2"; }
fresh() { rm -rf "${out:?}/$1" && mkdir -p "$out/$1"; }

make_c() {
  tool doxygen docs
  CONTRASTIVE_VERSION=$version CONTRASTIVE_DOCS=$out/c doxygen packaging/docs/Doxyfile
}

make_java() {
  tool javadoc java
  tool swig java
  local raw=$out/java-raw
  fresh java-raw
  mkdir -p "$raw/io/contrastive"
  swig -c++ -java -Wall -package io.contrastive -module Native -DSWIG_JAVA_NO_THROW \
    -Ibindings/swig -outdir "$raw/io/contrastive" -o "$raw/wrap.cpp" \
    bindings/swig/contrastive.i
  javadoc -quiet -Xwerror -Xdoclint:all,-missing -notimestamp \
    -doctitle "libcontrastive $version for Java" -windowtitle "libcontrastive for Java" \
    -d "$out/java" -sourcepath "bindings/java/contrastive/src/main/java:$raw" \
    -subpackages io.contrastive
  rm -rf "$raw"
}

make_csharp() {
  built
  # In an empty folder: a compiler with nothing to do gives no warnings, and would leave the file of
  # an earlier run.
  local work=$out/csharp-build
  fresh csharp-build
  CONTRASTIVE_LIBRARY=$library CSHARP_BUILD=$work bindings/csharp/build.sh >"$out/csharp.log" 2>&1 \
    || { cat "$out/csharp.log" >&2; die "bindings/csharp/build.sh failed"; }
  cp "$work/bin/Contrastive/netstandard2.0/Contrastive.xml" "$out/csharp/"
  rm -rf "$work"
  local undocumented
  undocumented=$(grep -c 'warning CS1591' "$out/csharp.log" || true)
  [ "$undocumented" -eq 0 ] ||
    die "$undocumented public members of the C# package have no documentation"
  python3 -c '
import sys, xml.dom.minidom as dom
members = dom.parse(sys.argv[1]).getElementsByTagName("member")
print(len(members), "members are documented")' "$out/csharp/Contrastive.xml"
}

make_go() {
  built
  local go
  go=$(packaging/toolchains/go.sh --path)/go || die "Go is missing: run packaging/bootstrap.sh go"
  export CGO_ENABLED=1 CGO_CPPFLAGS=-I$root/capi/include \
    CGO_LDFLAGS="-L$(dirname "$library") -lcontrastive -Wl,-rpath,$(dirname "$library")"
  (cd bindings/go && "$go" vet -tags contrastive_flags . &&
    "$go" doc -all .) >"$out/go/contrastive.txt"
  [ "$(wc -l <"$out/go/contrastive.txt")" -gt 100 ] ||
    die "go doc wrote only $(wc -l <"$out/go/contrastive.txt") lines"
}

make_rust() {
  built
  local bin
  bin=$(packaging/toolchains/rust.sh --path) ||
    die "cargo is missing: run packaging/bootstrap.sh rust"
  (cd bindings/rust && PATH=$bin:$PATH CONTRASTIVE_LIBRARY=$(dirname "$library") \
    RUSTDOCFLAGS="-D warnings" \
    CARGO_TARGET_DIR=$root/build/rust/target cargo doc --quiet --workspace --no-deps)
  cp -r build/rust/target/doc/. "$out/rust"
}

for kind in "$@"; do
  case $kind in
    c | java | csharp | go | rust) ;;
    *) die "unknown kind '$kind'; known: c, java, csharp, go, rust" ;;
  esac
  fresh "$kind"
  "make_$kind"
  printf 'packaging/docs.sh: %s: %s\n' "$kind" "$out/$kind"
done
