#!/usr/bin/env bash
# Makes the Go module: packages/go of CONTRASTIVE_DIST, a folder that the go command takes as a
# module proxy (GOPROXY=file://FOLDER).
#
#   packaging/packages/go.sh
#
# It holds what a commit of bindings/go holds, as the go command would make it of the repository:
# its tag there is bindings/go/vVERSION. The module holds no library: it finds the installed one by
# pkg-config.
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
time=$(repository "$root" log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)
files=$("$work/modulezip" "$work/module" "$path" "v$version" "$time" "$work/new")
carries "$work/new/$path/@v/v$version.zip" "$path@v$version/" LICENSE
mkdir -p "$packages"
rm -rf "$packages/go"
mv "$work/new" "$packages/go"
say "made $packages/go: $path v$version, $files files; its tag is bindings/go/v$version"
