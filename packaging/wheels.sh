# Sourced by bootstrap.sh and toolchains/arm64.sh, which define say and die, root (the tree) and
# cache (the folder that is filled).

# fetch_wheels REQUIREMENTS FOLDER [PATTERN...]: downloads the wheels named in
# packaging/REQUIREMENTS (pip checks their SHA-256) and unpacks the files that match the patterns
# into cache/FOLDER. The folder appears complete or not at all.
fetch_wheels() { fetch_wheels_for "$(uname -m)" "$@"; }

# fetch_libtorch MACHINE FOLDER: LibTorch for x86_64 or aarch64, into cache/FOLDER.
fetch_libtorch() { fetch_wheels_for "$1" libtorch.txt "$2" 'torch/include/*' 'torch/lib/*.so*' \
  'torch-*/licenses/*' 'nvidia/*/lib/*.so*'; }

# fetch_other_libtorchs MACHINE: what the training plugins for other versions of LibTorch than the
# pinned one are linked with, into cache/libtorch-VERSION-MACHINE.
other_libtorchs=(2.10 2.15)
fetch_other_libtorchs() {
  local version
  for version in "${other_libtorchs[@]}"; do
    fetch_wheels_for "$1" "libtorch-$version.txt" "libtorch-$version-$1" 'torch/include/*' \
      'torch/lib/libtorch_cpu.so' 'torch/lib/libc10.so' 'torch/lib/libgomp*'
  done
}

fetch_wheels_for() {  # fetch_wheels_for MACHINE REQUIREMENTS FOLDER [PATTERN...]
  local machine=$1 requirements=$root/packaging/$2 folder=$cache/$3
  shift 3
  [ ! -e "$folder" ] || return 0
  mkdir -p "$cache"
  local work
  work=$(mktemp -d "$cache/.fetch-XXXXXX")
  # shellcheck disable=SC2064  # the folder's name is fixed now, on purpose
  trap "rm -rf '$work'" EXIT
  say "fetching $(basename "$folder") into $cache"
  # One wheel for every host: the interpreter's own version does not matter, since only headers and
  # C++ libraries are taken.
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
    --only-binary=:all: --python-version 3.11 --implementation cp --abi cp311 --abi none \
    --platform "manylinux_2_28_$machine" --platform "manylinux_2_25_$machine" \
    --platform "manylinux_2_17_$machine" --platform "manylinux2014_$machine" --platform any \
    --dest "$work/wheels" --requirement "$requirements"
  mkdir "$work/tree"
  local wheel
  for wheel in "$work"/wheels/*.whl; do
    # 11: a pattern met no file of this wheel
    unzip -q -o "$wheel" "$@" -d "$work/tree" 2> >(grep -v 'filename not matched' >&2) ||
      [ $? -eq 11 ]
  done
  mv -T "$work/tree" "$folder" 2>/dev/null || [ -e "$folder" ] || die "could not create $folder"
  rm -rf "$work"
  trap - EXIT
}
