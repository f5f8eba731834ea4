# Sourced by the tests of the packages of languages: the output of the first program of a binding's
# README, and of one that trains.
# root.sh and run.sh of the parent folder define the other variables.
# shellcheck shell=bash disable=SC2154

# shellcheck source=tests/packages/languages/snippet.sh
. "$here/languages/snippet.sh"

readme_score=0.680
home=/reader
says_what_to_install='Install libcontrastive-torch (Debian: libcontrastive-torch0, Maven: the'
says_what_to_install+=' classifier linux-x86_64-torch, NuGet: Contrastive.Torch), and LibTorch'
libtorch=$cache/libtorch-2.11.0
[ -e "$libtorch/torch/lib/libtorch_cpu.so" ] ||
  die "no LibTorch in $libtorch: run packaging/bootstrap.sh"

# reader [BIND...] -- LINE: the reader runs a line of shell in his folder work, which holds the
# model; the binds are those of in_root.
reader() {
  local binds=()
  while [ "$1" != -- ]; do binds+=("$1"); shift; done
  [ -L "$work/reader/all-MiniLM-L6-v2" ] ||
    ln -s $home/all-MiniLM-L6-v2 "$work/reader/all-MiniLM-L6-v2"
  in_root "$machine" USER=1000:1000 "$model:$home/all-MiniLM-L6-v2:ro" \
    "$packages:/srv/packages:ro" "$work/reader:$home/work" \
    ${binds[@]+"${binds[@]}"} -- env --chdir=$home/work HOME=$home bash -euc "$2"
}

# Without the training plugin, one line says what to install.
refuses_to_train() {  # refuses_to_train NAME COMMAND...
  expect "$1" 0 "$says_what_to_install" "${@:2}"
  [ "$(wc -l <"$work/printed")" -eq 1 ] || failed "$1: it says more than one line"
}

# With it, and LibTorch in /opt/libtorch, the same program makes a step.
with_libtorch=("$libtorch:/opt/libtorch:ro")
name_libtorch='export CONTRASTIVE_LIBTORCH=/opt/libtorch/torch;'
makes_a_step() { expect "$1" 0 "trained 1 step" "${@:2}"; }  # makes_a_step NAME COMMAND...

# small_prefix: copies the installed library without the training plugin to $prefix, like the
# tarball or the Debian packages.
small_prefix() {
  prefix=$work/prefix
  mkdir -p "$prefix/lib"
  [ -e "$natives/lib/pkgconfig/contrastive.pc" ] ||
    die "$natives has no lib/pkgconfig/contrastive.pc: run packaging/natives.sh"
  cp -r "$natives/include" "$prefix"
  cp -r "$natives"/lib/pkgconfig "$prefix/lib"
  cp -P "$natives"/lib/libcontrastive.so* "$prefix/lib"
  chmod -R a+rX "$prefix"
}
