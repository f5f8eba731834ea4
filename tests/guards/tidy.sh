#!/usr/bin/env bash
# tidy.sh ROOT [FILE-PATTERN...]: clang-tidy finds nothing of what .clang-tidy names in the
# library's sources, or in those whose paths match.
set -euo pipefail
cd "$1"
shift
. tests/guards/clang_tools.sh
# A separate build that is only configured, without the precompiled headers of another compiler.
cmake --preset release -B build/tidy -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  -D CONTRASTIVE_BUILD_TESTS=OFF -D CONTRASTIVE_WERROR=OFF >build/tidy.log 2>&1 || {
  cat build/tidy.log >&2; exit 1
}
# what Clang does not know
sed -i 's/ -fpch-preprocess//; s/ -fno-gnu-unique//' build/tidy/compile_commands.json
# The only header of GCC that LibTorch's headers include, without GCC's other headers.
mkdir -p build/tidy/openmp
cp "$("${CXX:-c++}" -print-file-name=include/omp.h)" build/tidy/openmp/
[ $# -gt 0 ] || set -- '/(core|capi)/'
python3 "$cache/clang_tidy/data/bin/run-clang-tidy.py" -clang-tidy-binary \
  "$cache/clang_tidy/data/bin/clang-tidy" -p build/tidy -quiet \
  -extra-arg=-isystem"$PWD/build/tidy/openmp" -j "$(nproc)" \
  -warnings-as-errors '*' "$@" >build/tidy.log 2>&1 || {
    grep -E ': (error|warning): ' build/tidy.log | sort -u >&2; exit 1; }
echo "clang-tidy finds nothing in $(grep -c "^\[" build/tidy.log) files"
