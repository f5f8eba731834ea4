# What packaging/natives.sh builds on amd64: sourced by it.
# shellcheck shell=bash disable=SC2034  # used by the script that sources this
platform=linux-x64
libtorch=${CONTRASTIVE_LIBTORCH:-$cache/libtorch-2.11.0/torch}
compilers=()  # packages of Debian 12 beyond its own compiler
