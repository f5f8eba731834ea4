# Programs in Go and Java on arm64, by the packages of CONTRASTIVE_ARCH=arm64. They are compiled on
# this machine, since compilers take an hour under qemu, and run in a Debian 12 of that processor,
# which has nothing but a C compiler; Debian's Java is unpacked there,
# not installed, for the same reason.
# shellcheck shell=bash disable=SC2154
# shellcheck source=tests/packages/languages/common.sh
. "$here/languages/common.sh"
[ "$arch" = arm64 ] || die "these tests are for CONTRASTIVE_ARCH=arm64"
made tarball
made maven
made nuget
go=$("$root/packaging/toolchains/go.sh" --path) || die "no Go: run packaging/toolchains/go.sh"
for tool in javac aarch64-linux-gnu-g++; do need "$tool" "packaging/bootstrap.sh java arm64"; done
fresh bookworm gcc libc6-dev pkg-config

# --- Go, with the library of the tarball
mkdir -p "$work/go/cache"
tar xzf "$packages/tarball/contrastive-$version-$platform.tar.gz" -C "$work"
prefix=$work/contrastive-$version-$platform
cp -r "$root/bindings/go" "$work/go/module"
mkdir "$work/go/hello"
snippet "$root/bindings/go/README.md" go >"$work/go/hello/main.go"
crosses_go() {
  cd "$work/go/hello"
  # the processor's own zlib
  export PATH=$go:$PATH GOARCH=arm64 CGO_ENABLED=1 CC=aarch64-linux-gnu-gcc \
    CXX=aarch64-linux-gnu-g++ GOTOOLCHAIN=local GOPROXY=off GOFLAGS=-modcacherw \
    GOCACHE=$work/go/cache PKG_CONFIG_PATH=$prefix/lib/pkgconfig \
    CGO_LDFLAGS="-Wl,-rpath,/opt/contrastive/lib -Wl,-rpath-link,$machine/lib/aarch64-linux-gnu"
  go mod init hello && go mod edit -require "contrastive.io/go@v$version" \
    -replace contrastive.io/go=../module && go build -o "$work/reader/hello"
}
expect "Go: the README's program is cross-compiled" 0 "" crosses_go
expect "Go: it runs" 0 "$readme_score" reader "$prefix:/opt/contrastive:ro" -- ./hello

# --- Java, with the jars
expect "Java's packages" 0 "" as_admin sh -euc \
  'cd /tmp; apt-get update -qq; apt-get download -qq openjdk-17-jre-headless
  dpkg -x openjdk-17-jre-headless_*.deb /'
snippet "$root/bindings/java/README.md" java >"$work/reader/Hello.java"
at=$packages/maven/io/contrastive/contrastive/$version
expect "Java: the README's program is compiled" 0 "" javac --release 17 \
  -cp "$at/contrastive-$version.jar" -d "$work/reader" "$work/reader/Hello.java"
jars=/srv/packages/maven/io/contrastive/contrastive/$version/contrastive-$version
expect "Java: it runs" 0 "$readme_score" reader -- \
  "/usr/lib/jvm/java-17-openjdk-arm64/bin/java -cp $jars.jar:$jars-$maven.jar:. Hello"

# --- C#: no .NET for arm64 is at hand: what the package carries is read.
unzip -q "$packages/nuget/Contrastive.$version.nupkg" -d "$work/nupkg"
unzip -q "$packages/nuget/Contrastive.Torch.$version.nupkg" -d "$work/nupkg" -x '*.nuspec' \
  '_rels/*' '[[]Content_Types].xml' README.md LICENSE NOTICE THIRD_PARTY_LICENSES 'package/*'
for file in libcontrastive.so.0 libcontrastive_csharp.so libcontrastive-torch.so.0; do
  expect "C#: $file is of arm64" 0 "AArch64" readelf \
    --file-header "$work/nupkg/runtimes/$platform/native/$file"
done
say "C# was not run on arm64: no .NET for that processor is at hand"
