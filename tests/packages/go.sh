# The Go module: Go, a C++ compiler, and the library in a separate prefix, first without the
# training plugin.
# shellcheck shell=bash disable=SC2154
# shellcheck source=tests/packages/languages/common.sh
. "$here/languages/common.sh"
made go
go=$("$root/packaging/toolchains/go.sh" --path) || die "no Go: run packaging/toolchains/go.sh"
go=$(dirname "$(realpath "$go/go")")
fresh bookworm g++ pkg-config
readme=$root/bindings/go/README.md
small_prefix
mkdir -p "$work/reader"/{hello,train}
snippet "$readme" go >"$work/reader/hello/main.go"
cp "$here/languages/train.go.txt" "$work/reader/train/main.go"
for folder in hello train; do
  ln -s ../all-MiniLM-L6-v2 "$work/reader/$folder/all-MiniLM-L6-v2"
done
chmod -R a+rwX "$work/reader"
binds=("$(dirname "$go"):/usr/local/go:ro" "$prefix:/opt/contrastive:ro")
lines=$(snippet "$readme" '' 'usual proxy' | grep '^export')
tarball=$(snippet "$readme" '' 'With the tarball')
go="export PATH=/usr/local/go/bin:\$PATH GOTOOLCHAIN=local GOFLAGS=-modcacherw; $lines;"

expect "without the library: what cgo says" 1 "Package contrastive was not found" reader \
  "${binds[@]}" -- \
  "$go cd hello; go mod init hello; go get contrastive.io/go@v$version; go build"
expect "the README's program" 0 "$readme_score" reader "${binds[@]}" -- \
  "$go $tarball; cd hello; go build; ./hello"
expect "again" 0 "$readme_score" reader "${binds[@]}" -- \
  "$go $tarball; cd hello; go get contrastive.io/go@v$version; go mod verify
  go build -o again; ./again"
refuses_to_train "training without its part" reader "${binds[@]}" -- \
  "$go $tarball; cd train; { go mod init train; go get contrastive.io/go@v$version; go build; } \
    >../log 2>&1; ./train"
makes_a_step "training" reader "${binds[0]}" "$natives:/opt/contrastive:ro" "${with_libtorch[@]}" \
  -- "$name_libtorch cd train; ./train"
