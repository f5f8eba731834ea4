# What packages for arm64 are built from, on x86-64: sourced by packaging/packages/common.sh.
# shellcheck shell=bash disable=SC2034  # used by the script that sources this
platform=linux-arm64
maven=linux-aarch64  # a classifier
in_words=arm64
machine=aarch64  # as wheels are named
libtorch=${CONTRASTIVE_LIBTORCH_ARM64:-$cache/libtorch-2.11.0-aarch64/torch}
extra=arm64  # of packaging/bootstrap.sh
compilers=(g++-aarch64-linux-gnu qemu-user-static)  # qemu runs the program that writes its manual
