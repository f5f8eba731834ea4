#!/usr/bin/env bash
# install_consumers.sh PREFIX VERSION MODEL: builds C and C++ programs against an installed prefix,
# with CMake and with pkg-config, and runs them. Neither the tree nor headers of LibTorch or ICU can
# be found. install_test.sh calls it in an empty folder.
set -uo pipefail
prefix=$1 version=$2 model=$3
fail() { echo "FAILED: $*" >&2; [ ! -s log ] || tail -n 30 log >&2; exit 1; }
work=$PWD
next="${version%%.*}.$(($(echo "$version" | cut -d. -f2) + 1))"

mkdir consumer
cat >consumer/main.c <<'END'
#include <contrastive/contrastive.h>
#include <stdio.h>

int main(int count, char **arguments) {
  cs_error *error = NULL;
  cs_model *model = count > 1 ? cs_model_load(arguments[1], NULL, &error) : NULL;
  const char *texts[2] = {"the cat sat", "a cat sits"};
  float vectors[2 * 1024], score = 0;
  int32_t dimension = cs_model_dimension(model);
  if (model == NULL || cs_encode(model, texts, NULL, 2, NULL, vectors, 2 * 1024, &error) != CS_OK ||
      cs_similarity(vectors, 1, vectors + dimension, 1, dimension, CS_METRIC_COSINE, &score, 1, &error) != CS_OK || !(score > -1.01 && score < 1.01)) {
    fprintf(stderr, "%s\n", cs_error_message(error));
    return 1;
  }
  cs_model_free(model);
  puts(cs_version());
  return 0;
}
END
cat >consumer/main.cpp <<'END'
#include <contrastive/contrastive.h>

#include <iostream>
#include <memory>
#include <vector>

int main(int count, char **arguments) {
  const std::unique_ptr<cs_model, decltype(&cs_model_free)> model(cs_model_load(count > 1 ? arguments[1] : "", nullptr, nullptr), cs_model_free);
  const char *const texts[] = {"the cat sat"};
  std::vector<float> vector(1024);
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.normalize = 1;
  if (cs_encode(model.get(), texts, nullptr, 1, &options, vector.data(), 1024, nullptr) != CS_OK) return 1;
  std::cout << cs_version() << '\n';
}
END
cat >consumer/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(consumer ${LANGUAGE})
set(WANTED "" CACHE STRING "version")
find_package(Contrastive ${WANTED} REQUIRED)
add_executable(consumer main.${EXTENSION})
target_link_libraries(consumer PRIVATE Contrastive::contrastive)
target_compile_options(consumer PRIVATE -Wall -Wextra -Werror -pedantic)
END

# configure FOLDER LANGUAGE EXTENSION VERSION...: CMake's words are in log.
configure() {
  local folder=$1 language=$2 extension=$3
  shift 3
  cmake -G Ninja -S consumer -B "$folder" -DCMAKE_PREFIX_PATH="$prefix" -DLANGUAGE="$language" \
    -DEXTENSION="$extension" -DWANTED="${*// /;}" >log 2>&1
}
runs() {  # runs WHAT PROGRAM
  [ "$("$2" "$model" 2>log)" = "$version" ] || fail "$1 does not run"
}
configure by_cmake_c C c "${version%.*}" && cmake --build by_cmake_c >>log 2>&1 ||
  fail "a consumer in C by find_package"
runs "the consumer in C by find_package" by_cmake_c/consumer
configure by_cmake_cpp CXX cpp "$version" && cmake --build by_cmake_cpp >>log 2>&1 ||
  fail "a consumer in C++ by find_package"
runs "the consumer in C++ by find_package" by_cmake_cpp/consumer
grep -h -o -F -e "$work/first" by_cmake_*/build.ninja >log &&
  fail "the consumers' builds name the place that the package was moved from"

# If the requested version is not installed, the message names both versions.
for wanted in "$next" 99.0; do
  configure too_new C c "$wanted" && fail "a consumer that asks for $wanted was given $version"
  tr -s ' \n' ' ' <log | grep -q -F "compatible with requested version \"$wanted\"" &&
    grep -q -F "version: $version" log ||
    fail "find_package of $wanted does not say what was asked for and what is there"
  rm -r too_new
done

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name contrastive.pc)")
eval "libdir=$(pkg-config --variable=libdir contrastive)"  # quoted for a shell, as the flags are
eval "flags=($(pkg-config --cflags --libs contrastive))"
cc -std=c99 -Wall -Wextra -Werror -pedantic consumer/main.c -o by_pc_c "${flags[@]}" \
  -Wl,-rpath,"$libdir" >log 2>&1 || fail "a consumer in C by pkg-config"
runs "the consumer in C by pkg-config" ./by_pc_c
c++ -std=c++17 -Wall -Wextra -Werror -pedantic consumer/main.cpp -o by_pc_cpp "${flags[@]}" \
  -Wl,-rpath,"$libdir" >log 2>&1 || fail "a consumer in C++ by pkg-config"
runs "the consumer in C++ by pkg-config" ./by_pc_cpp
[ "$(pkg-config --modversion contrastive)" = "$version" ] || fail "pkg-config says another version"
pkg-config --print-errors --exists "contrastive >= 99" 2>log &&
  fail "pkg-config accepted version 99"
grep -q -F "'contrastive >= 99'" log && grep -q -F "$version" log ||
  fail "pkg-config does not say what was asked for and what is there"

# A moved program still trains, because the plugin is in the folder of the library. LibTorch is
# where it was, or where the environment says.
printf 'the cat sat\ta cat sits\na dog runs\tthe dog ran\n' >pairs.tsv
"$prefix/bin/contrastive" train --model "$model" --method mnrl --train pairs.tsv --output trained \
  --max-steps 1 --batch-size 2 >log 2>&1 || fail "the moved program does not train"
libtorch=$("$prefix/bin/contrastive" version --json | sed 's/.*"libtorch_path":"\([^"]*\)".*/\1/')
[ -e "$libtorch/libtorch_cpu.so" ] || fail "the moved library does not find LibTorch"
ln -s "$(dirname "$libtorch")" elsewhere
CONTRASTIVE_LIBTORCH=$work/elsewhere "$prefix/bin/contrastive" version --json |
  grep -q -F "$work/elsewhere/lib" || fail "CONTRASTIVE_LIBTORCH does not choose LibTorch"
