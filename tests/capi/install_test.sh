#!/bin/sh
# install_test.sh BUILD: installs the library into an empty folder and builds a consumer against it, through find_package and through pkg-config
# where there is one, with neither LibTorch nor ICU headers in sight; the tree is moved before, and the program runs.
set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" >"$work/log" || { cat "$work/log" >&2; exit 1; }
mv "$work/first" "$work/moved"
mkdir "$work/consumer"
cat >"$work/consumer/main.c" <<'END'
#include <contrastive/contrastive.h>
#include <stdio.h>

int main(void) {
  const float vector[2] = {3, 4};
  float score = 0;
  if (cs_similarity(vector, 1, vector, 1, 2, CS_METRIC_DOT, &score, 1, NULL) != CS_OK || score != 25) return 1;
  puts(cs_version());
  return 0;
}
END
cat >"$work/consumer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(consumer C)
find_package(Contrastive 0.1 REQUIRED)
add_executable(consumer main.c)
target_link_libraries(consumer PRIVATE Contrastive::contrastive)
END
cmake -G Ninja -S "$work/consumer" -B "$work/consumer/build" -DCMAKE_PREFIX_PATH="$work/moved" >"$work/log" 2>&1 &&
  cmake --build "$work/consumer/build" >>"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
[ "$("$work/consumer/build/consumer")" = 0.1.0 ] || { echo "the consumer through find_package does not run" >&2; exit 1; }
sed -i 's/Contrastive 0.1/Contrastive 1.0/' "$work/consumer/CMakeLists.txt"
if cmake -G Ninja -S "$work/consumer" -B "$work/consumer/newer" -DCMAKE_PREFIX_PATH="$work/moved" >/dev/null 2>&1; then
  echo "a consumer that asks for version 1.0 was given this one" >&2
  exit 1
fi

pc=$(dirname "$(find "$work/moved" -name contrastive.pc)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs contrastive)
# shellcheck disable=SC2086  # several flags
cc "$work/consumer/main.c" -o "$work/consumer/by_pc" $flags -Wl,-rpath,"$(PKG_CONFIG_PATH=$pc pkg-config --variable=libdir contrastive)"
[ "$("$work/consumer/by_pc")" = 0.1.0 ] || { echo "the consumer through pkg-config does not run" >&2; exit 1; }
"$work/moved/bin/contrastive" version >/dev/null

# Moved, the program still trains: the part lies beside the library. LibTorch is where it was, or where the environment says.
libtorch=$("$work/moved/bin/contrastive" version --json | sed 's/.*"libtorch_path":"\([^"]*\)".*/\1/')
[ -e "$libtorch/libtorch_cpu.so" ] || { echo "the moved library does not find LibTorch" >&2; exit 1; }
ln -s "$(dirname "$libtorch")" "$work/elsewhere"
CONTRASTIVE_LIBTORCH=$work/elsewhere "$work/moved/bin/contrastive" version --json | grep -q -F "$work/elsewhere/lib" ||
  { echo "CONTRASTIVE_LIBTORCH does not choose LibTorch" >&2; exit 1; }
echo "installed, moved, found, linked, run"
