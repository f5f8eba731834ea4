# The crates: cargo, a linker, and the library in a separate prefix, first without the training
# plugin. Dependencies are vendored before, so cargo needs no registry.
# shellcheck shell=bash disable=SC2154
# shellcheck source=tests/packages/languages/common.sh
. "$here/languages/common.sh"
made crates
bin=$("$root/packaging/toolchains/rust.sh" --path) ||
  die "no cargo: run packaging/toolchains/rust.sh"
fresh bookworm cargo-web rustc-web gcc libc6-dev pkg-config
readme=$root/bindings/rust/README.md
small_prefix
PATH=$bin:$PATH "$root/bindings/rust/lock.sh" "$root/bindings/rust"
vendor=$work/vendor crates=$work/crates
PATH=$bin:$PATH cargo vendor --quiet --locked --versioned-dirs --manifest-path \
  "$root/bindings/rust/Cargo.toml" "$vendor" >/dev/null ||
  die "what the crates need cannot be vendored"
mkdir "$crates"
for crate in contrastive-sys contrastive; do
  file=$packages/crates/$crate-$version.crate
  tar xzf "$file" -C "$crates"
  cp -r "$crates/$crate-$version" "$vendor"
  printf '{"files": {}, "package": "%s"}' "$(sha256sum "$file" | cut -d ' ' -f 1)" \
    >"$vendor/$crate-$version/.cargo-checksum.json"
done
mkdir -p "$work/reader/.cargo"
printf \
  '[source.crates-io]\nreplace-with = "vendored"\n[source.vendored]\ndirectory = "/srv/vendor"\n' \
  >"$work/reader/.cargo/config.toml"
program() {  # program NAME DEPENDENCIES
  mkdir -p "$work/reader/$1/src"
  printf '[package]\nname = "%s"\nversion = "1.0.0"\nedition = "2021"\n\n%s\n' "$1" "$2" \
    >"$work/reader/$1/Cargo.toml"
  ln -s ../all-MiniLM-L6-v2 "$work/reader/$1/all-MiniLM-L6-v2"
}
program hello "$(printf '[dependencies]\ncontrastive = "%s"' "$version")"
snippet "$readme" rust >"$work/reader/hello/src/main.rs"
program patched "$(snippet "$readme" toml)"
cp "$work/reader/hello/src/main.rs" "$work/reader/patched/src"
program train "$(printf '[dependencies]\ncontrastive = "%s"' "$version")"
cp "$here/languages/train.rs" "$work/reader/train/src/main.rs"
chmod -R a+rwX "$work/reader" "$vendor" "$crates"
binds=("$vendor:/srv/vendor:ro" "$crates:/srv/crates:ro" "$prefix:/opt/contrastive:ro")
cargo='export CARGO_TERM_COLOR=never CARGO_TARGET_DIR=$PWD/target;'
tarball=$(snippet "$readme" sh 'With the tarball')

expect "without the library: what is said" 101 "Install libcontrastive-dev; or unpack the tarball" \
  reader "${binds[@]}" -- "$cargo cd hello; cargo build --quiet"
expect "the README's program" 0 "$readme_score" reader "${binds[@]}" -- \
  "$cargo $tarball; cd hello; cargo run --quiet"
expect "again" 0 "$readme_score" reader "${binds[@]}" -- \
  "$cargo $tarball; cd hello; touch src/main.rs; cargo run --quiet --offline"
expect "by the README's Cargo.toml" 0 "$readme_score" reader "${binds[@]}" -- \
  "$cargo $tarball; cd patched; cargo run --quiet"
refuses_to_train "training without its part" reader "${binds[@]}" -- \
  "$cargo $tarball; cd train; cargo build --quiet; ../target/debug/train"
makes_a_step "training" reader "$natives:/opt/contrastive:ro" "${with_libtorch[@]}" -- \
  "$name_libtorch $tarball; cd train; ../target/debug/train"
