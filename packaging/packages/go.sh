#!/usr/bin/env bash
# Makes the Go module: packages/go of CONTRASTIVE_DIST, a folder that the go command takes as a
# module proxy (GOPROXY=file://FOLDER).
#
#   packaging/packages/go.sh
#
# It holds what a commit of bindings/go holds, as the go command would make it of the repository:
# its tag there is bindings/go/vVERSION. Package natives of the module embeds the libraries that are
# in CONTRASTIVE_DIST/natives/PLATFORM (packaging/natives.sh, packaging/cross.sh), for programs that
# are built without cgo. With cgo the library is the installed one, which pkg-config finds. The
# folder also holds the module that the calls without cgo are made with.
set -euo pipefail
# shellcheck source=packaging/packages/common.sh
. "$(dirname "$0")/common.sh"
bin=$("$root/packaging/toolchains/go.sh" --path) ||
  die "Go 1.24 or newer is missing: run packaging/toolchains/go.sh"
export PATH=$bin:$PATH GOFLAGS= GOTOOLCHAIN=local GOPROXY=off
need git packaging/toolchains/go.sh

work_in "$dist/work/go"
mkdir -p "$work/program" "$work/new"
path=$(sed -n 's/^module //p' "$root/bindings/go/go.mod")

cp -r "$(go env GOROOT)/src/cmd/vendor/golang.org/x/mod" "$work/mod"
printf 'module golang.org/x/mod\n\ngo 1.24\n' >"$work/mod/go.mod"
cp "$root/packaging/packages/modulezip.go" "$work/program/main.go"
(cd "$work/program" && go mod init modulezip && go mod edit -require golang.org/x/mod@v0.0.0 \
  -replace golang.org/x/mod=../mod && go build -buildvcs=false -o ../modulezip .) \
  >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2; die "modulezip.go does not build"; }

mkdir "$work/module"
repository() { git -C "$1" -c safe.directory="$root" "${@:2}"; }  # whoever owns it
repository "$root/bindings/go" ls-files -z --cached --others --exclude-standard |
  (cd "$root/bindings/go" && xargs -0 cp --parents -t "$work/module")
# embed GOOS GOARCH PLATFORM...: package natives of a program for that system embeds these
embed() {
  local system=$1 processor=$2 one file from
  local folders=()
  shift 2
  for one in "$@"; do
    from=$dist/natives/$one
    [ "$one" != "$platform" ] || from=$natives
    file=$(find -L "$from" -type f \( -name "libcontrastive.so.$abi" -o \
      -name contrastive.dll -o -name "libcontrastive.$abi.dylib" \) 2>/dev/null | head -n 1) || true
    [ -n "$file" ] || continue
    mkdir "$work/module/natives/$one"
    cp -L "$file" "$work/module/natives/$one/"
    folders+=("$one")
  done
  [ ${#folders[@]} -gt 0 ] || return 0
  embedded+=("${folders[@]}")
  cat >"$work/module/natives/natives_${system}_$processor.go" <<GO
//go:build !cgo || contrastive_purego

package natives

import (
	"embed"

	"contrastive.io/go/internal/raw"
)

//go:embed ${folders[*]}
var files embed.FS

func init() { raw.Natives = files }
GO
}
embedded=()
embed linux amd64 linux-x64 linux-musl-x64
embed linux arm64 linux-arm64 linux-musl-arm64
embed windows amd64 win-x64
embed darwin amd64 osx-x64
embed darwin arm64 osx-arm64
[ ${#embedded[@]} -eq 0 ] || cp "$root/NOTICE" "$root/THIRD_PARTY_LICENSES" "$work/module/"
time=$(repository "$root" log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)
files=$("$work/modulezip" "$work/module" "$path" "v$version" "$time" "$work/new")
# The go command of this machine has fetched it: a proxy and the cache have the same files.
dependency=$(sed -n 's/^require \([^ ]*\) .*/\1/p' "$root/bindings/go/go.mod")
pinned=$(sed -n 's/^require [^ ]* //p' "$root/bindings/go/go.mod")
fetched=$(go env GOMODCACHE)/cache/download/$dependency/@v
for suffix in zip mod info; do
  [ -e "$fetched/$pinned.$suffix" ] ||
    die "$dependency $pinned is not fetched: run packaging/toolchains/go.sh"
done
mkdir -p "$work/new/$dependency/@v"
cp "$fetched/$pinned".{zip,mod,info} "$work/new/$dependency/@v/"
echo "$pinned" >"$work/new/$dependency/@v/list"
carries "$work/new/$path/@v/v$version.zip" "$path@v$version/" LICENSE
mkdir -p "$packages"
rm -rf "$packages/go"
mv "$work/new" "$packages/go"
say "made $packages/go: $path v$version, $files files, natives: ${embedded[*]:-none};" \
  "its tag is bindings/go/v$version"
