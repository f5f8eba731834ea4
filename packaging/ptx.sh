#!/usr/bin/env bash
# Compiles the kernels for NVIDIA's GPUs to PTX, which the driver compiles on for the GPU that is
# there: core/torch/nn/device_dropout_ptx.inl of core/torch/nn/device_dropout.cu. To be run, and its
# result committed, after a change of the source; needs Clang (packaging/bootstrap.sh fuzz).
#
#   packaging/ptx.sh [OUTPUT]      OUTPUT: another file than core/torch/nn/device_dropout_ptx.inl
set -euo pipefail
cd "$(dirname "$0")/.."
source=core/torch/nn/device_dropout.cu output=${1:-core/torch/nn/device_dropout_ptx.inl}
command -v clang >/dev/null || { echo "ptx.sh: no clang: packaging/bootstrap.sh fuzz installs it" \
  >&2; exit 1; }
# The oldest GPUs that LibTorch's CUDA 13 knows.
ptx=$(clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -std=c++17 -O2 \
  -Wall -Wextra -Werror -S -o - "$source")
{
  printf '// Made by packaging/ptx.sh of %s with the SHA-256\n' "${source##*/}"
  printf '// %s\n' "$(sha256sum <"$source" | cut -d' ' -f1)"
  printf 'R"ptx(\n'
  sed -e '/^\/\//d' -e 's/[[:space:]]*\/\/.*$//' -e '/^[[:space:]]*$/d' -e 's/\t/  /g' \
    -e 's/[[:space:]]*$//' <<<"$ptx"
  printf ')ptx"\n'
} >"$output"
